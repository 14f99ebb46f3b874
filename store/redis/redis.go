package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/watch"
	"github.com/askbridge/askbridge/store/redis/internal/roundtrip"
)

var (
	_ storage.Store         = (*Store)(nil)
	_ storage.WriteBehinder = (*Store)(nil)
	_ storage.OutcomeCache  = (*Store)(nil)
	_ storage.HealthChecker = (*Store)(nil)
)

// Store is a [storage.Store] in Redis 7.0 or newer, for any number of bridges. Its clock is the server's,
// which checks times inside each write.
type Store struct {
	client goredis.UniversalClient
	trips  *roundtrip.Trips
	keys   keys
	layout Layout
	form   codec.Form
	server serverClock
	recent *recent
	turns  turns
	peers  peers
	trim   trimming

	tenants tenantIndex

	publishing publishing
	// user is the Redis user, for errors about its permissions.
	user string

	journal journal
	later   later
	brought brought
	secret  atomic.Pointer[[]byte] // See learnSecret; nil while unknown.

	quiet time.Duration // See defaultQuiet.
	soon  time.Duration // See defaultSoon.

	owned  io.Closer // What Close closes; nil for a caller's client.
	once   sync.Once
	closed chan struct{}
}

// New returns a store on a client, which the caller closes. o may be nil. The client should have
// ContextTimeoutEnabled; [Open] also sets the other options of the client.
func New(client goredis.UniversalClient, o *Layout) (*Store, error) {
	layout := Layout{}
	if o != nil {
		layout = *o
	}
	if layout.Prefix == "" {
		layout.Prefix = "ab"
	}
	_, cluster := client.(*goredis.ClusterClient)
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
		layout.Retention = store.DefaultRetention
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
	if layout.Logger == nil {
		layout.Logger = slog.New(slog.DiscardHandler)
	}
	return &Store{
		client: client,
		trips:  roundtrip.New(client),
		server: serverClock{here: time.Now},
		keys:   newKeys(layout.Prefix, databaseOf(client), layout.Partitions),
		layout: layout,
		form:   codec.Form{Keys: layout.Keys, Place: layout.Prefix},
		recent: newRecent(layout.Recent),
		peers:  peers{me: nonce(), local: watch.New(), scattered: cluster},
		quiet:  defaultQuiet,
		soon:   defaultSoon,
		user:   userOf(client),

		publishing: publishing{log: layout.Logger},

		closed: make(chan struct{}),
	}, nil
}

// databaseOf returns the number of a client's database.
func databaseOf(client goredis.UniversalClient) int {
	if single, ok := client.(*goredis.Client); ok {
		return single.Options().DB
	}
	return 0
}

// userOf returns the user name of a client.
func userOf(client goredis.UniversalClient) string {
	var user string
	switch c := client.(type) {
	case *goredis.Client:
		user = c.Options().Username
	case *goredis.ClusterClient:
		user = c.Options().Username
	}
	if user == "" {
		user = "default"
	}
	return user
}

// Create implements [storage.Store] in one round trip, without a script. It writes the index first: a
// member without a record does no harm. The transition runs on an estimate of the server's time that is
// less than a minute old.
func (r *Store) Create(ctx context.Context, rec record.Record, f record.Transition) (record.Record, error) {
	made, err := r.create(ctx, &rec, f)
	return made, codec.Error("create", rec.ID, err)
}

func (r *Store) create(ctx context.Context, rec *record.Record, f record.Transition) (record.Record, error) {
	now, err := r.certain(ctx)
	if err != nil {
		return *rec, err
	}
	next, refused := codec.First(rec, f, now.Time())
	if refused != nil {
		switch e, err := r.load(ctx, rec.ID); {
		case err == nil:
			return e.Rec.Clone(), storage.ErrExists
		case !errors.Is(err, storage.ErrNotFound):
			return *rec, err
		}
		return *rec, codec.Refuse(refused)
	}
	next.Write = nonce()
	there, odd, err := r.insert(ctx, next)
	if err == nil || errors.Is(err, storage.ErrNotReplicated) {
		r.journal.note(written{swapping: &swapping{next: next}, created: true})
	}
	if odd {
		err = r.place(ctx, there, next, err)
	}
	return there.Rec.Clone(), err
}

// place corrects the index members of a record after insert found or wrote members that are not its own:
// those of an earlier record, or of the one that was not stored. A concurrent change of the record has
// the same effect.
func (r *Store) place(ctx context.Context, there, made *codec.Entry, err error) error {
	again := &codec.Entry{Rec: there.Rec, Extra: there.Extra, Write: nonce()}
	s := &swapping{old: there, next: again}
	if there.Write != made.Write {
		was := there.Rec
		was.Due, was.EndedAt = made.Rec.Due, made.Rec.EndedAt
		s.was = &was
	}
	verdict, _, failed := r.swap(ctx, s)
	if verdict == stored {
		r.journal.note(written{swapping: s})
	}
	if verdict != conflict && verdict != gone && failed != nil {
		return failed
	}
	return err
}

