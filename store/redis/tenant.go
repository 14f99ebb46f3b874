package redis

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"strconv"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/index"
)

// The tenant index is in the same sorted set as the other indexes, so that the commands that move a
// record also move it there: member "t" and the ID, far below all other scores. A score contains 20
// bits of a hash of the tenant and 32 bits of seconds since 1970:
//
//	ended   from -2^56 on, in steps of 8
//	due     from -2^55 on, in steps of 4
//
// Floating-point numbers have that precision there. Two tenants may share a hash; a list skips the
// records of other tenants.
//
// Older versions of this program do not maintain this index. So it is checked once before it is used,
// and each read counts the members of both indexes: a difference means that a bridge wrote only one of
// them. The main index is then read instead, while the tenant index is repaired.
const (
	tenantSteps = 1 << 52
	secondBits  = 32
)

// tenantScore returns the score of a record in its tenant's index.
func tenantScore(tenant string, i index.Kind, at index.Second) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(tenant))
	sum := h.Sum32()
	bucket := int64(sum>>20 ^ sum&(1<<20-1))
	return fromStep(i, bucket<<secondBits|int64(at))
}

func fromStep(i index.Kind, n int64) int64 {
	if i == index.Ended {
		return -(1<<55 + 8*(tenantSteps-1-n))
	}
	return -(1<<54 + 4*(tenantSteps-1-n))
}

// tenantSpan returns the first and the last score of all tenants in an index.
func tenantSpan(i index.Kind) (first, last int64) { return fromStep(i, 0), fromStep(i, tenantSteps-1) }

// readTenantScore returns the index and the second of a score.
func readTenantScore(score int64) (i index.Kind, at index.Second) {
	i, n := index.Due, (score+1<<54)/4
	if first, _ := tenantSpan(index.Due); score < first {
		i, n = index.Ended, (score+1<<55)/8
	}
	return i, index.Second(tenantSteps - 1 + n)
}

// tenantMember returns the member of a record.
func tenantMember(id string) string { return "t" + id }

// tenantPlaceOf returns the score of a record in its tenant's index, if it is in it.
func tenantPlaceOf(r *record.Record) (score int64, in bool) {
	if r == nil {
		return 0, false
	}
	at := index.Row{At: [index.Kinds]codec.Micros{index.Due: index.Due.Moment(r), index.Ended: index.Ended.Moment(r)}}
	i, second, in := at.InTenant()
	if !in {
		return 0, false
	}
	return tenantScore(r.Tenant, i, second), true
}

// tenantIndex lists the records of one tenant, and repairs the index.
type tenantIndex struct {
	conn *conn
	keys keys
	main *indexes

	mu sync.Mutex
	// counts are the differences in each partition at the last check; nil before the first.
	counts []tenantCounts
	// next is the earliest time of the next check.
	next      time.Time
	repairing bool
	repairs   sync.WaitGroup
}

// tenantCounts are the numbers of due and ended records that the tenant index lacks.
type tenantCounts struct{ due, ended int64 }

// tenantPause is the minimum time between two checks of the index.
const tenantPause = 10 * time.Second

// trusted reports whether the differences are the same as at the last check.
func (t *tenantIndex) trusted(now []tenantCounts) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts != nil && slices.Equal(t.counts, now)
}

// tenantPage is a page of the index of one tenant, across all partitions.
type tenantPage struct {
	places  []index.TenantPlace
	total   int // The number of entries from the first one on.
	trusted bool
}

// page reads a page in one round trip.
func (t *tenantIndex) page(ctx context.Context, tenant string, i index.Kind, from index.TenantPlace, limit int) (tenantPage, error) {
	var p tenantPage
	if err := t.conn.ready(ctx); err != nil {
		return p, err
	}
	after := ""
	if from.ID != "" {
		after = tenantMember(from.ID)
	}
	first, last := tenantScore(tenant, i, from.At), tenantScore(tenant, i, ^index.Second(0))
	scripts := make([]*goredis.Cmd, len(t.keys.partitions))
	err := t.conn.pipelined(ctx, func(pipe goredis.Pipeliner) {
		for n, part := range t.keys.partitions {
			args := append([]any{first, after, last, limit}, tenantBounds()...)
			scripts[n] = pageScript.Eval(ctx, pipe, []string{part.index}, args...)
		}
	})
	if err != nil {
		return p, err
	}
	counts := make([]tenantCounts, len(scripts))
	for n, script := range scripts {
		reply, err := script.StringSlice()
		if err != nil {
			return p, t.conn.classify(err)
		}
		numbers := make([]int64, tenantNumbers)
		for k := range numbers {
			if numbers[k], err = strconv.ParseInt(reply[k], 10, 64); err != nil {
				return p, fmt.Errorf("count of %s: %w", tenant, err)
			}
		}
		counts[n] = tenantCounts{due: numbers[0] - numbers[1], ended: numbers[2] - numbers[3]}
		p.total += int(numbers[4])
		for pair := range slices.Chunk(reply[tenantNumbers:], 2) {
			score, err := strconv.ParseFloat(pair[1], 64)
			if err != nil {
				return p, fmt.Errorf("score of %s: %w", pair[0], err)
			}
			_, at := readTenantScore(int64(score))
			p.places = append(p.places, index.TenantPlace{At: at, ID: pair[0][1:]})
		}
	}
	slices.SortFunc(p.places, index.ByTenantPlace)
	p.places = p.places[:min(limit, len(p.places))]
	p.trusted = t.trusted(counts)
	return p, nil
}

