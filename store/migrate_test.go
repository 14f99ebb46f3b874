package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/store/redis"
	"github.com/askbridge/askbridge/test/redistest"
)

// inhabited fills a store with requests in every state and returns them.
func inhabited(t *testing.T, s storage.Store) map[string]record.Record {
	t.Helper()
	want := map[string]record.Record{}
	for i := range 450 {
		id := fmt.Sprintf("%c%03d", 'a'+i%16, i)
		r := fixture.Must(t)(s.Create(t.Context(), fixture.Plain(id), func(r *record.Record, now time.Time) error {
			switch i % 4 {
			case 0:
				r.Due = record.Forever
			case 1:
				r.DeliveryDue = now.Add(-time.Second)
				return fixture.DueInAnHour(r, now)
			default:
				return fixture.DueInAnHour(r, now)
			}
			return nil
		}))
		if i%3 == 0 {
			r = fixture.Must(t)(s.Change(t.Context(), id, func(r *record.Record, _ time.Time) error {
				r.Drafts = map[string]ask.Draft{"slack:U1": {0: {Selected: []int{1}, Order: 7}}}
				return nil
			}))
		}
		if i%5 == 0 {
			r = fixture.Must(t)(s.Change(t.Context(), id, fixture.Finish))
		}
		want[id] = r
	}
	return want
}

// sameRecords checks that migrated records are equal except for version and storage time.
func sameRecords(t *testing.T, s storage.Store, want map[string]record.Record) {
	t.Helper()
	for id, r := range want {
		got, err := s.Load(t.Context(), id)
		if diff := cmp.Diff(r, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(record.Record{}, "Version", "Changed")); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", id, err, diff)
		}
	}
	open, ended := 0, 0
	for _, r := range want {
		if r.Open() {
			open++
		} else {
			ended++
		}
	}
	for over, n := range map[bool]int{false: open, true: ended} {
		if found, err := s.Scan(t.Context(), storage.Scan{Ended: over, Limit: 1000}); err != nil || len(found) != n {
			t.Errorf("ended %v: a scan finds %d, %v; want %d", over, len(found), err, n)
		}
	}
}

func TestMigrateMovesEverythingOnce(t *testing.T) {
	t.Parallel()
	from, err := file.Open(filepath.Join(t.TempDir(), "askbridge.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	want := inhabited(t, from)
	to, err := redis.Open(t.Context(), redis.Options{Addrs: []string{redistest.Start(t).Addr}, Layout: redis.Layout{Partitions: 5}})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	n, err := store.Migrate(t.Context(), from, to, nil)
	if err != nil || n != len(want) {
		t.Fatalf("%d moved, %v; want %d", n, err, len(want))
	}
	sameRecords(t, to, want)
	claimed, err := to.Claim(t.Context(), time.Hour, 1000)
	if err != nil || len(claimed.IDs) == 0 {
		t.Errorf("claim: %d, %v; want those that lag", len(claimed.IDs), err)
	}

	// A second migration keeps the changes made in the new store.
	answered := fixture.Must(t)(to.Change(t.Context(), "b001", fixture.Finish))
	if n, err := store.Migrate(t.Context(), from, to, nil); err != nil || n != 0 {
		t.Errorf("again: %d moved, %v; want none", n, err)
	}
	fixture.Equal(t, "answered since", fixture.Must(t)(to.Load(t.Context(), "b001")), answered)

	back := memory.New()
	if n, err := store.Migrate(t.Context(), to, back, nil); err != nil || n != len(want) {
		t.Errorf("back: %d moved, %v; want %d", n, err, len(want))
	}
}

// failing is a store that rejects writes after some records.
type failing struct {
	storage.Store
	left int
}

func (f *failing) Create(ctx context.Context, r record.Record, t record.Transition) (record.Record, error) {
	if f.left--; f.left < 0 {
		return record.Record{}, fmt.Errorf("create: %w", storage.ErrUnavailable)
	}
	return f.Store.Create(ctx, r, t)
}

func TestMigrateResumes(t *testing.T) {
	t.Parallel()
	from, to := memory.New(), memory.New()
	want := inhabited(t, from)
	n, err := store.Migrate(t.Context(), from, &failing{to, 273}, nil)
	if n != 273 || !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), "after 273 records") {
		t.Fatalf("%d moved, %v; want 273 and the reason", n, err)
	}
	if n, err := store.Migrate(t.Context(), from, to, nil); err != nil || n != len(want)-273 {
		t.Errorf("%d moved, %v; want the other %d", n, err, len(want)-273)
	}
	sameRecords(t, to, want)
}

func TestMigrateMovesValuesOnce(t *testing.T) {
	t.Parallel()
	from, to := memory.New().KeyValue(), memory.New().KeyValue()
	put := func(s keyvalue.Store, id, value string, ttl time.Duration) {
		t.Helper()
		k := keyvalue.Key{Kind: "token", Tenant: "ops", ID: id}
		if _, err := s.Put(t.Context(), k, []byte(value), &keyvalue.PutOptions{TTL: ttl}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 450 {
		put(from, fmt.Sprint(i), fmt.Sprint("value ", i), time.Duration(i%2)*time.Hour)
	}
	put(to, "7", "newer", 0)
	n, err := store.MigrateValues(t.Context(), from, to, nil)
	if err != nil || n != 449 {
		t.Errorf("%d moved, %v; want all but one", n, err)
	}
	if n, err := store.MigrateValues(t.Context(), from, to, nil); err != nil || n != 0 {
		t.Errorf("again: %d moved, %v; want none", n, err)
	}
	for i := range 450 {
		want := fmt.Sprint("value ", i)
		if i == 7 {
			want = "newer"
		}
		e, err := to.Get(t.Context(), keyvalue.Key{Kind: "token", Tenant: "ops", ID: fmt.Sprint(i)})
		if lives := time.Until(e.Expires); err != nil || string(e.Value) != want || i%2 == 0 && !e.Expires.IsZero() || i%2 == 1 && i != 7 && (lives <= 0 || lives > time.Hour) {
			t.Errorf("%d: %+v, %v", i, e, err)
		}
	}
}
