package redis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/internal/index"
	"github.com/askbridge/askbridge/test/redistest"
)

// trusts has the index of tenants looked through, as the first list of a process
// has.
func trusts(t testing.TB, r *Store) {
	t.Helper()
	r.mendTenants()
	r.tenants.looks.Wait()
	r.tenants.mu.Lock()
	defer r.tenants.mu.Unlock()
	if r.tenants.counts == nil {
		t.Fatal("the index of tenants could not be looked through")
	}
	r.tenants.next = time.Time{} // The next test need not wait.
}

// listed are the ids of a tenant's records, and whether they came from its own
// index.
func listed(t *testing.T, r *Store, tenant string, over bool) (ids []string, own bool) {
	t.Helper()
	i := index.Due
	if over {
		i = index.Ended
	}
	p, err := r.pageOfTenant(t.Context(), tenant, i, index.TenantPlace{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	records, err := r.Scan(t.Context(), storage.Scan{Tenant: &tenant, Ended: over, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		ids = append(ids, rec.ID)
	}
	slices.Sort(ids)
	return ids, p.trusted
}

// TestTenantListIncludesWritesOfOlderVersions plays a version that does not
// know the index of tenants, beside this one.
func TestTenantListIncludesWritesOfOlderVersions(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	// forgets takes out of the index what an older version would not have put in.
	forgets := func(id string) { r.client.ZRem(t.Context(), r.keys.index(id), tenantMember(id)) }
	// keeps puts back what it would have left behind.
	keeps := func(id string, do func()) {
		at := r.client.ZScore(t.Context(), r.keys.index(id), tenantMember(id)).Val()
		do()
		r.client.ZAdd(t.Context(), r.keys.index(id), goredis.Z{Score: at, Member: tenantMember(id)})
	}
	for n := range 6 {
		fixture.Must(t)(r.Create(t.Context(), fixture.Owned(fmt.Sprint("a", n), []string{"ops", "else"}[n%2]), fixture.DueInAnHour))
	}
	forgets("a0")
	forgets("a1")
	check := func(what string, open, over []string) {
		t.Helper()
		if got, _ := listed(t, r, "ops", false); !slices.Equal(got, open) {
			t.Errorf("%s: %v are open, want %v", what, got, open)
		}
		if got, _ := listed(t, r, "ops", true); !slices.Equal(got, over) {
			t.Errorf("%s: %v have ended, want %v", what, got, over)
		}
		if n, err := r.Count(t.Context(), "ops"); err != nil || n != len(open) {
			t.Errorf("%s: %d are open, %v, want %d", what, n, err, len(open))
		}
	}
	settles := func(what string, open, over []string) {
		t.Helper()
		check(what+", at once", open, over)
		trusts(t, r)
		check(what+", after a look", open, over)
		if _, own := listed(t, r, "ops", false); !own {
			t.Errorf("%s: the index is not used although it has been looked through", what)
		}
	}
	settles("what is there already", []string{"a0", "a2", "a4"}, nil)

	fixture.Must(t)(r.Create(t.Context(), fixture.Owned("a6", "ops"), fixture.DueInAnHour))
	forgets("a6")
	settles("an older version makes one", []string{"a0", "a2", "a4", "a6"}, nil)

	keeps("a2", func() { fixture.Must(t)(r.Change(t.Context(), "a2", fixture.Finish)) })
	settles("an older version ends one", []string{"a0", "a4", "a6"}, []string{"a2"})

	keeps("a4", func() {
		fixture.Must(t)(r.Change(t.Context(), "a4", func(r *record.Record, now time.Time) error { r.Due = now.Add(time.Minute); return nil }))
	})
	trusts(t, r)
	check("an older version moves one", []string{"a0", "a4", "a6"}, []string{"a2"})

	r.client.ZRem(t.Context(), r.keys.index("a2"), "ra2")
	r.client.Del(t.Context(), r.keys.record("a2"))
	settles("an older version drops one", []string{"a0", "a4", "a6"}, nil)
	if at := r.client.ZScore(t.Context(), r.keys.index("a2"), "ta2"); at.Err() == nil {
		t.Error("what an older version has dropped is still in the index")
	}

	// A member without a record, as a crash leaves it, is no reason to distrust.
	r.client.ZAdd(t.Context(), r.keys.index("a9"), goredis.Z{Score: float64(scoreOf(index.Due, codec.MicrosOf(time.Now().Add(time.Hour)))), Member: "ra9"})
	settles("a crash leaves a member", []string{"a0", "a4", "a6"}, nil)
}

func TestTenantsWithSameHashAreSeparate(t *testing.T) {
	t.Parallel()
	first, second := "tenant-0", ""
	for n := 1; second == ""; n++ {
		if name := fmt.Sprint("tenant-", n); tenantScore(name, index.Due, 7) == tenantScore(first, index.Due, 7) {
			second = name
		}
	}
	m, _ := mini(t)
	r := openRedis(t, Options{Addrs: []string{m.Addr()}})
	for n := range 10 {
		fixture.Must(t)(r.Create(t.Context(), fixture.Owned(fmt.Sprint("a", n), []string{first, second}[n%2]), fixture.DueInAnHour))
	}
	trusts(t, r)
	for n, tenant := range []string{first, second} {
		want := []string{"a0", "a2", "a4", "a6", "a8"}
		if n == 1 {
			want = []string{"a1", "a3", "a5", "a7", "a9"}
		}
		for _, limit := range []int{2, 100} {
			found, err := r.Scan(t.Context(), storage.Scan{Tenant: &tenant, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, rec := range found {
				got = append(got, rec.ID)
			}
			if !slices.Equal(got, want[:min(limit, len(want))]) {
				t.Errorf("%s sees %v, want %v", tenant, got, want)
			}
		}
		if least, err := r.Count(t.Context(), tenant); err != nil || least < len(want) {
			t.Errorf("%s has at least %d, %v", tenant, least, err)
		}
	}
}

func TestTrimRemovesTenantMembers(t *testing.T) {
	t.Parallel()
	m, advance := mini(t)
	start := time.Now()
	r := openRedis(t, Options{Addrs: []string{m.Addr()}})
	r.server.here = func() time.Time { return start }
	for n := range 3 {
		fixture.Must(t)(r.Create(t.Context(), fixture.Owned(fmt.Sprint("a", n), "ops"), fixture.DueInAnHour))
	}
	fixture.Must(t)(r.Change(t.Context(), "a0", fixture.Finish))
	advance(store.DefaultRetention + time.Hour)
	for range 2 { // The first look learns the time, the second one trims.
		if _, err := r.Due(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
	}
	members, err := r.client.ZRange(t.Context(), r.keys.index("a0"), 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(members)
	if got := strings.Join(members, " "); got != "ra1 ra2 ta1 ta2" {
		t.Errorf("left are %s", got)
	}
}

func TestTenantScoresAreExactAndDisjoint(t *testing.T) {
	t.Parallel()
	below, _ := spanOf(index.DeliveryDue)
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		at, i := index.Second(random.Uint32()), []index.Kind{index.Due, index.Ended}[random.IntN(2)]
		score := tenantScore(fmt.Sprint(random.Uint32()), i, at)
		if int64(float64(score)) != score {
			t.Fatalf("%d is no exact score", score)
		}
		if gotI, gotAt := readTenantScore(score); gotI != i || gotAt != at {
			t.Fatalf("%d of index %d at %d is read as index %d at %d", score, i, at, gotI, gotAt)
		}
		if least := fmt.Sprint(score); len(least) < len(below) || score > int64(shiftOf(index.DeliveryDue)) {
			t.Fatalf("%d stands among the records that are delivery due, from %s on", score, below)
		}
	}
	for _, i := range []index.Kind{index.Due, index.Ended} {
		first, last := tenantSpan(i)
		if first >= last || tenantScore("ops", i, 7) >= tenantScore("ops", i, 8) {
			t.Errorf("index %d is not in order", i)
		}
	}
	if _, last := tenantSpan(index.Ended); last >= fromStep(index.Due, 0) {
		t.Error("the indexes overlap")
	}
}
