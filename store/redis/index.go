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

// pageSize is the maximum number of members that are read from a partition at once.
const pageSize = 1000

// indexes reads the indexes of records, across all partitions.
type indexes struct {
	conn   *conn
	keys   keys
	format format
	trim   trimming
}

// Due implements [storage.Store], in one round trip, or two if there are many partitions and something
// is due.
func (r *Store) Due(ctx context.Context, limit int) (storage.Batch, error) {
	b, err := r.indexes.due(ctx, limit)
	return b, codec.Error("due", "", err)
}

func (x *indexes) due(ctx context.Context, limit int) (storage.Batch, error) {
	f, err := x.first(ctx, index.Due, limit+1)
	if err != nil {
		return storage.Batch{}, err
	}
	places := f.all()
	n := 0
	for n < len(places) && n < limit && places[n].At <= f.now {
		n++
	}
	next := time.Duration(-1)
	if n < len(places) {
		next = places[n].At.Until(f.now)
	}
	return storage.Batch{IDs: index.IDs(places[:n]), Now: f.now.Time(), Next: next}, nil
}

// firsts contains the first members of an index in each partition.
type firsts struct {
	now    codec.Micros
	places [][]index.Place
	// more reports whether a partition may have further members.
	more []bool
}

// all returns the members of all partitions, in order.
func (f *firsts) all() []index.Place {
	all := slices.Concat(f.places...)
	slices.SortFunc(all, index.ByPlace)
	return all
}

// first reads the first members of an index. With many partitions it first reads one member of each, so
// that idle partitions cost little.
func (x *indexes) first(ctx context.Context, i index.Kind, limit int) (firsts, error) {
	f := firsts{places: make([][]index.Place, len(x.keys.partitions)), more: make([]bool, len(x.keys.partitions))}
	all := make([]int, len(x.keys.partitions))
	for n := range all {
		all[n] = n
	}
	if len(all) == 1 {
		return f, x.readFirst(ctx, &f, i, all, limit)
	}
	if err := x.readFirst(ctx, &f, i, all, 1); err != nil {
		return f, err
	}
	busy := all[:0]
	for n, head := range f.places {
		if len(head) > 0 && head[0].At <= f.now {
			busy = append(busy, n)
		}
	}
	return f, x.readFirst(ctx, &f, i, busy, limit)
}

// readFirst reads the first members of some partitions.
func (x *indexes) readFirst(ctx context.Context, f *firsts, i index.Kind, partitions []int, limit int) error {
	if err := x.conn.ready(ctx); err != nil || len(partitions) == 0 {
		return err
	}
	limit = min(limit, pageSize)
	var clock *goredis.TimeCmd
	ranges := make([]*goredis.ZSliceCmd, len(partitions))
	first, behind := spanOf(i)
	err := x.conn.pipelined(ctx, func(pipe goredis.Pipeliner) {
		clock = pipe.Time(ctx)
		for k, n := range partitions {
			ranges[k] = pipe.ZRangeArgsWithScores(ctx, goredis.ZRangeArgs{
				Key: x.keys.partitions[n].index, Start: first, Stop: behind, ByScore: true, Count: int64(limit),
			})
		}
		x.trim.add(ctx, pipe, x, partitions)
	})
	if err != nil {
		return err
	}
	f.now = codec.MicrosOf(clock.Val())
	x.conn.clock.learn(f.now)
	for k, n := range partitions {
		f.places[n] = f.places[n][:0]
		for _, z := range ranges[k].Val() {
			f.places[n] = append(f.places[n], placeOf(i, fmt.Sprint(z.Member), z.Score))
		}
		f.more[n] = len(f.places[n]) == limit
	}
	return nil
}

// placeOf decodes an index member and its score.
func placeOf(i index.Kind, member string, score float64) index.Place {
	return index.Place{At: codec.Micros(score) - shiftOf(i), ID: member[1:]}
}

// trimming removes expired records from the index of ended records. Reading an index sometimes does so.
type trimming struct {
	mu   sync.Mutex
	last codec.Micros
}

// add trims partitions if the last time was long ago.
func (t *trimming) add(ctx context.Context, pipe goredis.Pipeliner, x *indexes, partitions []int) {
	keep := codec.Micros(x.format.retention.Microseconds())
	now := x.conn.clock.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if now == 0 || len(partitions) < len(x.keys.partitions) || now-t.last < keep/trimsPerRetention {
		return
	}
	t.last = now
	first, _ := spanOf(index.Ended)
	for _, n := range partitions {
		trimScript.Eval(ctx, pipe, []string{x.keys.partitions[n].index}, first, scoreOf(index.Ended, now-keep))
	}
}

// trimsPerRetention is how often expired members are removed during the retention time, so that at most
// one in that many ended members is out of date.
const trimsPerRetention = 64

// Scan implements [storage.Store], in two round trips per page.
func (r *Store) Scan(ctx context.Context, s storage.Scan) ([]record.Record, error) {
	scan := r.indexes.scan
	if s.Tenant != nil {
		scan = r.tenants.scan
	}
	records, err := scan(ctx, s)
	return records, codec.Error("scan", "", err)
}

func (x *indexes) scan(ctx context.Context, s storage.Scan) ([]record.Record, error) {
	var records []record.Record
	i, from := index.Of(s), index.Place{At: codec.MicrosOf(s.From), ID: s.After}
	for len(records) < s.Limit {
		page, err := x.page(ctx, i, from, min(s.Limit-len(records), pageSize))
		if err != nil || len(page) == 0 {
			return records, err
		}
		from = page[len(page)-1]
		page = slices.DeleteFunc(page, func(p index.Place) bool { return !s.Wants(p.ID) })
		found, err := x.load(ctx, s, index.IDs(page), func(n int, rec *record.Record) bool {
			at := i.Moment(rec)
			return at != 0 && at <= page[n].At
		})
		if err != nil {
			return nil, err
		}
		records = append(records, found...)
	}
	return records, nil
}

// page returns the members of an index after from, across all partitions.
func (x *indexes) page(ctx context.Context, i index.Kind, from index.Place, limit int) ([]index.Place, error) {
	if err := x.conn.ready(ctx); err != nil {
		return nil, err
	}
	after := ""
	if from.ID != "" {
		after = memberOf(i, from.ID)
	}
	_, behind := spanOf(i)
	scripts := make([]*goredis.Cmd, len(x.keys.partitions))
	err := x.conn.pipelined(ctx, func(pipe goredis.Pipeliner) {
		for n, part := range x.keys.partitions {
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
			return nil, x.conn.classify(err)
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

// load loads records for a scan. It omits those that are gone and those for which keep returns false,
// because they ended or moved after the index was read. The argument n of keep is the position in ids.
func (x *indexes) load(ctx context.Context, s storage.Scan, ids []string, keep func(n int, rec *record.Record) bool) ([]record.Record, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	parts := map[int][]string{}
	for _, id := range ids {
		n := x.keys.of(id)
		parts[n] = append(parts[n], id)
	}
	replies := map[int]*goredis.SliceCmd{}
	err := x.conn.pipelined(ctx, func(pipe goredis.Pipeliner) {
		for n, ids := range parts {
			names := make([]string, len(ids))
			for k, id := range ids {
				names[k] = x.keys.record(id)
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
		switch e, err := x.format.unpack(id, value); {
		case err == nil && keep(n, &e.Rec):
			records = append(records, e.Rec)
		case err != nil && !s.Leaves(id, err):
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	return records, nil
}