// tenantNumbers is how many counts precede the list in the reply of page.lua: due and ended records, each
// in the main and the tenant index, and all between the first and the last score.
const tenantNumbers = 5

func tenantBounds() []any {
	var bounds []any
	for _, i := range []index.Kind{index.Due, index.Ended} {
		first, behind := spanOf(i)
		low, high := tenantSpan(i)
		bounds = append(bounds, first, behind, low, high)
	}
	return bounds
}

// Count implements [storage.Store], in one round trip.
func (r *Store) Count(ctx context.Context, tenant string) (int, error) {
	n, err := r.tenants.count(ctx, tenant)
	return n, codec.Error("count", "", err)
}

func (t *tenantIndex) count(ctx context.Context, tenant string) (int, error) {
	p, err := t.page(ctx, tenant, index.Due, index.TenantPlace{}, 0)
	if err != nil || p.trusted {
		return p.total, err
	}
	all, err := t.scanMain(ctx, storage.Scan{Tenant: &tenant, Limit: pageSize * pageSize})
	return len(all), err
}

// scan is [Store.Scan] for one tenant.
func (t *tenantIndex) scan(ctx context.Context, s storage.Scan) ([]record.Record, error) {
	var records []record.Record
	i, from := index.Of(s), index.TenantPlace{At: index.SecondOf(codec.MicrosOf(s.From)), ID: s.After}
	for len(records) < s.Limit {
		limit := min(s.Limit-len(records), pageSize)
		p, err := t.page(ctx, *s.Tenant, i, from, limit)
		if err != nil {
			return nil, err
		}
		if !p.trusted {
			return t.scanMain(ctx, s)
		}
		if len(p.places) == 0 {
			break
		}
		last := len(p.places) < limit
		from = p.places[len(p.places)-1]
		p.places = slices.DeleteFunc(p.places, func(at index.TenantPlace) bool { return !s.Wants(at.ID) })
		found, err := t.main.load(ctx, s, p.ids(), func(n int, rec *record.Record) bool {
			return rec.Tenant == *s.Tenant && i.Moment(rec) != 0 && index.SecondOf(i.Moment(rec)) == p.places[n].At
		})
		if err != nil {
			return nil, err
		}
		if records = append(records, found...); last {
			break
		}
	}
	return records, nil
}

func (p *tenantPage) ids() []string {
	all := make([]string, len(p.places))
	for n, at := range p.places {
		all[n] = at.ID
	}
	return all
}

// scanMain lists the records of a tenant from the main index, and repairs the tenant index in the
// background.
func (t *tenantIndex) scanMain(ctx context.Context, s storage.Scan) ([]record.Record, error) {
	t.repairLater()
	i := index.Of(s)
	from := index.TenantPlace{At: index.SecondOf(codec.MicrosOf(s.From)), ID: s.After}
	placed := func(rec *record.Record) index.TenantPlace {
		return index.TenantPlace{At: index.SecondOf(i.Moment(rec)), ID: rec.ID}
	}
	next := index.Place{At: codec.Micros(from.At) * 1e6}
	var found []record.Record
	for {
		page, err := t.main.page(ctx, i, next, pageSize)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		next = page[len(page)-1]
		page = slices.DeleteFunc(page, func(p index.Place) bool { return !s.Wants(p.ID) })
		some, err := t.main.load(ctx, s, index.IDs(page), func(n int, rec *record.Record) bool {
			at := i.Moment(rec)
			return rec.Tenant == *s.Tenant && at != 0 && at <= page[n].At && index.ByTenantPlace(placed(rec), from) > 0
		})
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
		// Later entries of the last second may sort before these.
		if len(found) > s.Limit && index.SecondOf(next.At) > placed(&found[s.Limit-1]).At {
			break
		}
	}
	sort.Slice(found, func(i, j int) bool { return index.ByTenantPlace(placed(&found[i]), placed(&found[j])) < 0 })
	return found[:min(s.Limit, len(found))], nil
}

// repairLater repairs the index in the background, unless that is running or was done recently.
func (t *tenantIndex) repairLater() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); t.repairing || now.Before(t.next) || t.conn.ready(context.Background()) != nil {
		return
	}
	t.repairing = true
	t.repairs.Go(func() {
		counts, err := t.repairAll()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.repairing, t.next = false, time.Now().Add(tenantPause)
		if err == nil {
			t.counts = counts
		}
	})
}

