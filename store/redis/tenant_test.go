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

// repairTenants repairs the tenant index, as the first list of a process does.
func repairTenants(t testing.TB, r *Store) {
	t.Helper()
	r.tenants.repairLater()
	r.tenants.repairs.Wait()
	r.tenants.mu.Lock()
	defer r.tenants.mu.Unlock()
	if r.tenants.counts == nil {
		t.Fatal("the tenant index could not be repaired")
	}
	r.tenants.next = time.Time{} // The next test need not wait.
}

// listed returns the IDs of a tenant's records, and whether the tenant index is trusted.
func listed(t *testing.T, r *Store, tenant string, ended bool) (ids []string, trusted bool) {
	t.Helper()
	i := index.Due
	if ended {
		i = index.Ended
	}
	p, err := r.tenants.page(t.Context(), tenant, i, index.TenantPlace{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	records, err := r.Scan(t.Context(), storage.Scan{Tenant: &tenant, Ended: ended, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		ids = append(ids, rec.ID)
	}
	slices.Sort(ids)
	return ids, p.trusted
}

// TestTenantListIncludesWritesOfOlderVersions simulates a version without the tenant index that runs at the
// same time.
func TestTenantListIncludesWritesOfOlderVersions(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	// unindex removes the member that an older version would not have added.
	unindex := func(id string) { r.conn.client.ZRem(t.Context(), r.keys.index(id), tenantMember(id)) }
	// keepIndex restores the member that it would have left unchanged.
	keepIndex := func(id string, do func()) {
		at := r.conn.client.ZScore(t.Context(), r.keys.index(id), tenantMember(id)).Val()
		do()
		r.conn.client.ZAdd(t.Context(), r.keys.index(id), goredis.Z{Score: at, Member: tenantMember(id)})
	}
	for n := range 6 {
		fixture.Must(t)(r.Create(t.Context(), fixture.Owned(fmt.Sprint("a", n), []string{"ops", "else"}[n%2]), fixture.DueInAnHour))
	}
	unindex("a0")
	unindex("a1")
	check := func(what string, open, ended []string) {
		t.Helper()
		if got, _ := listed(t, r, "ops", false); !slices.Equal(got, open) {
			t.Errorf("%s: %v are open, want %v", what, got, open)
		}
		if got, _ := listed(t, r, "ops", true); !slices.Equal(got, ended) {
			t.Errorf("%s: %v have ended, want %v", what, got, ended)
		}
		if n, err := r.Count(t.Context(), "ops"); err != nil || n != len(open) {
			t.Errorf("%s: %d are open, %v, want %d", what, n, err, len(open))
		}
	}
	checkAfterRepair := func(what string, open, ended []string) {
		t.Helper()
		check(what+", before repair", open, ended)
		repairTenants(t, r)
		check(what+", after repair", open, ended)
		if _, trusted := listed(t, r, "ops", false); !trusted {
			t.Errorf("%s: the tenant index is not used after its repair", what)
		}
	}
	checkAfterRepair("existing records", []string{"a0", "a2", "a4"}, nil)

	fixture.Must(t)(r.Create(t.Context(), fixture.Owned("a6", "ops"), fixture.DueInAnHour))
	unindex("a6")
	checkAfterRepair("an older version creates one", []string{"a0", "a2", "a4", "a6"}, nil)

	keepIndex("a2", func() { fixture.Must(t)(r.Change(t.Context(), "a2", fixture.Finish)) })
	checkAfterRepair("an older version ends one", []string{"a0", "a4", "a6"}, []string{"a2"})

	keepIndex("a4", func() {
		fixture.Must(t)(r.Change(t.Context(), "a4", func(r *record.Record, now time.Time) error { r.Due = now.Add(time.Minute); return nil }))
	})
	repairTenants(t, r)
	check("an older version moves one", []string{"a0", "a4", "a6"}, []string{"a2"})

	r.conn.client.ZRem(t.Context(), r.keys.index("a2"), "ra2")
	r.conn.client.Del(t.Context(), r.keys.record("a2"))
	checkAfterRepair("an older version drops one", []string{"a0", "a4", "a6"}, nil)
	if at := r.conn.client.ZScore(t.Context(), r.keys.index("a2"), "ta2"); at.Err() == nil {
		t.Error("the tenant index still has a record that an older version dropped")
	}

	// A crash can leave a member without a record. The index stays trusted.
	r.conn.client.ZAdd(t.Context(), r.keys.index("a9"), goredis.Z{Score: float64(scoreOf(index.Due, codec.MicrosOf(time.Now().Add(time.Hour)))), Member: "ra9"})
	checkAfterRepair("a crash leaves a member", []string{"a0", "a4", "a6"}, nil)
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
	repairTenants(t, r)
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
				t.Errorf("%s lists %v, want %v", tenant, got, want)
			}
		}
		if least, err := r.Count(t.Context(), tenant); err != nil || least < len(want) {
			t.Errorf("%s counts %d, %v; want at least %d", tenant, least, err, len(want))
		}
	}
}

func TestTrimRemovesTenantMembers(t *testing.T) {
	t.Parallel()
	m, advance := mini(t)
	start := time.Now()
	r := openRedis(t, Options{Addrs: []string{m.Addr()}})
	r.conn.clock.here = func() time.Time { return start }
	for n := range 3 {
		fixture.Must(t)(r.Create(t.Context(), fixture.Owned(fmt.Sprint("a", n), "ops"), fixture.DueInAnHour))
	}
	fixture.Must(t)(r.Change(t.Context(), "a0", fixture.Finish))
	advance(store.DefaultRetention + time.Hour)
	for range 2 { // The first call learns the time, the second one trims.
		if _, err := r.Due(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
	}
	members, err := r.conn.client.ZRange(t.Context(), r.keys.index("a0"), 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(members)
	if got := strings.Join(members, " "); got != "ra1 ra2 ta1 ta2" {
		t.Errorf("members %s are left, want ra1 ra2 ta1 ta2", got)
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
			t.Fatalf("score %d is not exact as a float64", score)
		}
		if gotI, gotAt := readTenantScore(score); gotI != i || gotAt != at {
			t.Fatalf("score %d of index %d at %d decodes as index %d at %d", score, i, at, gotI, gotAt)
		}
		if least := fmt.Sprint(score); len(least) < len(below) || score > int64(shiftOf(index.DeliveryDue)) {
			t.Fatalf("score %d is within the delivery-due index, which begins at %s", score, below)
		}
	}
	for _, i := range []index.Kind{index.Due, index.Ended} {
		first, last := tenantSpan(i)
		if first >= last || tenantScore("ops", i, 7) >= tenantScore("ops", i, 8) {
			t.Errorf("index %d is not sorted by time", i)
		}
	}
	if _, last := tenantSpan(index.Ended); last >= fromStep(index.Due, 0) {
		t.Error("the indexes overlap")
	}
}
