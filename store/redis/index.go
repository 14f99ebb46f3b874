package redis

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/index"
)

// most is the number of members that are read from a partition at once.
const most = 1000

// Due implements [storage.Store], in one round trip, or two if there are many partitions and something
// is due.
func (r *Store) Due(ctx context.Context, limit int) (storage.Batch, error) {
	b, err := r.due(ctx, limit)
	return b, codec.Error("due", "", err)
}

func (r *Store) due(ctx context.Context, limit int) (storage.Batch, error) {
	l, err := r.look(ctx, index.Due, limit+1)
	if err != nil {
		return storage.Batch{}, err
	}
	places := l.places()
	n := 0
	for n < len(places) && n < limit && places[n].At <= l.now {
		n++
	}
	next := time.Duration(-1)
	if n < len(places) {
		next = places[n].At.Until(l.now)
	}
	return storage.Batch{IDs: index.IDs(places[:n]), Now: l.now.Time(), Next: next}, nil
}

// looked contains the first members of an index in each partition.
type looked struct {
	now   codec.Micros
	heads [][]index.Place
	// more reports whether a partition may have further members.
	more []bool
}

// places returns the members of all partitions, in order.
func (l *looked) places() []index.Place {
	all := slices.Concat(l.heads...)
	slices.SortFunc(all, index.ByPlace)
	return all
}

// look reads the first members of an index. With many partitions it first reads one member of each, so
// that idle partitions cost little.
func (r *Store) look(ctx context.Context, i index.Kind, limit int) (looked, error) {
	l := looked{heads: make([][]index.Place, len(r.keys.partitions)), more: make([]bool, len(r.keys.partitions))}
	all := make([]int, len(r.keys.partitions))
	for n := range all {
		all[n] = n
	}
	if len(all) == 1 {
		return l, r.lookInto(ctx, &l, i, all, limit)
	}
	if err := r.lookInto(ctx, &l, i, all, 1); err != nil {
		return l, err
	}
	busy := all[:0]
	for n, head := range l.heads {
		if len(head) > 0 && head[0].At <= l.now {
			busy = append(busy, n)
		}
	}
	return l, r.lookInto(ctx, &l, i, busy, limit)
}

// lookInto reads the first members of some partitions.
func (r *Store) lookInto(ctx context.Context, l *looked, i index.Kind, partitions []int, limit int) error {
	if err := r.open(ctx); err != nil || len(partitions) == 0 {
		return err
	}
	limit = min(limit, most)
	var clock *goredis.TimeCmd
	ranges := make([]*goredis.ZSliceCmd, len(partitions))
	first, behind := spanOf(i)
	err := r.pipelined(ctx, r.client, func(pipe goredis.Pipeliner) {
		clock = pipe.Time(ctx)
		for k, n := range partitions {
			ranges[k] = pipe.ZRangeArgsWithScores(ctx, goredis.ZRangeArgs{
				Key: r.keys.partitions[n].index, Start: first, Stop: behind, ByScore: true, Count: int64(limit),
			})
		}
		r.trim.add(ctx, pipe, r, partitions)
	})
	if err != nil {
		return err
	}
	l.now = codec.MicrosOf(clock.Val())
	r.server.learn(l.now)
	for k, n := range partitions {
		l.heads[n] = l.heads[n][:0]
		for _, z := range ranges[k].Val() {
			l.heads[n] = append(l.heads[n], placeOf(i, fmt.Sprint(z.Member), z.Score))
		}
		l.more[n] = len(l.heads[n]) == limit
	}
	return nil
}

// placeOf decodes an index member and its score.
func placeOf(i index.Kind, member string, score float64) index.Place {
	return index.Place{At: codec.Micros(score) - shiftOf(i), ID: member[1:]}
}

// trimming removes expired records from the index of ended records. A look sometimes does so.
type trimming struct {
	mu   sync.Mutex
	last codec.Micros
}

