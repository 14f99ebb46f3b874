package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// DefaultRetention is how long a store keeps a record after its end.
const DefaultRetention = 7 * 24 * time.Hour

// which names an index.
type which int

const (
	due which = iota
	deliveryDue
	ended
	indexes
)

// moment returns the field of r that the index is ordered by. A record that has
// ended is never due.
func (i which) moment(r *bridge.Record) micros {
	switch {
	case i == deliveryDue:
		return toMicros(r.DeliveryDue)
	case i == ended:
		return toMicros(r.EndedAt)
	case !r.EndedAt.IsZero():
		return 0
	}
	return toMicros(r.Due)
}

// scanned is the index that a scan reads.
func scanned(s bridge.Scan) which {
	if s.Ended {
		return ended
	}
	return due
}

// row is an encoded record and where it stands in each index; zero is nowhere.
// A claim moves the place in delivery due without touching the record.
type row struct {
	data []byte
	at   [indexes]micros
}

// place is one entry of an index.
type place struct {
	at micros
	id string
}

// table is what [Memory] and [File] keep rows in: maps, or one transaction on
// a file.
type table interface {
	// get returns the row of an id, if there is one.
	get(id string) (row, bool)
	// put replaces the row old (the zero row when there was none) of a tenant's
	// record by next and keeps the indexes in step.
	put(id, tenant string, old, next row) error
	// drop removes the row old of a tenant's record and its index entries.
	drop(id, tenant string, old row) error
	// walk shows the entries of an index at and after from, in order, until
	// see returns false. The table must not be changed meanwhile.
	walk(i which, from place, see func(place) bool)
	// walkTenant does the same with the due or the ended records of one tenant, at
	// full seconds.
	walkTenant(tenant string, i which, from tenantPlace, see func(tenantPlace) bool)
}

// local is a store of one process, written once for every kind of table. Its
// clock is the process's own.
type local struct {
	// view and update give access to the table, update to change it. What fails
	// in an update changes nothing. They return bridge.ErrClosed once the store
	// is closed.
	view, update func(op func(table) error) error
	retention    time.Duration
	// now is the store's clock. Tests move it.
	now func() time.Time
	*watchers
}

func newLocal(retention time.Duration, view, update func(func(table) error) error) local {
	if retention <= 0 {
		retention = DefaultRetention
	}
	return local{view: view, update: update, retention: retention, now: time.Now, watchers: newWatchers()}
}

// Create implements [bridge.Store].
func (l *local) Create(ctx context.Context, r bridge.Record, f bridge.Transition) (bridge.Record, error) {
	stored := r
	err := l.do(ctx, l.update, func(t table) (err error) {
		stored, err = l.create(t, r, f)
		return err
	})
	if err == nil {
		l.tell(stored.Notify())
	}
	return stored, outcome("create", r.ID, err)
}

// Load implements [bridge.Store].
func (l *local) Load(ctx context.Context, id string) (bridge.Record, error) {
	var r bridge.Record
	err := l.do(ctx, l.view, func(t table) error {
		e, _, err := l.load(t, id)
		if err == nil {
			r = e.rec
		}
		return err
	})
	return r, outcome("load", id, err)
}

// Change implements [bridge.Store].
func (l *local) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	var stored bridge.Record
	err := l.do(ctx, l.update, func(t table) (err error) {
		stored, err = l.change(t, id, f)
		return err
	})
	if err == nil {
		l.tell(stored.Notify())
	}
	return stored, outcome("change", id, err)
}

// Due implements [bridge.Store].
func (l *local) Due(ctx context.Context, limit int) (bridge.Batch, error) {
	var b bridge.Batch
	err := l.do(ctx, l.view, func(t table) error {
		found, next := l.past(t, due, l.clock(), limit)
		b = bridge.Batch{IDs: ids(found), Now: l.now(), Next: next}
		return nil
	})
	return b, outcome("due", "", err)
}

// Claim implements [bridge.Store].
func (l *local) Claim(ctx context.Context, lease time.Duration, limit int) (bridge.Batch, error) {
	var b bridge.Batch
	err := l.do(ctx, l.update, func(t table) (err error) {
		b, err = l.claim(t, lease, limit)
		return err
	})
	return b, outcome("claim", "", err)
}

// Scan implements [bridge.Store].
func (l *local) Scan(ctx context.Context, s bridge.Scan) ([]bridge.Record, error) {
	var found []bridge.Record
	err := l.do(ctx, l.view, func(t table) (err error) {
		found, err = l.scan(t, s)
		return err
	})
	return found, outcome("scan", "", err)
}

// Count implements [bridge.Store].
func (l *local) Count(ctx context.Context, tenant string) (n int, err error) {
	err = l.do(ctx, l.view, func(t table) error {
		n = 0
		t.walkTenant(tenant, due, tenantPlace{}, func(tenantPlace) bool {
			n++
			return true
		})
		return nil
	})
	return n, outcome("count", "", err)
}

// Watch implements [bridge.Store]. It returns nil when ctx has ended.
func (l *local) Watch(ctx context.Context, changed func(bridge.Notification)) error {
	return outcome("watch", "", l.watch(ctx, changed))
}

func (l *local) do(ctx context.Context, access func(func(table) error) error, op func(table) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return access(op)
}

func (l *local) clock() micros { return toMicros(l.now()) }

// gone reports whether a row has outlived its retention.
func (l *local) gone(r row, now micros) bool {
	return r.at[ended] != 0 && r.at[ended] <= l.horizon(now)
}

