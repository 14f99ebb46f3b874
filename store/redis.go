package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge"
)

var (
	_ bridge.Store         = (*Redis)(nil)
	_ bridge.WriteBehinder = (*Redis)(nil)
	_ bridge.OutcomeCache  = (*Redis)(nil)
)

// Redis keeps records in Redis 7.0 or newer, for any number of bridges at once.
// Its clock is that of the server, which judges inside each write.
type Redis struct {
	client redis.UniversalClient
	keys   keys
	layout RedisLayout
	server serverClock
	recent *recent
	peers  peers
	trim   trimming

	tenants tenantIndex

	journal journal
	later   later
	brought brought
	secret  atomic.Pointer[[]byte] // See learnSecret; nil while it is not known.

	quiet time.Duration // See defaultQuiet.
	soon  time.Duration // See defaultSoon.

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
	_, cluster := client.(*redis.ClusterClient)
	switch {
	case layout.Partitions == 0 && cluster:
		layout.Partitions = MaxPartitions
	case layout.Partitions == 0:
		layout.Partitions = 1
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
	if layout.ReplicaWait <= 0 {
		layout.ReplicaWait = defaultReplicaWait
	}
	if layout.ReplicaWait > mostReplicaWait {
		return nil, fmt.Errorf("store: redis: waiting %v for replicas; choose at most %v", layout.ReplicaWait, mostReplicaWait)
	}
	return &Redis{
		client: client,
		server: serverClock{here: time.Now},
		keys:   newKeys(layout.Prefix, databaseOf(client), layout.Partitions),
		layout: layout,
		recent: newRecent(layout.Recent),
		peers:  peers{me: nonce(), local: newWatchers(), scattered: cluster},
		quiet:  defaultQuiet,
		soon:   defaultSoon,
		closed: make(chan struct{}),
	}, nil
}

// databaseOf is the number of the database that a client works on.
func databaseOf(client redis.UniversalClient) int {
	if single, ok := client.(*redis.Client); ok {
		return single.Options().DB
	}
	return 0
}

// Create implements [bridge.Store] in one round trip, without a script: the index
// is written first, and if the record is not there in the end, it holds a member
// that does no harm.
//
// The transition runs on the time that we reckon the server has, which it told
// us less than a minute ago.
func (r *Redis) Create(ctx context.Context, rec bridge.Record, f bridge.Transition) (bridge.Record, error) {
	made, err := r.create(ctx, &rec, f)
	return made, outcome("create", rec.ID, err)
}

func (r *Redis) create(ctx context.Context, rec *bridge.Record, f bridge.Transition) (bridge.Record, error) {
	now, err := r.certain(ctx)
	if err != nil {
		return *rec, err
	}
	next, refused := first(rec, f, now.time())
	if refused != nil {
		switch e, err := r.load(ctx, rec.ID); {
		case err == nil:
			return e.rec.Clone(), bridge.ErrExists
		case !errors.Is(err, bridge.ErrNotFound):
			return *rec, err
		}
		return *rec, refusal{refused}
	}
	next.write = nonce()
	there, odd, err := r.insert(ctx, next)
	if err == nil || errors.Is(err, bridge.ErrNotReplicated) {
		r.journal.note(written{swapping: &swapping{next: next}, created: true})
	}
	if odd {
		err = r.place(ctx, there, next, err)
	}
	return there.rec.Clone(), err
}

// place puts a record into the index where it belongs, after the index took or
// kept what is not of this record: a member of an earlier one that is gone, or
// of the one that we did not get to store. Whoever changes the record meanwhile
// has placed it.
func (r *Redis) place(ctx context.Context, there, made *entry, err error) error {
	again := &entry{rec: there.rec, extra: there.extra, write: nonce()}
	s := &swapping{old: there, next: again}
	if there.write != made.write {
		was := there.rec
		was.Due, was.EndedAt = made.rec.Due, made.rec.EndedAt
		s.was = &was
	}
	if verdict, _, failed := r.swap(ctx, s); verdict != conflict && verdict != gone && failed != nil {
		return failed
	}
	return err
}

// Load implements [bridge.Store] in one round trip.
func (r *Redis) Load(ctx context.Context, id string) (bridge.Record, error) {
	e, err := r.load(ctx, id)
	if err != nil {
		return bridge.Record{}, outcome("load", id, err)
	}
	return e.rec.Clone(), nil
}

func (r *Redis) load(ctx context.Context, id string) (*entry, error) {
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	return r.loaded(id, r.client.Get(ctx, r.keys.record(id)))
}

// loaded reads the reply to a GET of a record.
func (r *Redis) loaded(id string, reply *redis.StringCmd) (*entry, error) {
	value, err := reply.Result()
	switch {
	case errors.Is(err, redis.Nil):
		return nil, r.missing(id)
	case err != nil:
		return nil, r.unavailable(err)
	}
	return r.seen(id, value)
}

// seen decodes and remembers the value of a record.
func (r *Redis) seen(id, value string) (*entry, error) {
	e, err := unpack(id, value)
	if err == nil {
		r.recent.put(e)
	}
	return e, err
}

// missing is the error for a record that is not there.
func (r *Redis) missing(id string) error {
	e := r.recent.get(id)
	r.recent.forget(id)
	if e != nil && e.rec.Open() {
		return bridge.ErrGone
	}
	return bridge.ErrNotFound
}

// Change implements [bridge.Store]: in one round trip when this process has
// seen the newest version, in two otherwise.
//
// The transition runs here, at the time that we reckon the server has. Inside
// the swap the server judges whether the version is still the newest and,
// whenever it could matter, whether its own time would have compared alike.
func (r *Redis) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	rec, err := r.change(ctx, id, f)
	return rec, outcome("change", id, err)
}

func (r *Redis) change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	e := r.recent.get(id)
	known := e != nil
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
		if next.write = nonce(); !r.decides(&e.rec, &next.rec, now) {
			now = 0
		}
		s := &swapping{old: e, was: &e.rec, next: next, now: now, exact: exact}
		verdict, current, err := r.swap(ctx, s)
		switch {
		case verdict == stored:
			r.journal.note(written{swapping: s})
			return next.rec.Clone(), err
		case err != nil:
			return bridge.Record{}, err
		case verdict == conflict:
			e, fresh = current, true
		}
		exact = verdict == clock
	}
}

// current loads a record and learns the server's time with it. If there is no
// record it drops what the index may still hold of it.
func (r *Redis) current(ctx context.Context, id string) (*entry, error) {
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	var (
		clock *redis.TimeCmd
		value *redis.StringCmd
	)
	_, err := r.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		clock, value = pipe.Time(ctx), pipe.Get(ctx, r.keys.record(id))
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, r.unavailable(err)
	}
	r.server.learn(toMicros(clock.Val()))
	e, err := r.loaded(id, value)
	if errors.Is(err, bridge.ErrNotFound) {
		if failed := forgetScript.Run(ctx, r.client, r.keys.both(id), id).Err(); failed != nil {
			err = r.unavailable(failed)
		}
	}
	return e, err
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

// certain is the server's time where nothing will judge it afterwards.
func (r *Redis) certain(ctx context.Context) (micros, error) {
	if now := r.server.certain(); now != 0 {
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

// Close implements [bridge.Store].
func (r *Redis) Close() error {
	var err error
	r.once.Do(func() {
		r.endLater()
		close(r.closed)
		r.tenants.looks.Wait()
		if r.owned != nil {
			err = r.owned.Close()
		}
	})
	if err != nil {
		return fmt.Errorf("store: close redis: %w", err)
	}
	return nil
}
