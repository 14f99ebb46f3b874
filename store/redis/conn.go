package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/redis/internal/roundtrip"
)

const (
	// defaultReplicaWait is how long a write waits for replicas, which usually take about a
	// millisecond.
	defaultReplicaWait = 500 * time.Millisecond
	// maxReplicaWait is short enough for the reply to arrive within callTimeout.
	maxReplicaWait = callTimeout * 3 / 4
)

// conn sends commands to Redis, classifies their errors and estimates the server's time.
type conn struct {
	client goredis.UniversalClient
	trips  *roundtrip.Trips
	clock  serverClock
	// cluster is set if the server is a Cluster.
	cluster bool
	// replicas is the number of replicas that must acknowledge a write within replicaWait.
	replicas    int
	replicaWait time.Duration
	closed      chan struct{}
}

// ready returns an error if the store is closed or ctx is done.
func (c *conn) ready(ctx context.Context) error {
	select {
	case <-c.closed:
		return storage.ErrClosed
	default:
		return ctx.Err()
	}
}

// now returns the estimated time of the server.
func (c *conn) now(ctx context.Context) (codec.Micros, error) {
	if now := c.clock.now(); now != 0 {
		return now, nil
	}
	return c.askTime(ctx)
}

// certain returns the server's time for uses without a later check.
func (c *conn) certain(ctx context.Context) (codec.Micros, error) {
	if now := c.clock.certain(); now != 0 {
		return now, nil
	}
	return c.askTime(ctx)
}

func (c *conn) askTime(ctx context.Context) (codec.Micros, error) {
	if err := c.ready(ctx); err != nil {
		return 0, err
	}
	t, err := c.client.Time(ctx).Result()
	if err != nil {
		return 0, c.classify(err)
	}
	c.clock.learn(codec.MicrosOf(t))
	return codec.MicrosOf(t), nil
}

// replicated returns nil if enough replicas acknowledged a write.
func (c *conn) replicated(copies int64) error {
	if copies >= int64(c.replicas) {
		return nil
	}
	return fmt.Errorf("%w: %d of %d replicas have it", storage.ErrNotReplicated, copies, c.replicas)
}

// run runs a script on the partition of its first key and returns how many replicas acknowledged its
// writes.
func (c *conn) run(ctx context.Context, script *goredis.Script, keys []string, args []any) (reply []string, copies int64, err error) {
	var cmd *goredis.Cmd
	copies, err = c.together(ctx, keys[0], func(pipe goredis.Pipeliner) { cmd = script.EvalSha(ctx, pipe, keys, args...) })
	if err != nil && goredis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		copies, err = c.together(ctx, keys[0], func(pipe goredis.Pipeliner) { cmd = script.Eval(ctx, pipe, keys, args...) })
	}
	if err != nil {
		return nil, 0, err
	}
	reply, err = cmd.StringSlice()
	return reply, copies, err
}

// runText is run for a script that replies with one word.
func (c *conn) runText(ctx context.Context, script *goredis.Script, keys []string, args []any) (word string, copies int64, err error) {
	reply, copies, err := c.run(ctx, script, keys, args)
	if err == nil && len(reply) != 1 {
		err = fmt.Errorf("script replied %q", reply)
	}
	if err != nil {
		return "", 0, err
	}
	return reply[0], copies, nil
}

// moves is how often a write follows a moving slot of a Cluster.
const moves = 3

// together sends writes to the partition of a key in one round trip, followed by a WAIT for replicas. It
// returns how many acknowledged.
func (c *conn) together(ctx context.Context, key string, fill func(goredis.Pipeliner)) (copies int64, err error) {
	if c.replicas == 0 {
		var cmds []goredis.Cmder
		err := c.trips.Do(ctx, func(pipe goredis.Pipeliner) {
			fill(pipe)
			cmds = pipe.Cmds()
		})
		return 0, c.classifyReply(failure(cmds, err))
	}
	cluster, isCluster := c.client.(*goredis.ClusterClient)
	var node goredis.Cmdable = c.client
	for range moves {
		if isCluster {
			// WAIT has no key that selects a node.
			if node, err = cluster.MasterForKey(ctx, key); err != nil {
				return 0, c.classify(err)
			}
		}
		var (
			writes []goredis.Cmder
			wait   *goredis.Cmd
		)
		err = c.pipelinedOn(ctx, node, func(pipe goredis.Pipeliner) {
			fill(pipe)
			writes = pipe.Cmds()
			wait = pipe.Do(ctx, "WAIT", c.replicas, c.replicaWait.Milliseconds())
		})
		if _, moved := goredis.IsMovedError(err); moved && isCluster {
			cluster.ReloadState(ctx)
			continue
		}
		if isCluster && slices.ContainsFunc(writes, redirected) {
			return 0, c.pipelined(ctx, func(pipe goredis.Pipeliner) {
				_ = pipe.BatchProcess(ctx, slices.DeleteFunc(writes, func(cmd goredis.Cmder) bool { return !redirected(cmd) })...) // It only collects them.
			})
		}
		if err == nil {
			copies, err = wait.Int64()
		}
		return copies, err
	}
	return 0, err
}

