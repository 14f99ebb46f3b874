package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge"
)

var _ bridge.Store = (*Redis)(nil)

// Redis keeps records in Redis, for any number of bridges at once. Its clock is
// that of the server, which judges inside each write.
type Redis struct {
	client redis.UniversalClient
	keys   keys
	keep   time.Duration
	server serverClock
	recent *recent

	quiet time.Duration // See defaultQuiet.

	owned  io.Closer // What Close closes; nil for a caller's client.
	once   sync.Once
	closed chan struct{}
}

// NewRedis returns a store on a client that stays the caller's to close. Of o,
// which may be nil, only the layout matters. [OpenRedis] also chooses the
// client's settings; a client made elsewhere should have ContextTimeoutEnabled.
func NewRedis(client redis.UniversalClient, o *RedisLayout) (*Redis, error) {
	layout := RedisLayout{}
	if o != nil {
		layout = *o
	}
	if layout.Prefix == "" {
		layout.Prefix = "ab"
	}
	if layout.Partitions == 0 {
		layout.Partitions = MaxPartitions
	}
	if layout.Partitions < 1 || layout.Partitions > MaxPartitions {
		return nil, fmt.Errorf("store: redis: %d partitions; choose 1 to %d", layout.Partitions, MaxPartitions)
	}
	if layout.Retention <= 0 {
		layout.Retention = DefaultRetention
	}
	if layout.Recent <= 0 {
		layout.Recent = 4096
	}
	return &Redis{
		client: client,
		server: serverClock{here: time.Now},
		keys:   newKeys(layout.Prefix, layout.Partitions),
		keep:   layout.Retention,
		recent: newRecent(layout.Recent),
		quiet:  defaultQuiet,
		closed: make(chan struct{}),
	}, nil
}

// Create implements [bridge.Store] in one round trip.
func (r *Redis) Create(ctx context.Context, rec bridge.Record, f bridge.Transition) (bridge.Record, error) {
	stored, err := r.create(ctx, rec, f)
	return stored, outcome("create", rec.ID, err)
}

func (r *Redis) create(ctx context.Context, rec bridge.Record, f bridge.Transition) (bridge.Record, error) {
	none := entry{rec: bridge.Record{ID: rec.ID, Deadline: rec.Deadline, Due: rec.Due}}
	for exact := false; ; exact = true {
		now, err := r.now(ctx)
		if err != nil {
			return rec, err
		}
		next, refused := first(rec, f, now.time())
		if refused != nil {
			switch e, err := r.load(ctx, rec.ID); {
			case err == nil:
				return e.rec.Clone(), bridge.ErrExists
			case !errors.Is(err, bridge.ErrNotFound):
				return rec, err
			}
			return rec, refusal{refused}
		}
		verdict, current, err := r.swap(ctx, none, next, now, exact)
		switch {
		case err != nil:
			return rec, err
		case verdict == stored:
			return next.rec.Clone(), nil
		case verdict == conflict:
			return current.rec.Clone(), bridge.ErrExists
		}
	}
}

// Load implements [bridge.Store] in one round trip.
func (r *Redis) Load(ctx context.Context, id string) (bridge.Record, error) {
	e, err := r.load(ctx, id)
	return e.rec.Clone(), outcome("load", id, err)
}

func (r *Redis) load(ctx context.Context, id string) (entry, error) {
	if err := r.open(ctx); err != nil {
		return entry{}, err
	}
	data, err := r.client.HGet(ctx, r.keys.record(id), "data").Bytes()
	switch {
	case errors.Is(err, redis.Nil):
		r.recent.forget(id)
		return entry{}, bridge.ErrNotFound
	case err != nil:
		return entry{}, r.unavailable(err)
	}
	e, err := decode(id, data)
	if err == nil {
		r.recent.put(e)
	}
	return e, err
}

// Change implements [bridge.Store]: in one round trip when this process has
// seen the newest version, in two otherwise.
//
// The transition runs here, at the time that we reckon the server has. Inside
// the swap the server judges whether the version is still the newest, and
// whether its own time would have compared alike with the deadline.
func (r *Redis) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	rec, err := r.change(ctx, id, f)
	return rec, outcome("change", id, err)
}

func (r *Redis) change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	e, known := r.recent.get(id)
	var err error
	if !known {
		if e, err = r.current(ctx, id); err != nil {
			return bridge.Record{}, err
		}
	}
	fresh, exact := !known, false
	for {
		now, err := r.now(ctx)
		if err != nil {
			return bridge.Record{}, err
		}
		next, refused := e.apply(f, now.time())
		if refused != nil && fresh {
			return e.rec.Clone(), refusal{refused}
		}
		if refused != nil {
			// Nothing will be swapped, so nothing would tell that the record we
			// remember or the time we reckon with is out of date.
			if e, err = r.current(ctx, id); err != nil {
				return bridge.Record{}, err
			}
			fresh = true
			continue
		}
		verdict, current, err := r.swap(ctx, e, next, now, exact)
		switch {
		case err != nil:
			return bridge.Record{}, err
		case verdict == stored:
			return next.rec.Clone(), nil
		case verdict == conflict:
			e, fresh = current, true
		}
		exact = true
	}
}