// add trims partitions if the last time was long ago.
func (t *trimming) add(ctx context.Context, pipe goredis.Pipeliner, r *Store, partitions []int) {
	keep := codec.Micros(r.layout.Retention.Microseconds())
	now := r.server.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if now == 0 || len(partitions) < len(r.keys.partitions) || now-t.last < keep/trimsPerRetention {
		return
	}
	t.last = now
	first, _ := spanOf(index.Ended)
	for _, n := range partitions {
		trimScript.Eval(ctx, pipe, []string{r.keys.partitions[n].index}, first, scoreOf(index.Ended, now-keep))
	}
}

// trimsPerRetention is how often expired members are removed during the retention time, so that at most
// one in that many ended members is out of date.
const trimsPerRetention = 64

// Scan implements [storage.Store], in two round trips per page.
func (r *Store) Scan(ctx context.Context, s storage.Scan) ([]record.Record, error) {
	if s.Tenant != nil {
		records, err := r.scanTenant(ctx, s)
		return records, codec.Error("scan", "", err)
	}
	var records []record.Record
	i, from := index.Of(s), index.Place{At: codec.MicrosOf(s.From), ID: s.After}
	for len(records) < s.Limit {
		page, err := r.page(ctx, i, from, min(s.Limit-len(records), most))
		if err != nil || len(page) == 0 {
			return records, codec.Error("scan", "", err)
		}
		from = page[len(page)-1]
		page = slices.DeleteFunc(page, func(p index.Place) bool { return !s.Wants(p.ID) })
		found, err := r.loadAll(ctx, s, index.IDs(page), func(n int, rec *record.Record) bool {
			at := i.Moment(rec)
			return at != 0 && at <= page[n].At
		})
		if err != nil {
			return nil, codec.Error("scan", "", err)
		}
		records = append(records, found...)
	}
	return records, nil
}

// page returns the members of an index after from, across all partitions.
func (r *Store) page(ctx context.Context, i index.Kind, from index.Place, limit int) ([]index.Place, error) {
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	after := ""
	if from.ID != "" {
		after = memberOf(i, from.ID)
	}
	_, behind := spanOf(i)
	scripts := make([]*goredis.Cmd, len(r.keys.partitions))
	err := r.pipelined(ctx, r.client, func(pipe goredis.Pipeliner) {
		for n, part := range r.keys.partitions {
			scripts[n] = pageScript.Eval(ctx, pipe, []string{part.index}, scoreOf(i, from.At), after, behind, limit)
		}
	})
	if err != nil {
		return nil, err
	}
	var found []index.Place
	for _, script := range scripts {
		flat, err := script.StringSlice()
		if err != nil {
			return nil, r.unavailable(err)
		}
		for pair := range slices.Chunk(flat, 2) {
			score, err := strconv.ParseFloat(pair[1], 64)
			if err != nil {
				return nil, fmt.Errorf("score of %s: %w", pair[0], err)
			}
			found = append(found, placeOf(i, pair[0], score))
		}
	}
	slices.SortFunc(found, index.ByPlace)
	return found[:min(limit, len(found))], nil
}

// loadAll loads records for a scan. It omits those that are gone and those for which keep returns false,
// because they ended or moved after the index was read. The argument n of keep is the position in ids.
func (r *Store) loadAll(ctx context.Context, s storage.Scan, ids []string, keep func(n int, rec *record.Record) bool) ([]record.Record, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	parts := map[int][]string{}
	for _, id := range ids {
		n := r.keys.of(id)
		parts[n] = append(parts[n], id)
	}
	replies := map[int]*goredis.SliceCmd{}
	err := r.pipelined(ctx, r.client, func(pipe goredis.Pipeliner) {
		for n, ids := range parts {
			names := make([]string, len(ids))
			for k, id := range ids {
				names[k] = r.keys.record(id)
			}
			replies[n] = pipe.MGet(ctx, names...)
		}
	})
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for n, ids := range parts {
		for k, value := range replies[n].Val() {
			if text, ok := value.(string); ok {
				values[ids[k]] = text
			}
		}
	}
	var records []record.Record
	for n, id := range ids {
		value, ok := values[id]
		if !ok {
			continue
		}
		switch e, err := r.unpack(id, value); {
		case err == nil && keep(n, &e.Rec):
			records = append(records, e.Rec)
		case err != nil && !s.Leaves(id, err):
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	return records, nil
}
