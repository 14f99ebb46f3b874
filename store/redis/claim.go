package redis

import (
	"context"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/index"
)

// Claim implements [storage.Store], in one round trip if no delivery is due. It also removes delivered
// records from the index, a batch with one command.
func (r *Store) Claim(ctx context.Context, lease time.Duration, limit int) (storage.Batch, error) {
	b, err := r.indexes.claim(ctx, lease, limit)
	return b, codec.Error("claim", "", err)
}

func (x *indexes) claim(ctx context.Context, lease time.Duration, limit int) (storage.Batch, error) {
	var claimed []string
	mine := map[string]bool{}
	for {
		f, err := x.first(ctx, index.DeliveryDue, limit+1)
		if err != nil {
			return storage.Batch{IDs: claimed}, err
		}
		places := f.all()
		requests := make([]claimRequest, 0, len(places))
		for _, p := range places {
			if !mine[p.ID] {
				wanted := len(claimed)+len(requests) < limit && p.At <= f.now
				requests = append(requests, claimRequest{Place: p, wanted: wanted})
			}
		}
		if len(requests) == 0 {
			return storage.Batch{IDs: claimed, Now: f.now.Time(), Next: -1}, nil
		}
		if err := x.sendClaims(ctx, lease, requests); err != nil {
			return storage.Batch{IDs: claimed}, err
		}
		next, short := time.Duration(-1), false
		left := map[int]bool{}
		for _, c := range requests {
			switch c.word {
			case "claimed":
				claimed, mine[c.ID] = append(claimed, c.ID), true
			case "due":
				if left[x.keys.of(c.ID)] = true; next < 0 {
					next = c.At.Until(f.now)
				}
			default:
				short = true
			}
		}
		// Dropped members made room for more claims.
		for n, more := range f.more {
			short = short || more && !left[n] && len(claimed) < limit
		}
		if !short {
			return storage.Batch{IDs: claimed, Now: f.now.Time(), Next: next}, nil
		}
	}
}

// claimRequest claims one record or, if it is not wanted, reads its state.
type claimRequest struct {
	index.Place
	wanted bool
	word   string // The reply; see claim.lua.
}

// sendClaims runs the claim script on each partition, in one round trip.
func (x *indexes) sendClaims(ctx context.Context, lease time.Duration, requests []claimRequest) error {
	parts := map[int][]int{}
	for k, c := range requests {
		n := x.keys.of(c.ID)
		parts[n] = append(parts[n], k)
	}
	scripts := map[int]*goredis.Cmd{}
	err := x.conn.pipelined(ctx, func(pipe goredis.Pipeliner) {
		for n, some := range parts {
			names := []string{x.keys.partitions[n].index}
			args := []any{lease.Microseconds(), int64(shiftOf(index.DeliveryDue))}
			for _, k := range some {
				wanted := 0
				if requests[k].wanted {
					wanted = 1
				}
				names = append(names, x.keys.record(requests[k].ID))
				args = append(args, memberOf(index.DeliveryDue, requests[k].ID), wanted)
			}
			scripts[n] = claimScript.Eval(ctx, pipe, names, args...)
		}
	})
	if err != nil {
		return err
	}
	for n, some := range parts {
		words, err := scripts[n].StringSlice()
		if err != nil {
			return x.conn.classify(err)
		}
		for k, word := range words {
			requests[some[k]].word = word
		}
	}
	return nil
}