// repairAll repairs the index of every partition until the store is closed. It returns the differences
// that remain: members of records that are gone.
func (t *tenantIndex) repairAll() ([]tenantCounts, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var canceling sync.WaitGroup
	defer canceling.Wait()
	done := make(chan struct{})
	defer close(done)
	canceling.Go(func() {
		select {
		case <-t.conn.closed:
			cancel()
		case <-done:
		}
	})
	counts := make([]tenantCounts, len(t.keys.partitions))
	for n, part := range t.keys.partitions {
		for _, i := range []index.Kind{index.Due, index.Ended} {
			if err := t.repair(ctx, part, i); err != nil {
				return nil, err
			}
		}
		args := append([]any{0, "", 0, 0}, tenantBounds()...)
		reply, err := pageScript.Run(ctx, t.conn.client, []string{part.index}, args...).StringSlice()
		if err != nil {
			return nil, t.conn.classify(err)
		}
		var is [4]int64
		for k := range is {
			if is[k], err = strconv.ParseInt(reply[k], 10, 64); err != nil {
				return nil, fmt.Errorf("count of all tenants: %w", err)
			}
		}
		counts[n] = tenantCounts{due: is[0] - is[1], ended: is[2] - is[3]}
	}
	return counts, nil
}

// repair adds missing members to a partition's tenant index, corrects wrong scores and removes members of
// records that are gone.
func (t *tenantIndex) repair(ctx context.Context, part partition, i index.Kind) error {
	first, behind := spanOf(i)
	if err := t.eachMember(ctx, part, first, behind, func(members []goredis.Z) error { return t.repairMembers(ctx, part, i, members) }); err != nil {
		return err
	}
	low, high := tenantSpan(i)
	return t.eachMember(ctx, part, fmt.Sprint(low), fmt.Sprint(high), func(members []goredis.Z) error {
		return t.dropMembers(ctx, part, members)
	})
}

// repairPage is the number of members that are checked at once.
const repairPage = 500

// eachMember calls f with the members between two scores, in pages.
func (t *tenantIndex) eachMember(ctx context.Context, part partition, first, behind string, f func([]goredis.Z) error) error {
	after := ""
	for {
		flat, err := pageScript.Run(ctx, t.conn.client, []string{part.index}, first, after, behind, repairPage).StringSlice()
		if err != nil {
			return t.conn.classify(err)
		}
		var members []goredis.Z
		for pair := range slices.Chunk(flat, 2) {
			score, err := strconv.ParseFloat(pair[1], 64)
			if err != nil {
				return fmt.Errorf("score of %s: %w", pair[0], err)
			}
			members = append(members, goredis.Z{Score: score, Member: pair[0]})
			first, after = strconv.FormatInt(int64(score), 10), pair[0]
		}
		if len(members) == 0 {
			return nil
		}
		if err := f(members); err != nil {
			return err
		}
	}
}

// repairMembers adds or corrects the tenant index members of some records.
func (t *tenantIndex) repairMembers(ctx context.Context, part partition, i index.Kind, members []goredis.Z) error {
	names := make([]string, len(members))
	for n, z := range members {
		names[n] = tenantMember(fmt.Sprint(z.Member)[1:])
	}
	scores, err := t.conn.client.ZMScore(ctx, part.index, names...).Result()
	if err != nil && !errors.Is(err, goredis.Nil) {
		return t.conn.classify(err)
	}
	var odd []string // Missing, or with a wrong score.
	for n, z := range members {
		want := index.SecondOf(codec.Micros(z.Score) - shiftOf(i))
		if is, at := readTenantScore(int64(scores[n])); scores[n] == 0 || is != i || at != want {
			odd = append(odd, names[n][1:])
		}
	}
	if len(odd) == 0 {
		return nil
	}
	records, err := t.main.load(ctx, storage.Scan{}, odd, func(_ int, rec *record.Record) bool { return i.Moment(rec) != 0 })
	if err != nil || len(records) == 0 {
		return err
	}
	var args []any
	for n := range records {
		rec := &records[n]
		score, _ := tenantPlaceOf(rec)
		args = append(args, memberOf(i, rec.ID), scoreOf(i, i.Moment(rec)), tenantMember(rec.ID), score)
	}
	if err := mendScript.Run(ctx, t.conn.client, []string{part.index}, args...).Err(); err != nil {
		return t.conn.classify(err)
	}
	return nil
}

// dropMembers removes members whose record is in no other index.
func (t *tenantIndex) dropMembers(ctx context.Context, part partition, members []goredis.Z) error {
	args := make([]any, 0, len(members))
	for _, z := range members {
		args = append(args, fmt.Sprint(z.Member)[1:])
	}
	if err := dropScript.Run(ctx, t.conn.client, []string{part.index}, args...).Err(); err != nil {
		return t.conn.classify(err)
	}
	return nil
}
