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

// Store is a [storage.Store] that keeps records in Redis 7.0 or newer, for any number of
// bridges at once. Its clock is that of the server, which judges inside each write.
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
	secret  atomic.Pointer[[]byte] // See learnSecret; nil while it is not known.

	quiet time.Duration // See defaultQuiet.
	soon  time.Duration // See defaultSoon.

	owned  io.Closer // What Close closes; nil for a caller's client.
	once   sync.Once
	closed chan struct{}
}

// New returns a store on a client that stays the caller's to close. Of o,
// which may be nil, only the layout matters. [Open] also chooses the
// client's settings; a client made elsewhere should have ContextTimeoutEnabled.
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

// databaseOf is the number of the database that a client works on.
func databaseOf(client goredis.UniversalClient) int {
	if single, ok := client.(*goredis.Client); ok {
		return single.Options().DB
	}
	return 0
}

// userOf is the name of the user that a client logs in as.
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

// Create implements [storage.Store] in one round trip, without a script: the index
// is written first, and if the record is not there in the end, it holds a member
// that does no harm.
//
// The transition runs on the time that we reckon the server has, which it told
// us less than a minute ago.
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

// place puts a record into the index where it belongs, after the index took or
// kept what is not of this record: a member of an earlier one that is gone, or
// of the one that we did not get to store. Whoever changes the record meanwhile
// has placed it.
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

// Load implements [storage.Store] in one round trip.
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

// loaded reads the reply to a GET of a record.
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

// seen decodes and remembers the value of a record.
func (r *Store) seen(id, value string) (*codec.Entry, error) {
	e, err := r.unpack(id, value)
	if err == nil {
		r.recent.put(e)
	}
	return e, err
}

// missing is the error for a record that is not there.
func (r *Store) missing(id string) error {
	e := r.recent.get(id)
	r.recent.forget(id)
	if e != nil && e.Rec.Open() {
		return ask.ErrGone
	}
	return storage.ErrNotFound
}

// Change implements [storage.Store]: in one round trip when this process has
// seen the newest version, in two otherwise.
//
// The transition runs here, at the time that we reckon the server has. Inside
// the swap the server judges whether the version is still the newest and,
// whenever it could matter, whether its own time would have compared alike.
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
			// Nothing will be swapped, so nothing would tell that the record we
			// remember or the time we reckon with is out of date.
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

// current loads a record and learns the server's time with it. If there is no
// record it drops what the index may still hold of it.
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

// nonce tells one write from another one. It need not be hard to guess.
func nonce() string {
	return strconv.FormatUint(rand.Uint64()>>16, 36) //nolint:gosec // Not a secret.
}

// now is the server's time as far as we can tell.
func (r *Store) now(ctx context.Context) (codec.Micros, error) {
	if now := r.server.now(); now != 0 {
		return now, nil
	}
	return r.askTime(ctx)
}

// certain is the server's time where nothing will judge it afterwards.
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

// open refuses work after Close, or for a caller who has left.
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
