package bridgetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// tenants are those of the records that the tests make, one after the other. One
// tenant has no name, and one's name begins like that of another.
var tenants = []string{"ops", "", "ops-two", "a\x00b"}

// owned creates a record of a tenant.
func owned(t *testing.T, s storage.Store, id, tenant string, f record.Transition) record.Record {
	t.Helper()
	r := sample(id)
	r.Tenant = tenant
	r, err := s.Create(t.Context(), r, f)
	if err != nil {
		t.Fatalf("create %s: %v", id, err)
	}
	return r
}

func counted(t *testing.T, s storage.Store, tenant string) int {
	t.Helper()
	n, err := s.Count(t.Context(), tenant)
	if err != nil {
		t.Fatalf("count %q: %v", tenant, err)
	}
	return n
}

// bySecond are ids in the order of a tenant's scan.
func bySecond(records []record.Record, at func(record.Record) time.Time) []string {
	const latest = 1<<32 - 1
	slices.SortFunc(records, func(a, b record.Record) int {
		return cmp.Or(cmp.Compare(min(at(a).Unix(), latest), min(at(b).Unix(), latest)), cmp.Compare(a.ID, b.ID))
	})
	ids := make([]string, len(records))
	for n, r := range records {
		ids[n] = r.ID
	}
	return ids
}

func scanTenant(t *testing.T, b *Backend) {
	base := time.Now().Add(time.Hour).Truncate(time.Second)
	made := map[string][]record.Record{}
	for i, id := range spread(96) {
		at := base.Add(time.Duration(95-i) * 200 * time.Millisecond)
		if i%5 == 0 {
			at = record.Forever
		}
		tenant := tenants[i%len(tenants)]
		made[tenant] = append(made[tenant], owned(t, b.Store, id, tenant, func(r *record.Record, _ time.Time) error {
			r.Due = at
			return nil
		}))
	}
	for _, tenant := range tenants {
		want := bySecond(made[tenant], byDue)
		for _, limit := range []int{1, 5, 100} {
			got := pages(t, b.Store, storage.Scan{Tenant: &tenant, Limit: limit}, byDue)
			same(t, fmt.Sprintf("open records of %q in pages of %d", tenant, limit), got, want)
		}
		if n := counted(t, b.Store, tenant); n != len(want) {
			t.Errorf("%d open records of %q, want %d", n, tenant, len(want))
		}
	}
	if n := counted(t, b.Store, "nobody"); n != 0 {
		t.Errorf("%d open records of an unknown tenant", n)
	}
	unknown := "nobody"
	same(t, "records of an unknown tenant", scan(t, b.Store, storage.Scan{Tenant: &unknown, Limit: 10}), []record.Record(nil))
}

func tenantFollows(t *testing.T, b *Backend) {
	var ended []record.Record
	for i, id := range spread(40) {
		owned(t, b.Store, id, tenants[i%2], dueIn(time.Hour))
		if i%4 < 2 {
			continue
		}
		if r := change(t, b.Store, id, end); i%2 == 0 {
			ended = append(ended, r)
		}
	}
	mine := tenants[0]
	for _, limit := range []int{1, 3, 100} {
		got := pages(t, b.Store, storage.Scan{Ended: true, Tenant: &mine, Limit: limit}, byEnded)
		same(t, fmt.Sprintf("ended records in pages of %d", limit), got, bySecond(ended, byEnded))
	}
	if n := counted(t, b.Store, mine); n != 10 {
		t.Errorf("%d are open, want 10", n)
	}
	open := scan(t, b.Store, storage.Scan{Tenant: &mine, Limit: 100})
	last := open[len(open)-1].ID
	change(t, b.Store, last, dueIn(time.Minute))
	if first := scan(t, b.Store, storage.Scan{Tenant: &mine, Limit: 1}); first[0].ID != last {
		t.Errorf("%s is first, want %s, which is due before", first[0].ID, last)
	}
	change(t, b.Store, last, func(r *record.Record, _ time.Time) error { r.Due = time.Time{}; return nil })
	if n := counted(t, b.Store, mine); n != 9 {
		t.Errorf("%d are open and due, want 9", n)
	}
	if b.Advance == nil {
		return
	}
	b.Advance(b.Retention)
	if got := scan(t, b.Store, storage.Scan{Ended: true, Tenant: &mine, Limit: 100}); len(got) != 0 {
		t.Errorf("%d ended records are listed when their time is over", len(got))
	}
	change(t, b.Store, last, dueIn(time.Hour))
	change(t, b.Store, last, end)
	got := scan(t, b.Store, storage.Scan{Ended: true, Tenant: &mine, Limit: 100})
	same(t, "what has ended since", got, []record.Record{load(t, b.Store, last)})
}
