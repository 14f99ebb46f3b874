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

// checkPermissions runs every command that the store needs and names all permissions that the
// user lacks. CLIENT and INFO are optional and not checked.
func (r *Store) checkPermissions(ctx context.Context) error {
	subscribed := make(chan error, 1)
	go func() { subscribed <- r.trySubscribe(ctx) }()
	lacks := lacking{user: r.user, prefix: r.keys.prefix}
	r.try(ctx, &lacks, func(pipe goredis.Pipeliner) {
		r.tryScripts(ctx, pipe, r.keys.wake())
		pipe.EvalSha(ctx, strings.Repeat("0", 40), r.scratch(0))
		pipe.Time(ctx)
		pipe.HSetNX(ctx, r.keys.meta(), "schema", schema)
		pipe.HGet(ctx, r.keys.meta(), "schema")
		if r.layout.Replicas > 0 {
			pipe.Do(ctx, "WAIT", 0, 1)
		}
	})
	if cluster, ok := r.client.(*goredis.ClusterClient); ok {
		lacks.note("asking", cluster.ForEachMaster(ctx, func(ctx context.Context, node *goredis.Client) error {
			return node.Do(ctx, "ASKING").Err()
		}))
	}
	lacks.note("subscribe", <-subscribed)
	return lacks.failure(r)
}

// CheckHealth implements [storage.HealthChecker]: it writes to every partition, and fails while
// Redis refuses notifications.
func (r *Store) CheckHealth(ctx context.Context) error {
	return codec.Error("check redis", "", r.checkHealth(ctx))
}

func (r *Store) checkHealth(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	lacks := lacking{user: r.user, prefix: r.keys.prefix}
	r.try(ctx, &lacks, func(pipe goredis.Pipeliner) { r.tryScripts(ctx, pipe, "") })
	lacks.note("publish", r.publishing.state())
	return lacks.failure(r)
}

// try sends commands in one round trip and notes which ones Redis refused.
func (r *Store) try(ctx context.Context, lacks *lacking, fill func(goredis.Pipeliner)) {
	cmds, _ := r.client.Pipelined(ctx, func(pipe goredis.Pipeliner) error { // Each command has its own error.
		fill(pipe)
		return nil
	})
	for _, cmd := range cmds {
		lacks.note(cmd.Name(), cmd.Err())
		if script, ok := cmd.(*goredis.Cmd); ok && cmd.Name() == "eval" && cmd.Err() == nil {
			failures, err := script.StringSlice()
			lacks.note("eval", err)
			for pair := range slices.Chunk(failures, 2) {
				lacks.note(strings.ToLower(pair[0]), caught(pair[1]))
			}
		}
	}
}

// tryScripts runs rights.lua on each partition.
func (r *Store) tryScripts(ctx context.Context, pipe goredis.Pipeliner, channel string) {
	for n, part := range r.keys.partitions {
		rightsScript.Eval(ctx, pipe, append(r.scratch(n), part.index, part.names, part.expiries), channel, ignored)
	}
}

// scratch returns two keys of a partition that nothing else uses.
func (r *Store) scratch(n int) []string {
	part, name := r.keys.partitions[n], "check:"+nonce()
	return []string{part.record + name, part.value + name}
}

// trySubscribe subscribes once to what [Store.Watch] needs.
func (r *Store) trySubscribe(ctx context.Context) error {
	sub := r.client.Subscribe(ctx, r.keys.channels()...)
	defer func() { _ = sub.Close() }() // It was only a trial.
	for range r.keys.channels() {
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

// lacking collects the permissions that a user lacks.
type lacking struct {
	user, prefix string
	// cannot is what the user cannot do, and grants are the rules of ACL SETUSER that allow it.
	cannot, grants []string
	// other is the first error that is about something else.
	other error
}

// named finds the command in an error of Redis, which may not be the one that was sent: the
// client sends some of its own when it connects.
var named = regexp.MustCompile(`permissions to run the '([^']+)' command`)

// note records how a command went.
func (l *lacking) note(command string, err error) {
	switch {
	case err == nil, errors.Is(err, goredis.Nil), goredis.HasErrorPrefix(err, "NOSCRIPT"):
	case denied(err) && !goredis.HasErrorPrefix(err, "NOAUTH") && !goredis.HasErrorPrefix(err, "WRONGPASS"):
		l.deny(command, err.Error())
	case l.other == nil:
		l.other = err
	}
}

// deny reads which permission an error is about. Redis may put the name of the user before it.
func (l *lacking) deny(command, text string) {
	all := l.prefix + ":*"
	_, target, access := strings.Cut(text, " access ")
	switch m := named.FindStringSubmatch(text); {
	case m != nil:
		l.add("run "+m[1], "+"+m[1])
	case strings.Contains(text, "can't publish"), access && strings.Contains(target, "channel"):
		l.add(command+" to "+all, "&"+all)
	case access:
		l.add("use the keys "+all, "~"+all)
	default:
		l.add("run "+command, "+"+command)
	}
}

func (l *lacking) add(cannot, grant string) {
	if !slices.Contains(l.cannot, cannot) {
		l.cannot = append(l.cannot, cannot)
	}
	if !slices.Contains(l.grants, grant) {
		l.grants = append(l.grants, grant)
	}
}

// failure is nil when nothing was refused.
func (l *lacking) failure(r *Store) error {
	switch {
	case len(l.cannot) > 0:
		return &storage.StoreError{Kind: storage.StoreDenied, Err: fmt.Errorf("the Redis user %s cannot %s: ACL SETUSER %s %s",
			l.user, strings.Join(l.cannot, ", "), l.user, strings.Join(l.grants, " "))}
	case l.other != nil:
		return r.unavailable(l.other)
	}
	return nil
}