// Load implements [storage.Store], in one round trip.
func (r *Store) Load(ctx context.Context, id string) (record.Record, error) {
	e, err := r.load(ctx, id)
	if err != nil {
		return record.Record{}, codec.Error("load", id, err)
	}
	return e.Rec.Clone(), nil
}

func (r *Store) load(ctx context.Context, id string) (*codec.Entry, error) {
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	return r.loaded(id, r.client.Get(ctx, r.keys.record(id)))
}

// loaded decodes the reply to a GET of a record.
func (r *Store) loaded(id string, reply *goredis.StringCmd) (*codec.Entry, error) {
	value, err := reply.Result()
	switch {
	case errors.Is(err, goredis.Nil):
		return nil, r.missing(id)
	case err != nil:
		return nil, r.unavailable(err)
	}
	return r.seen(id, value)
}

// seen decodes and caches the value of a record.
func (r *Store) seen(id, value string) (*codec.Entry, error) {
	e, err := r.unpack(id, value)
	if err == nil {
		r.recent.put(e)
	}
	return e, err
}

// missing returns the error for a record that does not exist.
func (r *Store) missing(id string) error {
	e := r.recent.get(id)
	r.recent.forget(id)
	if e != nil && e.Rec.Open() {
		return ask.ErrGone
	}
	return storage.ErrNotFound
}

// Change implements [storage.Store], in one round trip if this process has the newest version, in two
// otherwise.
//
// The transition runs in this process, on an estimate of the server's time. In the swap the server
// checks that the version is still the newest and, if it matters, that its own time compares the same.
func (r *Store) Change(ctx context.Context, id string, f record.Transition) (record.Record, error) {
	rec, err := r.change(ctx, id, f)
	return rec, codec.Error("change", id, err)
}

func (r *Store) change(ctx context.Context, id string, f record.Transition) (record.Record, error) {
	defer r.turns.take(ctx, id)()
	e := r.recent.get(id)
	known := e != nil
	var err error
	if !known {
		if e, err = r.current(ctx, id); err != nil {
			return record.Record{}, err
		}
	}
	fresh, exact := !known, false
	for {
		now, err := r.now(ctx)
		if err != nil {
			return record.Record{}, err
		}
		next, refused := e.Apply(f, now.Time())
		if refused != nil && fresh {
			return e.Rec.Clone(), codec.Refuse(refused)
		}
		if refused != nil {
			// There is no swap to detect that the cached record or the estimated time
			// is out of date.
			if e, err = r.current(ctx, id); err != nil {
				return record.Record{}, err
			}
			fresh = true
			continue
		}
		if next.Write = nonce(); !r.decides(&e.Rec, &next.Rec, now) {
			now = 0
		}
		s := &swapping{old: e, was: &e.Rec, next: next, now: now, exact: exact}
		verdict, current, err := r.swap(ctx, s)
		switch {
		case verdict == stored:
			r.journal.note(written{swapping: s})
			return next.Rec.Clone(), err
		case err != nil:
			return record.Record{}, err
		case verdict == conflict:
			e, fresh = current, true
		}
		exact = verdict == clock
	}
}

// current loads a record and the server's time. If there is no record it removes its index members.
func (r *Store) current(ctx context.Context, id string) (*codec.Entry, error) {
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	var (
		clock *goredis.TimeCmd
		value *goredis.StringCmd
	)
	_, err := r.client.Pipelined(ctx, func(pipe goredis.Pipeliner) error {
		clock, value = pipe.Time(ctx), pipe.Get(ctx, r.keys.record(id))
		return nil
	})
	if err != nil && !errors.Is(err, goredis.Nil) {
		return nil, r.unavailable(err)
	}
	r.server.learn(codec.MicrosOf(clock.Val()))
	e, err := r.loaded(id, value)
	if errors.Is(err, storage.ErrNotFound) {
		if failed := forgetScript.Run(ctx, r.client, r.keys.both(id), id).Err(); failed != nil {
			err = r.unavailable(failed)
		}
	}
	return e, err
}

// nonce returns an identifier of a write. It need not be hard to guess.
func nonce() string {
	return strconv.FormatUint(rand.Uint64()>>16, 36) //nolint:gosec // Not a secret.
}

// now returns the estimated time of the server.
func (r *Store) now(ctx context.Context) (codec.Micros, error) {
	if now := r.server.now(); now != 0 {
		return now, nil
	}
	return r.askTime(ctx)
}

// certain returns the time of the server for uses without a later check.
func (r *Store) certain(ctx context.Context) (codec.Micros, error) {
	if now := r.server.certain(); now != 0 {
		return now, nil
	}
	return r.askTime(ctx)
}

func (r *Store) askTime(ctx context.Context) (codec.Micros, error) {
	if err := r.open(ctx); err != nil {
		return 0, err
	}
	t, err := r.client.Time(ctx).Result()
	if err != nil {
		return 0, r.unavailable(err)
	}
	r.server.learn(codec.MicrosOf(t))
	return codec.MicrosOf(t), nil
}

// open returns an error after Close, or if ctx is done.
func (r *Store) open(ctx context.Context) error {
	select {
	case <-r.closed:
		return storage.ErrClosed
	default:
		return ctx.Err()
	}
}

// Close implements [storage.Store].
func (r *Store) Close() error {
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