// redirected reports whether a node redirected a command because its slot is moving to another node. The
// client of the whole Cluster follows the redirection, without a WAIT.
func redirected(cmd goredis.Cmder) bool {
	_, ask := goredis.IsAskError(cmd.Err())
	return ask
}

// pipelined sends commands in one round trip and returns the first error.
func (c *conn) pipelined(ctx context.Context, fill func(goredis.Pipeliner)) error {
	return c.pipelinedOn(ctx, c.client, fill)
}

func (c *conn) pipelinedOn(ctx context.Context, node goredis.Cmdable, fill func(goredis.Pipeliner)) error {
	cmds, err := node.Pipelined(ctx, func(pipe goredis.Pipeliner) error {
		fill(pipe)
		return nil
	})
	return c.classifyReply(failure(cmds, err))
}

// failure returns the first error of commands that were sent together, except for refused notifications.
func failure(cmds []goredis.Cmder, err error) error {
	if err == nil {
		return nil
	}
	for _, cmd := range cmds {
		_, replied := errors.AsType[goredis.Error](cmd.Err())
		if cmd.Err() != nil && !errors.Is(cmd.Err(), goredis.Nil) && (!replied || cmd.Name() != "publish") {
			return cmd.Err()
		}
	}
	return nil
}

// classifyReply classifies the error of a round trip. A missing key is no error.
func (c *conn) classifyReply(err error) error {
	if err != nil && !errors.Is(err, goredis.Nil) {
		return c.classify(err)
	}
	return nil
}

// rejection is an error of Redis that does not depend on the command's arguments.
type rejection struct {
	prefix string
	kind   storage.StoreKind
	means  string
}

var rejections = []rejection{
	{"OOM", storage.StoreOutOfMemory, "redis is out of memory"},
	{"READONLY", storage.StoreReadOnly, "this redis is a read-only replica"},
	{"NOREPLICAS", storage.StoreReadOnly, "redis has too few replicas to accept writes"},
	{"MISCONF", storage.StoreDiskFull, "redis cannot write to its disk"},
	{"LOADING", storage.StoreUnreachable, "redis is still loading its data"},
	{"CLUSTERDOWN", storage.StoreUnreachable, "the redis cluster is down"},
	{"NOPERM", storage.StoreDenied, "the redis user lacks a permission"},
	{"NOAUTH", storage.StoreDenied, "redis requires a password"},
	{"WRONGPASS", storage.StoreDenied, "redis refuses the user or password"},
	// In scripts, in Redis 7.0 and in later versions:
	// https://github.com/redis/redis/blob/7.0/src/script.c (scriptVerifyACL)
	{"The user executing the script can't", storage.StoreDenied, "the redis user lacks a permission"},
	{"ACL failure in script", storage.StoreDenied, "the redis user lacks a permission"},
}

// rejectionOf returns the rejection that an error is.
func rejectionOf(err error) (rejection, bool) {
	for _, known := range rejections {
		if goredis.HasErrorPrefix(err, known.prefix) {
			return known, true
		}
	}
	return rejection{}, false
}

// denied reports whether Redis refused a command because of missing permissions.
func denied(err error) bool {
	known, ok := rejectionOf(err)
	return ok && known.kind == storage.StoreDenied
}

// caught is an error that a script returned as text.
type caught string

func (e caught) Error() string { return string(e) }

// RedisError implements [goredis.Error].
func (e caught) RedisError() {}

// classify converts an error of the client to a [storage.StoreError]: the call itself may be correct and
// can be repeated.
func (c *conn) classify(err error) error {
	switch {
	case errors.Is(err, goredis.ErrClosed):
		return storage.ErrClosed
	case errors.Is(err, context.Canceled):
		return err
	}
	if failed, ok := errors.AsType[*storage.StoreError](err); ok {
		return failed
	}
	if _, moved := goredis.IsMovedError(err); moved && !c.cluster {
		return &storage.StoreError{
			Kind: storage.StoreUnreachable,
			Err:  fmt.Errorf("this redis is a node of a Cluster: set store.redis.cluster: %w", err),
		}
	}
	if known, ok := rejectionOf(err); ok {
		return &storage.StoreError{Kind: known.kind, Err: fmt.Errorf("%s: %w", known.means, err)}
	}
	return &storage.StoreError{Kind: storage.StoreUnreachable, Err: err}
}
