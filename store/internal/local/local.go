package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/index"
	"github.com/askbridge/askbridge/store/internal/watch"
)

// Table is the storage of a single-process store: maps, or a transaction on a file.
type Table interface {
	// Get returns the row of a record, if there is one.
	Get(id string) (index.Row, bool)
	// Put replaces the row old (zero for none) of a tenant's record by next and updates the indexes.
	Put(id, tenant string, old, next index.Row) error
	// Drop removes the row old of a tenant's record and its index entries.
	Drop(id, tenant string, old index.Row) error
	// Walk calls see for the entries of an index at and after from, in order, until it returns
	// false. see must not change the table.
	Walk(i index.Kind, from index.Place, see func(index.Place) bool)
	// WalkTenant does the same for the due or the ended records of one tenant.
	WalkTenant(tenant string, i index.Kind, from index.TenantPlace, see func(index.TenantPlace) bool)

	ValueTable
}

// Store is a single-process store on any [Table]. It uses the clock of the process.
type Store struct {
	o        Options
	watchers *watch.Watchers
}

// Options are the parts of a [Store].
type Options struct {
	// View and Update run an operation on the table, Update one that changes it. A failed Update
	// changes nothing. They return storage.ErrClosed after Close.
	View, Update func(op func(Table) error) error
	// Close waits for running operations and ends the access.
	Close func() error
	// Retention is how long ended records are kept; zero means [store.DefaultRetention].
	Retention time.Duration
	// Form encodes records and values.
	Form codec.Form
	// Now is the store's clock; nil means time.Now.
	Now func() time.Time
}

