package redis

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
)

// ignored is a notification that every bridge ignores, since its database does not exist.
const ignored = "check 0 0:0:-1"

// permissionCheck runs commands and collects the permissions that the Redis user lacks.
type permissionCheck struct {
	conn *conn
	keys keys
	user string

	// cannot is what the user cannot do, and grants are the rules of ACL SETUSER that allow it.
	cannot, grants []string
	// other is the first error that is about something else.
	other error
}

// CheckHealth implements [storage.HealthChecker]: it writes to every partition, and fails while Redis
// refuses notifications.
func (r *Store) CheckHealth(ctx context.Context) error {
	err := r.conn.ready(ctx)
	if err == nil {
		p := permissionCheck{conn: r.conn, keys: r.keys, user: r.user}
		p.try(ctx, func(pipe goredis.Pipeliner) { p.addScripts(ctx, pipe, "") })
		p.note("publish", r.notifier.publishing.refusal())
		err = p.err()
	}
	return codec.Error("check redis", "", err)
}

// all runs every command that the store needs and returns an error that names all permissions that the user
// lacks. CLIENT and INFO are optional and not checked.
func (p *permissionCheck) all(ctx context.Context) error {
	subscribed := make(chan error, 1)
	go func() { subscribed <- p.subscribe(ctx) }()
	p.try(ctx, func(pipe goredis.Pipeliner) {
		p.addScripts(ctx, pipe, p.keys.wake())
		pipe.EvalSha(ctx, strings.Repeat("0", 40), p.scratch(0))
		pipe.Time(ctx)
		pipe.HSetNX(ctx, p.keys.meta(), "schema", schema)
		pipe.HGet(ctx, p.keys.meta(), "schema")
		if p.conn.replicas > 0 {
			pipe.Do(ctx, "WAIT", 0, 1)
		}
	})
	if cluster, ok := p.conn.client.(*goredis.ClusterClient); ok {
		p.note("asking", cluster.ForEachMaster(ctx, func(ctx context.Context, node *goredis.Client) error {
			return node.Do(ctx, "ASKING").Err()
		}))
	}
	p.note("subscribe", <-subscribed)
	return p.err()
}

// try sends commands in one round trip and notes which ones Redis refused.
func (p *permissionCheck) try(ctx context.Context, fill func(goredis.Pipeliner)) {
	cmds, _ := p.conn.client.Pipelined(ctx, func(pipe goredis.Pipeliner) error { // Each command has its own error.
		fill(pipe)
		return nil
	})
	for _, cmd := range cmds {
		p.note(cmd.Name(), cmd.Err())
		if script, ok := cmd.(*goredis.Cmd); ok && cmd.Name() == "eval" && cmd.Err() == nil {
			failures, err := script.StringSlice()
			p.note("eval", err)
			for pair := range slices.Chunk(failures, 2) {
				p.note(strings.ToLower(pair[0]), caught(pair[1]))
			}
		}
	}
}

// addScripts runs rights.lua on each partition.
func (p *permissionCheck) addScripts(ctx context.Context, pipe goredis.Pipeliner, channel string) {
	for n, part := range p.keys.partitions {
		rightsScript.Eval(ctx, pipe, append(p.scratch(n), part.index, part.names, part.expiries), channel, ignored)
	}
}

// scratch returns two keys of a partition that nothing else uses.
func (p *permissionCheck) scratch(n int) []string {
	part, name := p.keys.partitions[n], "check:"+nonce()
	return []string{part.record + name, part.value + name}
}

// subscribe subscribes once to what [Store.Watch] needs.
func (p *permissionCheck) subscribe(ctx context.Context) error {
	sub := p.conn.client.Subscribe(ctx, p.keys.channels()...)
	defer func() { _ = sub.Close() }() // It was only a trial.
	for range p.keys.channels() {
		if _, err := sub.ReceiveTimeout(ctx, callTimeout); err != nil {
			return err
		}
	}
	if err := sub.Ping(ctx); err != nil {
		return err
	}
	_, err := sub.ReceiveTimeout(ctx, callTimeout)
	return err
}

// commandName finds the command in an error of Redis, which may not be the one that was sent: the
// client sends some of its own when it connects.
var commandName = regexp.MustCompile(`permissions to run the '([^']+)' command`)

// note records the result of a command.
func (p *permissionCheck) note(command string, err error) {
	switch {
	case err == nil, errors.Is(err, goredis.Nil), goredis.HasErrorPrefix(err, "NOSCRIPT"):
	case denied(err) && !goredis.HasErrorPrefix(err, "NOAUTH") && !goredis.HasErrorPrefix(err, "WRONGPASS"):
		p.deny(command, err.Error())
	case p.other == nil:
		p.other = err
	}
}

// deny reads which permission an error is about. Redis may put the name of the user before it.
func (p *permissionCheck) deny(command, text string) {
	all := p.keys.prefix + ":*"
	_, target, access := strings.Cut(text, " access ")
	cannot, grant := "run "+command, "+"+command
	switch m := commandName.FindStringSubmatch(text); {
	case m != nil:
		cannot, grant = "run "+m[1], "+"+m[1]
	case strings.Contains(text, "can't publish"), access && strings.Contains(target, "channel"):
		cannot, grant = command+" to "+all, "&"+all
	case access:
		cannot, grant = "use the keys "+all, "~"+all
	}
	if !slices.Contains(p.cannot, cannot) {
		p.cannot = append(p.cannot, cannot)
	}
	if !slices.Contains(p.grants, grant) {
		p.grants = append(p.grants, grant)
	}
}

// err returns an error that names the missing permissions, or else the first other error.
func (p *permissionCheck) err() error {
	switch {
	case len(p.cannot) > 0:
		return &storage.StoreError{Kind: storage.StoreDenied, Err: fmt.Errorf("the Redis user %s cannot %s: ACL SETUSER %s %s",
			p.user, strings.Join(p.cannot, ", "), p.user, strings.Join(p.grants, " "))}
	case p.other != nil:
		return p.conn.classify(p.other)
	}
	return nil
}
