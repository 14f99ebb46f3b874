package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

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
	conn     *conn
	keys     keys
	format   format
	notifier *notifier
	records  *records
	deferred *deferred
	indexes  *indexes
	tenants  *tenantIndex
	// user is the Redis user, for errors about its permissions.
	user  string
	quiet time.Duration // See defaultQuiet.

	owned io.Closer // What Close closes; nil for a caller's client.
	once  sync.Once
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
	if layout.ReplicaWait > maxReplicaWait {
		return nil, fmt.Errorf("store: redis: waiting %v for replicas; choose at most %v", layout.ReplicaWait, maxReplicaWait)
	}
	if layout.Logger == nil {
		layout.Logger = slog.New(slog.DiscardHandler)
	}
	c := &conn{
		client: client, trips: roundtrip.New(client), clock: serverClock{here: time.Now}, cluster: cluster,
		replicas: layout.Replicas, replicaWait: layout.ReplicaWait, closed: make(chan struct{}),
	}
	k := newKeys(layout.Prefix, databaseOf(client), layout.Partitions)
	f := format{form: codec.Form{Keys: layout.Keys, Place: layout.Prefix}, retention: layout.Retention}
	n := &notifier{
		conn: c, keys: k, sharedSecret: layout.Secret, me: nonce(), local: watch.New(), publishing: publishing{log: layout.Logger},
	}
	r := &records{conn: c, keys: k, format: f, notifier: n, recent: newRecent(layout.Recent)}
	i := &indexes{conn: c, keys: k, format: f}
	return &Store{
		conn: c, keys: k, format: f, notifier: n, records: r,
		deferred: &deferred{records: r, delay: defaultDelay},
		indexes:  i,
		tenants:  &tenantIndex{conn: c, keys: k, main: i},
		user:     userOf(client),
		quiet:    defaultQuiet,
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
	now, err := r.conn.certain(ctx)
	if err != nil {
		return *rec, err
	}
	next, refused := codec.First(rec, f, now.Time())
	if refused != nil {
		switch e, err := r.records.load(ctx, rec.ID); {
		case err == nil:
			return e.Rec.Clone(), storage.ErrExists
		case !errors.Is(err, storage.ErrNotFound):
			return *rec, err
		}
		return *rec, codec.Refuse(refused)
	}
	next.Write = nonce()
	shared := r.deferred.take()
	r.deferred.prepare(shared)
	current, stale, err := r.records.insert(ctx, next, func(pipe goredis.Pipeliner) { pipeline(ctx, pipe, shared) })
	r.deferred.finishLater(shared)
	if err == nil || errors.Is(err, storage.ErrNotReplicated) {
		r.records.journal.add(write{swapAttempt: &swapAttempt{next: next}, created: true})
	}
	if stale {
		err = r.records.reindex(ctx, current, next, err)
	}
	return current.Rec.Clone(), err
}

// Load implements [storage.Store], in one round trip.
func (r *Store) Load(ctx context.Context, id string) (record.Record, error) {
	e, err := r.records.load(ctx, id)
	if err != nil {
		return record.Record{}, codec.Error("load", id, err)
	}
	return e.Rec.Clone(), nil
}

// Change implements [storage.Store], in one round trip if this process has the newest version, in two
// otherwise.
//
// The transition runs in this process, on an estimate of the server's time. In the swap the server
// checks that the version is still the newest and, if it matters, that its own time compares the same.
func (r *Store) Change(ctx context.Context, id string, f record.Transition) (record.Record, error) {
	rec, err := r.records.change(ctx, id, f)
	return rec, codec.Error("change", id, err)
}

// WriteBehind implements [storage.WriteBehinder]: the change is sent with the next create, or half a second
// later with all others.
func (r *Store) WriteBehind(id string, f record.Transition, done func(record.Record, error)) bool {
	return r.deferred.add(id, f, done)
}

// Ended implements [storage.OutcomeCache].
func (r *Store) Ended(id string) (record.Record, bool) {
	value := r.notifier.ended.get(id)
	if value == "" {
		return record.Record{}, false
	}
	e, err := r.records.decode(id, value)
	if err != nil {
		return record.Record{}, false
	}
	return e.Rec.Clone(), true
}

// Close implements [storage.Store].
func (r *Store) Close() error {
	var err error
	r.once.Do(func() {
		r.deferred.close()
		close(r.conn.closed)
		r.tenants.repairs.Wait()
		if r.owned != nil {
			err = r.owned.Close()
		}
	})
	if err != nil {
		return fmt.Errorf("store: close redis: %w", err)
	}
	return nil
}