// New returns a store.
func New(o Options) *Store {
	if o.Retention <= 0 {
		o.Retention = store.DefaultRetention
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{o: o, watchers: watch.New()}
}

// Close implements [storage.Store]. It waits for running calls.
func (l *Store) Close() error {
	l.watchers.Stop()
	return l.o.Close()
}

// Create implements [storage.Store].
func (l *Store) Create(ctx context.Context, r record.Record, f record.Transition) (record.Record, error) {
	stored := r
	err := do(ctx, l.o.Update, func(t Table) (err error) {
		stored, err = l.create(t, r, f)
		return err
	})
	if err == nil {
		l.watchers.Tell(stored.Notify())
	}
	return stored, codec.Error("create", r.ID, err)
}

// Load implements [storage.Store].
func (l *Store) Load(ctx context.Context, id string) (record.Record, error) {
	var r record.Record
	err := do(ctx, l.o.View, func(t Table) error {
		e, _, err := l.load(t, id)
		if err == nil {
			r = e.Rec
		}
		return err
	})
	return r, codec.Error("load", id, err)
}

// Change implements [storage.Store].
func (l *Store) Change(ctx context.Context, id string, f record.Transition) (record.Record, error) {
	var stored record.Record
	err := do(ctx, l.o.Update, func(t Table) (err error) {
		stored, err = l.change(t, id, f)
		return err
	})
	if err == nil {
		l.watchers.Tell(stored.Notify())
	}
	return stored, codec.Error("change", id, err)
}

// Due implements [storage.Store].
func (l *Store) Due(ctx context.Context, limit int) (storage.Batch, error) {
	var b storage.Batch
	err := do(ctx, l.o.View, func(t Table) error {
		found, next := l.past(t, index.Due, l.clock(), limit)
		b = storage.Batch{IDs: index.IDs(found), Now: l.o.Now(), Next: next}
		return nil
	})
	return b, codec.Error("due", "", err)
}

// Claim implements [storage.Store].
func (l *Store) Claim(ctx context.Context, lease time.Duration, limit int) (storage.Batch, error) {
	var b storage.Batch
	err := do(ctx, l.o.Update, func(t Table) (err error) {
		b, err = l.claim(t, lease, limit)
		return err
	})
	return b, codec.Error("claim", "", err)
}

// Scan implements [storage.Store].
func (l *Store) Scan(ctx context.Context, s storage.Scan) ([]record.Record, error) {
	var found []record.Record
	err := do(ctx, l.o.View, func(t Table) (err error) {
		found, err = l.scan(t, s)
		return err
	})
	return found, codec.Error("scan", "", err)
}

// Count implements [storage.Store].
func (l *Store) Count(ctx context.Context, tenant string) (n int, err error) {
	err = do(ctx, l.o.View, func(t Table) error {
		n = 0
		t.WalkTenant(tenant, index.Due, index.TenantPlace{}, func(index.TenantPlace) bool {
			n++
			return true
		})
		return nil
	})
	return n, codec.Error("count", "", err)
}

// Watch implements [storage.Store]. It returns nil when ctx is done.
func (l *Store) Watch(ctx context.Context, changed func(record.Notification)) error {
	return codec.Error("watch", "", l.watchers.Watch(ctx, changed))
}

// do runs an operation unless ctx is done.
func do(ctx context.Context, access func(func(Table) error) error, op func(Table) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return access(op)
}

func (l *Store) clock() codec.Micros { return codec.MicrosOf(l.o.Now()) }

// gone reports whether a row is past its retention without a delivery due.
func (l *Store) gone(r index.Row, now codec.Micros) bool {
	return r.At[index.Ended] != 0 && r.At[index.Ended] <= l.horizon(now) && r.At[index.DeliveryDue] == 0
}

// horizon returns the time of the end up to which records are past their retention.
func (l *Store) horizon(now codec.Micros) codec.Micros {
	return now - codec.Micros(l.o.Retention.Microseconds())
}

// purge drops the records that are gone.
func (l *Store) purge(t Table, now codec.Micros) error {
	var old []string
	t.Walk(index.Ended, index.Place{}, func(p index.Place) bool {
		if p.At > l.horizon(now) {
			return false
		}
		if r, _ := t.Get(p.ID); l.gone(r, now) {
			old = append(old, p.ID)
		}
		return true
	})
	for _, id := range old {
		r, _ := t.Get(id)
		if err := t.Drop(id, codec.TenantOf(r.Data), r); err != nil {
			return err
		}
	}
	return nil
}

func (l *Store) load(t Table, id string) (*codec.Entry, index.Row, error) {
	r, ok := t.Get(id)
	if !ok || l.gone(r, l.clock()) {
		return nil, index.Row{}, storage.ErrNotFound
	}
	e, err := l.o.Form.Decode(id, r.Data)
	return e, r, err
}

func (l *Store) create(t Table, r record.Record, f record.Transition) (record.Record, error) {
	now := l.clock()
	if err := l.purge(t, now); err != nil {
		return record.Record{}, err
	}
	switch e, _, err := l.load(t, r.ID); {
	case err == nil:
		return e.Rec, storage.ErrExists
	case !errors.Is(err, storage.ErrNotFound):
		return record.Record{}, err
	}
	next, err := codec.First(&r, f, now.Time())
	if err != nil {
		return r, codec.Refuse(err)
	}
	return next.Rec, l.save(t, &codec.Entry{}, index.Row{}, next)
}

func (l *Store) change(t Table, id string, f record.Transition) (record.Record, error) {
	now := l.clock()
	if err := l.purge(t, now); err != nil {
		return record.Record{}, err
	}
	old, at, err := l.load(t, id)
	if err != nil {
		return record.Record{}, err
	}
	next, err := old.Apply(f, now.Time())
	if err != nil {
		return old.Rec, codec.Refuse(err)
	}
	if err := l.save(t, old, at, next); err != nil {
		return record.Record{}, err
	}
	return next.Rec, nil
}

// save replaces old by next. An index changes only if its field did.
func (l *Store) save(t Table, old *codec.Entry, at index.Row, next *codec.Entry) error {
	data, err := l.o.Form.Encode(next)
	if err != nil {
		return err
	}
	to := index.Row{Data: data, At: at.At}
	for i := range index.Kinds {
		if m := i.Moment(&next.Rec); m != i.Moment(&old.Rec) {
			to.At[i] = m
		}
	}
	return t.Put(next.Rec.ID, next.Rec.Tenant, at, to)
}

// past returns the entries of an index up to now, and the time until the next.
func (l *Store) past(t Table, i index.Kind, now codec.Micros, limit int) ([]index.Place, time.Duration) {
	var found []index.Place
	next := time.Duration(-1)
	t.Walk(i, index.Place{}, func(p index.Place) bool {
		if p.At > now || len(found) == limit {
			next = p.At.Until(now)
			return false
		}
		found = append(found, p)
		return true
	})
	return found, next
}

func (l *Store) claim(t Table, lease time.Duration, limit int) (storage.Batch, error) {
	now := l.clock()
	found, next := l.past(t, index.DeliveryDue, now, limit)
	for _, p := range found {
		r, _ := t.Get(p.ID)
		moved := r
		moved.At[index.DeliveryDue] = now + codec.Micros(lease.Microseconds())
		if err := t.Put(p.ID, "", r, moved); err != nil { // The tenant index does not depend on it.
			return storage.Batch{}, err
		}
	}
	return storage.Batch{IDs: index.IDs(found), Now: l.o.Now(), Next: next}, nil
}

func (l *Store) scan(t Table, s storage.Scan) ([]record.Record, error) {
	var records []record.Record
	var failed error
	now := l.clock()
	see := func(id string) (more bool) {
		if !s.Wants(id) {
			return true
		}
		r, _ := t.Get(id)
		if l.gone(r, now) {
			return true
		}
		switch e, err := l.o.Form.Decode(id, r.Data); {
		case err == nil:
			records = append(records, e.Rec)
		case !s.Leaves(id, err):
			failed = fmt.Errorf("%s: %w", id, err)
		}
		return failed == nil && len(records) < s.Limit
	}
	i := index.Of(s)
	if s.Tenant != nil {
		from := index.TenantPlace{At: index.SecondOf(codec.MicrosOf(s.From)), ID: s.After}
		t.WalkTenant(*s.Tenant, i, from, func(p index.TenantPlace) bool { return p == from || see(p.ID) })
	} else {
		from := index.Place{At: codec.MicrosOf(s.From), ID: s.After}
		t.Walk(i, from, func(p index.Place) bool { return p == from || see(p.ID) })
	}
	return records, failed
}