// horizon is the end before which finished records are dropped.
func (l *local) horizon(now micros) micros { return now - micros(l.retention.Microseconds()) }

// purge drops the records that have outlived their retention.
func (l *local) purge(t table, now micros) error {
	var old []string
	t.walk(ended, place{}, func(p place) bool {
		if p.at > l.horizon(now) {
			return false
		}
		old = append(old, p.id)
		return true
	})
	for _, id := range old {
		r, _ := t.get(id)
		if err := t.drop(id, tenantOf(r.data), r); err != nil {
			return err
		}
	}
	return nil
}

func (l *local) load(t table, id string) (*entry, row, error) {
	r, ok := t.get(id)
	if !ok || l.gone(r, l.clock()) {
		return nil, row{}, bridge.ErrNotFound
	}
	e, err := decode(id, r.data)
	return e, r, err
}

func (l *local) create(t table, r bridge.Record, f bridge.Transition) (bridge.Record, error) {
	now := l.clock()
	if err := l.purge(t, now); err != nil {
		return bridge.Record{}, err
	}
	switch e, _, err := l.load(t, r.ID); {
	case err == nil:
		return e.rec, bridge.ErrExists
	case !errors.Is(err, bridge.ErrNotFound):
		return bridge.Record{}, err
	}
	next, err := first(&r, f, now.time())
	if err != nil {
		return r, refusal{err}
	}
	return next.rec, l.save(t, &entry{}, row{}, next)
}

func (l *local) change(t table, id string, f bridge.Transition) (bridge.Record, error) {
	now := l.clock()
	if err := l.purge(t, now); err != nil {
		return bridge.Record{}, err
	}
	old, at, err := l.load(t, id)
	if err != nil {
		return bridge.Record{}, err
	}
	next, err := old.apply(f, now.time())
	if err != nil {
		return old.rec, refusal{err}
	}
	if err := l.save(t, old, at, next); err != nil {
		return bridge.Record{}, err
	}
	return next.rec, nil
}

// save puts next in place of old. An index moves only when its field did.
func (l *local) save(t table, old *entry, at row, next *entry) error {
	data, err := encode(next)
	if err != nil {
		return err
	}
	to := row{data: data, at: at.at}
	for i := range indexes {
		if m := i.moment(&next.rec); m != i.moment(&old.rec) {
			to.at[i] = m
		}
	}
	return t.put(next.rec.ID, next.rec.Tenant, at, to)
}

// past returns the places of an index up to now, and how long until the next.
func (l *local) past(t table, i which, now micros, limit int) ([]place, time.Duration) {
	var found []place
	next := time.Duration(-1)
	t.walk(i, place{}, func(p place) bool {
		if p.at > now || len(found) == limit {
			next = p.at.until(now)
			return false
		}
		found = append(found, p)
		return true
	})
	return found, next
}

func (l *local) claim(t table, lease time.Duration, limit int) (bridge.Batch, error) {
	now := l.clock()
	found, next := l.past(t, deliveryDue, now, limit)
	for _, p := range found {
		r, _ := t.get(p.id)
		moved := r
		moved.at[deliveryDue] = now + micros(lease.Microseconds())
		if err := t.put(p.id, "", r, moved); err != nil { // No tenant's index holds what is due for delivery.
			return bridge.Batch{}, err
		}
	}
	return bridge.Batch{IDs: ids(found), Now: l.now(), Next: next}, nil
}

func (l *local) scan(t table, s bridge.Scan) ([]bridge.Record, error) {
	var found []string
	if s.Tenant != nil {
		found = l.listTenant(t, s)
	} else {
		found = l.list(t, s)
	}
	records := make([]bridge.Record, 0, len(found))
	for _, id := range found {
		r, _ := t.get(id)
		e, err := decode(id, r.data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		records = append(records, e.rec)
	}
	return records, nil
}

// listTenant returns the ids that a scan of one tenant wants.
func (l *local) listTenant(t table, s bridge.Scan) (found []string) {
	i, now := scanned(s), l.clock()
	from := tenantPlace{at: secondOf(toMicros(s.From)), id: s.After}
	t.walkTenant(*s.Tenant, i, from, func(p tenantPlace) bool {
		if r, _ := t.get(p.id); p != from && !l.gone(r, now) {
			found = append(found, p.id)
		}
		return len(found) < s.Limit
	})
	return found
}

// list returns the ids that a scan of all tenants wants.
func (l *local) list(t table, s bridge.Scan) []string {
	i, from := scanned(s), place{at: toMicros(s.From), id: s.After}
	if i == ended {
		if least := l.horizon(l.clock()) + 1; from.at < least {
			from = place{at: least}
		}
	}
	var found []place
	t.walk(i, from, func(p place) bool {
		if p != from {
			found = append(found, p)
		}
		return len(found) < s.Limit
	})
	return ids(found)
}

func ids(places []place) []string {
	all := make([]string, len(places))
	for i, p := range places {
		all[i] = p.id
	}
	return all
}

// refusal is the error of a transition, which is passed on as it is.
type refusal struct{ error }

// outcome says what happened in the words of the package's edge.
func outcome(op, id string, err error) error {
	var no refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &no):
		return no.error
	case errors.Is(err, bridge.ErrExists):
		return bridge.ErrExists
	case id == "":
		return fmt.Errorf("store: %s: %w", op, err)
	}
	return fmt.Errorf("store: %s %s: %w", op, id, err)
}
