package bridgetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// spread returns ids whose first characters differ, so that a store with
// partitions uses many of them.
func spread(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%c%03d", 'a'+i%16, i)
	}
	return all
}

func dueNow(t *testing.T, s storage.Store, limit int) storage.Batch {
	t.Helper()
	batch, err := s.Due(t.Context(), limit)
	if err != nil {
		t.Fatalf("due: %v", err)
	}
	return batch
}

func claim(t *testing.T, s storage.Store, lease time.Duration, limit int) storage.Batch {
	t.Helper()
	batch, err := s.Claim(t.Context(), lease, limit)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return batch
}

func scan(t *testing.T, s storage.Store, q storage.Scan) []record.Record {
	t.Helper()
	found, err := s.Scan(t.Context(), q)
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	return found
}

// between checks a duration that the store's clock has eaten a little of.
func between(t *testing.T, what string, got, least, most time.Duration) {
	t.Helper()
	if got < least || got > most {
		t.Errorf("%s: %v, want %v to %v", what, got, least, most)
	}
}

func dueInOrder(t *testing.T, b *Backend) {
	if batch := dueNow(t, b.Store, 10); len(batch.IDs) != 0 || batch.Next >= 0 {
		t.Errorf("empty store: %+v, want none and a negative Next", batch)
	}
	create(t, b.Store, "m1", func(r *record.Record, _ time.Time) error { r.Due = record.Forever; return nil })
	if batch := dueNow(t, b.Store, 10); len(batch.IDs) != 0 || batch.Next < 24*time.Hour {
		t.Errorf("due for ever: %+v, want none and a Next far away", batch)
	}
	before := create(t, b.Store, "k1", dueIn(time.Hour))
	create(t, b.Store, "c1", dueIn(-1*time.Second))
	create(t, b.Store, "a1", dueIn(-3*time.Minute))
	create(t, b.Store, "p1", dueIn(-2*time.Minute))
	create(t, b.Store, "a2", dueIn(0))
	batch := dueNow(t, b.Store, 10)
	same(t, "due", batch.IDs, []string{"a1", "p1", "c1", "a2"})
	between(t, "next", batch.Next, 58*time.Minute, time.Hour)
	between(t, "the store's time", batch.Now.Sub(before.Changed), 0, time.Minute)

	batch = dueNow(t, b.Store, 2)
	same(t, "first two", batch.IDs, []string{"a1", "p1"})
	between(t, "next of more that is due", batch.Next, 0, 0)
	same(t, "due looks only", dueNow(t, b.Store, 10).IDs, []string{"a1", "p1", "c1", "a2"})
}

func dueFollows(t *testing.T, b *Backend) {
	create(t, b.Store, "a1", dueIn(-time.Minute))
	create(t, b.Store, "b1", dueIn(-time.Minute))
	create(t, b.Store, "c1", dueIn(-time.Minute))
	change(t, b.Store, "a1", dueIn(time.Hour))
	change(t, b.Store, "b1", end)
	same(t, "due", dueNow(t, b.Store, 10).IDs, []string{"c1"})
	change(t, b.Store, "a1", dueIn(-time.Hour))
	same(t, "due", dueNow(t, b.Store, 10).IDs, []string{"a1", "c1"})
	change(t, b.Store, "c1", func(r *record.Record, _ time.Time) error { r.Due = time.Time{}; return nil })
	change(t, b.Store, "a1", end)
	if batch := dueNow(t, b.Store, 10); len(batch.IDs) != 0 || batch.Next >= 0 {
		t.Errorf("all taken out: %+v", batch)
	}
}

