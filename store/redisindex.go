package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge"
)

// Due implements [bridge.Store]: in one round trip when nothing is due, in two
// otherwise.
func (r *Redis) Due(ctx context.Context, limit int) (bridge.Batch, error) {
	b, err := r.past(ctx, due, limit)
	return b, outcome("due", "", err)
}

// Claim implements [bridge.Store]: in one round trip when nothing is lagging,
// in three otherwise.
func (r *Redis) Claim(ctx context.Context, lease time.Duration, limit int) (bridge.Batch, error) {
	b, err := r.past(ctx, lagging, limit)
	if err == nil {
		b.IDs, err = r.claim(ctx, lease, b.IDs)
	}
	return b, outcome("claim", "", err)
}

// claim returns those of ids, in their order, that are ours for the lease.
func (r *Redis) claim(ctx context.Context, lease time.Duration, ids []string) ([]string, error) {
	parts := map[int][]string{}
	for _, id := range ids {
		n := r.keys.of(id)
		parts[n] = append(parts[n], id)
	}
	var scripts []*redis.Cmd
	err := r.pipeline(ctx, len(parts), func(pipe redis.Pipeliner) {
		for n, ids := range parts {
			part := r.keys.partitions[n]
			names, args := []string{part.indexes[lagging]}, []any{lease.Microseconds()}
			for _, id := range ids {
				names, args = append(names, part.record+id), append(args, id)
			}
			scripts = append(scripts, claimScript.Eval(ctx, pipe, names, args...))
		}
	})
	claimed := map[string]bool{}
	for _, script := range scripts {
		ids, failed := script.StringSlice()
		for _, id := range ids {
			claimed[id] = true
		}
		if err == nil {
			err = failed
		}
	}
	return slices.DeleteFunc(ids, func(id string) bool { return !claimed[id] }), err
}

// past returns the ids of an index up to now, and how long until the next. It
// first looks at the head of each partition, so that idle ones cost little.
func (r *Redis) past(ctx context.Context, i which, limit int) (bridge.Batch, error) {
	all := make([]int, len(r.keys.partitions))
	for n := range all {
		all[n] = n
	}
	heads, now, err := r.firsts(ctx, i, all, 1)
	if err != nil {
		return bridge.Batch{}, err
	}
	var busy []int
	rest := heads[:0]
	for _, p := range heads {
		if p.at <= now {
			busy = append(busy, r.keys.of(p.id))
		} else {
			rest = append(rest, p)
		}
	}
	if len(busy) > 0 {
		more, later, err := r.firsts(ctx, i, busy, limit+1)
		if err != nil {
			return bridge.Batch{}, err
		}
		rest, now = append(rest, more...), later
	}
	slices.SortFunc(rest, byPlace)
	n := 0
	for n < len(rest) && n < limit && rest[n].at <= now {
		n++
	}
	next := time.Duration(-1)
	if n < len(rest) {
		next = rest[n].at.until(now)
	}
	return bridge.Batch{IDs: ids(rest[:n]), Now: now.time(), Next: next}, nil
}

// firsts returns the first places of each of some partitions of an index, and
// the server's time.
func (r *Redis) firsts(ctx context.Context, i which, partitions []int, limit int) ([]place, micros, error) {
	if err := r.open(ctx); err != nil {
		return nil, 0, err
	}
	var clock *redis.TimeCmd
	ranges := make([]*redis.ZSliceCmd, len(partitions))
	err := r.pipeline(ctx, len(partitions), func(pipe redis.Pipeliner) {
		clock = pipe.Time(ctx)
		for k, n := range partitions {
			ranges[k] = pipe.ZRangeWithScores(ctx, r.keys.partitions[n].indexes[i], 0, int64(limit-1))
		}
	})
	if err != nil {
		return nil, 0, err
	}
	var found []place
	for _, z := range ranges {
		for _, m := range z.Val() {
			found = append(found, place{at: micros(m.Score), id: fmt.Sprint(m.Member)})
		}
	}
	now := toMicros(clock.Val())
	r.server.learn(now)
	return found, now, nil
}

// pipeline sends what fill puts into it in one round trip per server.
func (r *Redis) pipeline(ctx context.Context, n int, fill func(redis.Pipeliner)) error {
	if n == 0 {
		return nil
	}
	_, err := r.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		fill(pipe)
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return r.unavailable(err)
	}
	return nil
}

// Scan implements [bridge.Store], in two round trips for a page.
func (r *Redis) Scan(ctx context.Context, s bridge.Scan) ([]bridge.Record, error) {
	var records []bridge.Record
	i, from := scanned(s), place{at: toMicros(s.From), id: s.After}
	for len(records) < s.Limit {
		page, err := r.page(ctx, i, from, s.Limit-len(records))
		if err != nil || len(page) == 0 {
			return records, outcome("scan", "", err)
		}
		from = page[len(page)-1]
		found, err := r.loadAll(ctx, i, page)
		if err != nil {
			return nil, outcome("scan", "", err)
		}
		records = append(records, found...)
	}
	return records, nil
}

// page returns the places of an index after from, across all partitions.
func (r *Redis) page(ctx context.Context, i which, from place, limit int) ([]place, error) {
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	scripts := make([]*redis.Cmd, len(r.keys.partitions))
	err := r.pipeline(ctx, len(scripts), func(pipe redis.Pipeliner) {
		for n, part := range r.keys.partitions {
			scripts[n] = pageScript.Eval(ctx, pipe, []string{part.indexes[i]}, int64(from.at), from.id, limit)
		}
	})
	if err != nil {
		return nil, err
	}
	var found []place
	for _, script := range scripts {
		flat, err := script.StringSlice()
		if err != nil {
			return nil, r.unavailable(err)
		}
		for pair := range slices.Chunk(flat, 2) {
			at, err := strconv.ParseFloat(pair[1], 64)
			if err != nil {
				return nil, fmt.Errorf("score of %s: %w", pair[0], err)
			}
			found = append(found, place{at: micros(at), id: pair[0]})
		}
	}
	slices.SortFunc(found, byPlace)
	return found[:min(limit, len(found))], nil
}

// loadAll returns the records of the places that still stand there: not those
// evicted, ended or put off since the index was read.
func (r *Redis) loadAll(ctx context.Context, i which, places []place) ([]bridge.Record, error) {
	loads := make([]*redis.StringCmd, len(places))
	err := r.pipeline(ctx, len(places), func(pipe redis.Pipeliner) {
		for n, p := range places {
			loads[n] = pipe.HGet(ctx, r.keys.record(p.id), "data")
		}
	})
	if err != nil {
		return nil, err
	}
	var records []bridge.Record
	for n, p := range places {
		data, err := loads[n].Bytes()
		if errors.Is(err, redis.Nil) {
			continue
		}
		if err != nil {
			return nil, r.unavailable(err)
		}
		e, err := decode(p.id, data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.id, err)
		}
		if at := i.moment(&e.rec); at != 0 && at <= p.at {
			records = append(records, e.rec)
		}
	}
	return records, nil
}