// current loads a record and learns the server's time with it. If there is no
// record it drops what the indexes may still hold of it. It is a swap that
// expects a version which is never there.
func (r *Redis) current(ctx context.Context, id string) (entry, error) {
	never := entry{rec: bridge.Record{ID: id, Version: -1}}
	_, e, err := r.swap(ctx, never, never, 0, true)
	return e, err
}

// verdict is the first word of the swap script's reply.
type verdict string

const (
	stored   verdict = "ok"
	conflict verdict = "conflict"
	gone     verdict = "gone"
	clock    verdict = "clock"
)

// imprecision is how far the time we reckon with may be from the server's
// before a swap is refused. It is only there to catch a clock that jumped.
const imprecision = micros(time.Second / time.Microsecond)

// swap asks the server to store next in place of old, and returns the record
// that stands there if it is another one. With exact the time has just been
// learned, and being late with it is the network's fault.
func (r *Redis) swap(ctx context.Context, old, next entry, now micros, exact bool) (verdict, entry, error) {
	if err := r.open(ctx); err != nil {
		return "", entry{}, err
	}
	id := next.rec.ID
	next.write = nonce()
	data, err := encode(next)
	if err != nil {
		return "", entry{}, err
	}
	off := imprecision
	if exact {
		off = math.MaxInt64
	}
	args := []any{id, old.token(), next.token(), data}
	for i := range indexes {
		args = append(args, score(i.moment(&old.rec), i.moment(&next.rec)))
	}
	args = append(args, int64(now), int64(off), int64(toMicros(old.rec.Deadline)), int64(toMicros(old.rec.Due)), r.keep.Microseconds(), r.keys.wake())
	reply, err := swapScript.Run(ctx, r.client, r.keys.swap(id), args...).StringSlice()
	if err != nil {
		return "", entry{}, r.unavailable(err)
	}
	if len(reply) < 2 {
		return "", entry{}, fmt.Errorf("swap replied %q", reply)
	}
	at, err := strconv.ParseInt(reply[1], 10, 64)
	if err != nil {
		return "", entry{}, fmt.Errorf("swap replied %q", reply)
	}
	r.server.learn(micros(at))
	switch word := verdict(reply[0]); word {
	case stored:
		r.recent.put(next)
		return stored, next, nil
	case gone:
		r.recent.forget(id)
		return gone, entry{}, bridge.ErrNotFound
	case conflict:
		if len(reply) < 3 {
			return "", entry{}, fmt.Errorf("swap replied %q", reply)
		}
		if reply[2] == string(data) {
			// The reply to our write was lost, and the client sent it again.
			r.recent.put(next)
			return stored, next, nil
		}
		r.recent.forget(id)
		e, err := decode(id, []byte(reply[2]))
		if err == nil {
			r.recent.put(e)
		}
		return conflict, e, err
	case clock:
		return clock, old, nil
	default:
		return "", entry{}, fmt.Errorf("swap replied %q", reply)
	}
}

// score says what becomes of a record in an index; see swap.lua.
func score(old, next micros) string {
	switch next {
	case old:
		return ""
	case 0:
		return "-"
	}
	return strconv.FormatInt(int64(next), 10)
}

// nonce tells one write from another one. It need not be hard to guess.
func nonce() string {
	return strconv.FormatUint(rand.Uint64()>>16, 36) //nolint:gosec // Not a secret.
}

// now is the server's time as far as we can tell.
func (r *Redis) now(ctx context.Context) (micros, error) {
	if now := r.server.now(); now != 0 {
		return now, nil
	}
	return r.askTime(ctx)
}

func (r *Redis) askTime(ctx context.Context) (micros, error) {
	if err := r.open(ctx); err != nil {
		return 0, err
	}
	t, err := r.client.Time(ctx).Result()
	if err != nil {
		return 0, r.unavailable(err)
	}
	r.server.learn(toMicros(t))
	return toMicros(t), nil
}

// open refuses work after Close, or for a caller who has left.
func (r *Redis) open(ctx context.Context) error {
	select {
	case <-r.closed:
		return bridge.ErrClosed
	default:
		return ctx.Err()
	}
}

// unavailable marks an error of the client as one of reachability: nothing is
// known to be wrong with the call, and it may be repeated.
func (r *Redis) unavailable(err error) error {
	switch {
	case errors.Is(err, redis.ErrClosed):
		return bridge.ErrClosed
	case errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("%w: %w", bridge.ErrUnavailable, err)
}

// Close implements [bridge.Store].
func (r *Redis) Close() error {
	var err error
	r.once.Do(func() {
		close(r.closed)
		if r.owned != nil {
			err = r.owned.Close()
		}
	})
	if err != nil {
		return fmt.Errorf("store: close redis: %w", err)
	}
	return nil
}