func claimLeased(t *testing.T, b *Backend) {
	if batch := claim(t, b.Store, time.Minute, 10); len(batch.IDs) != 0 || batch.Next >= 0 {
		t.Errorf("empty store: %+v, want none and a negative Next", batch)
	}
	create(t, b.Store, "c1", lagIn(-time.Second))
	create(t, b.Store, "a1", lagIn(-3*time.Second))
	create(t, b.Store, "b1", lagIn(-2*time.Second))
	create(t, b.Store, "d1", lagIn(time.Hour))
	create(t, b.Store, "e1", dueIn(-time.Hour))
	before := load(t, b.Store, "a1")

	batch := claim(t, b.Store, 10*time.Minute, 2)
	same(t, "claimed", batch.IDs, []string{"a1", "b1"})
	between(t, "the store's time", batch.Now.Sub(before.Changed), 0, time.Minute)
	between(t, "next, which is due", batch.Next, 0, 0)
	batch = claim(t, b.Store, 10*time.Minute, 10)
	same(t, "claimed next", batch.IDs, []string{"c1"})
	between(t, "next, a lease", batch.Next, 9*time.Minute, 10*time.Minute)
	same(t, "claimed again", claim(t, b.Store, 10*time.Minute, 10).IDs, []string(nil))
	same(t, "a claim leaves the record alone", load(t, b.Store, "a1"), before)

	create(t, b.Store, "f1", lagIn(0))
	same(t, "short lease", claim(t, b.Store, 5*time.Millisecond, 10).IDs, []string{"f1"})
	eventually(t, "the lease to run out", func() bool {
		if b.Advance != nil {
			b.Advance(5 * time.Millisecond)
		}
		return slices.Equal(claim(t, b.Store, time.Minute, 10).IDs, []string{"f1"})
	})
}

func claimStands(t *testing.T, b *Backend) {
	create(t, b.Store, "a1", lagIn(0))
	same(t, "claimed", claim(t, b.Store, 10*time.Minute, 10).IDs, []string{"a1"})
	change(t, b.Store, "a1", count)
	change(t, b.Store, "a1", dueIn(time.Hour))
	same(t, "after unrelated changes", claim(t, b.Store, 10*time.Minute, 10).IDs, []string(nil))
	change(t, b.Store, "a1", lagIn(-time.Minute))
	same(t, "after its field changed", claim(t, b.Store, 10*time.Minute, 10).IDs, []string{"a1"})
	change(t, b.Store, "a1", func(r *record.Record, _ time.Time) error { r.DeliveryDue = time.Time{}; return nil })
	if batch := claim(t, b.Store, 10*time.Minute, 10); len(batch.IDs) != 0 || batch.Next >= 0 {
		t.Errorf("done: %+v, want none and a negative Next", batch)
	}
}

func claimCompeting(t *testing.T, b *Backend) {
	handles := []storage.Store{b.Store}
	if b.Another != nil {
		handles = append(handles, b.Another(t))
	}
	all := spread(40)
	for _, id := range all {
		create(t, b.Store, id, lagIn(-time.Second))
	}
	var (
		mu    sync.Mutex
		taken []string
		group sync.WaitGroup
	)
	for w := range 4 {
		group.Go(func() {
			for {
				batch, err := handles[w%len(handles)].Claim(t.Context(), time.Hour, 7)
				if err != nil {
					t.Errorf("claim: %v", err)
					return
				}
				if len(batch.IDs) == 0 && batch.Next != 0 {
					return
				}
				mu.Lock()
				taken = append(taken, batch.IDs...)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	slices.Sort(taken)
	slices.Sort(all)
	same(t, "each taken once", taken, all)
}

// pages scans in pages and returns the ids seen.
func pages(t *testing.T, s storage.Store, q storage.Scan, at func(record.Record) time.Time) []string {
	t.Helper()
	var seen []string
	for range 1000 {
		page := scan(t, s, q)
		if len(page) == 0 {
			return seen
		}
		if len(page) > q.Limit {
			t.Fatalf("a page of %d, limit %d", len(page), q.Limit)
		}
		for _, r := range page {
			seen = append(seen, r.ID)
			q.From, q.After = at(r), r.ID
		}
	}
	t.Fatal("the scan does not end")
	return nil
}

func byDue(r record.Record) time.Time   { return r.Due }
func byEnded(r record.Record) time.Time { return r.EndedAt }

func scanOpen(t *testing.T, b *Backend) {
	base := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	all := spread(50)
	want := map[time.Time][]string{}
	for i, id := range all {
		at := base.Add(time.Duration(i/12) * time.Microsecond)
		if i >= 30 {
			at = record.Forever
		}
		want[at] = append(want[at], id)
		create(t, b.Store, id, func(r *record.Record, _ time.Time) error { r.Due = at; return nil })
	}
	create(t, b.Store, "z9", end)
	var order []string
	for _, at := range []time.Time{base, base.Add(time.Microsecond), base.Add(2 * time.Microsecond), record.Forever} {
		slices.Sort(want[at])
		order = append(order, want[at]...)
	}
	for _, limit := range []int{1, 3, 7, 50, 100} {
		got := pages(t, b.Store, storage.Scan{Limit: limit}, byDue)
		same(t, fmt.Sprintf("pages of %d", limit), got, order)
	}
	from := pages(t, b.Store, storage.Scan{From: base.Add(time.Microsecond), Limit: 9}, byDue)
	same(t, "from a moment", from, order[12:])
	after := pages(t, b.Store, storage.Scan{From: base, After: "zzz", Limit: 9}, byDue)
	same(t, "after a tie that is not there", after, order[12:])
	change(t, b.Store, order[5], end)
	resumed := pages(t, b.Store, storage.Scan{From: base, After: order[5], Limit: 4}, byDue)
	same(t, "after a tie that has gone", resumed, order[6:])
	odd := func(id string) bool { return slices.Index(order, id)%2 == 1 }
	some := slices.DeleteFunc(slices.Clone(order), func(id string) bool { return !odd(id) || id == order[5] })
	for _, limit := range []int{1, 4, 100} {
		same(t, "some of them", pages(t, b.Store, storage.Scan{Only: odd, Limit: limit}, byDue), some)
	}
	none := func(string) bool { return false }
	same(t, "none of them", scan(t, b.Store, storage.Scan{Only: none, Limit: 5}), []record.Record(nil))
	got := scan(t, b.Store, storage.Scan{Limit: 1})
	same(t, "whole record", got, []record.Record{load(t, b.Store, order[0])})
}

func scanEnded(t *testing.T, b *Backend) {
	all := spread(20)
	for _, id := range all {
		create(t, b.Store, id, dueIn(time.Hour))
	}
	same(t, "none ended", scan(t, b.Store, storage.Scan{Ended: true, Limit: 5}), []record.Record(nil))
	order := slices.Clone(all[:15])
	slices.SortFunc(order, func(x, y string) int { return strings.Compare(y, x) })
	var tie time.Time
	for i, id := range order {
		change(t, b.Store, id, func(r *record.Record, now time.Time) error {
			if i%3 == 0 || tie.IsZero() {
				tie = now
			}
			if err := end(r, now); err != nil {
				return err
			}
			r.EndedAt = tie
			return nil
		})
	}
	records := make([]record.Record, len(order))
	for i, id := range order {
		records[i] = load(t, b.Store, id)
	}
	slices.SortFunc(records, func(x, y record.Record) int {
		if c := x.EndedAt.Compare(y.EndedAt); c != 0 {
			return c
		}
		return strings.Compare(x.ID, y.ID)
	})
	for i, r := range records {
		order[i] = r.ID
	}
	for _, limit := range []int{1, 4, 100} {
		same(t, fmt.Sprintf("pages of %d", limit), pages(t, b.Store, storage.Scan{Ended: true, Limit: limit}, byEnded), order)
	}
	if open := scan(t, b.Store, storage.Scan{Limit: 100}); len(open) != 5 {
		t.Errorf("%d open records left, want 5", len(open))
	}
}
