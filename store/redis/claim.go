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
	b, err := r.claim(ctx, lease, limit)
	return b, codec.Error("claim", "", err)
}

func (r *Store) claim(ctx context.Context, lease time.Duration, limit int) (storage.Batch, error) {
	var claimed []string
	mine := map[string]bool{}
	for {
		l, err := r.look(ctx, index.DeliveryDue, limit+1)
		if err != nil {
			return storage.Batch{IDs: claimed}, err
		}
		places := l.places()
		asks := make([]claiming, 0, len(places))
		for _, p := range places {
			if !mine[p.ID] {
				wanted := len(claimed)+len(asks) < limit && p.At <= l.now
				asks = append(asks, claiming{Place: p, wanted: wanted})
			}
		}
		if len(asks) == 0 {
			return storage.Batch{IDs: claimed, Now: l.now.Time(), Next: -1}, nil
		}
		if err := r.claimAll(ctx, lease, asks); err != nil {
			return storage.Batch{IDs: claimed}, err
		}
		next, short := time.Duration(-1), false
		left := map[int]bool{}
		for _, a := range asks {
			switch a.word {
			case "claimed":
				claimed, mine[a.ID] = append(claimed, a.ID), true
			case "due":
				if left[r.keys.of(a.ID)] = true; next < 0 {
					next = a.At.Until(l.now)
				}
			default:
				short = true
			}
		}
		// Dropped members made room for more claims.
		for n, more := range l.more {
			short = short || more && !left[n] && len(claimed) < limit
		}
		if !short {
			return storage.Batch{IDs: claimed, Now: l.now.Time(), Next: next}, nil
		}
	}
}

// claiming claims one record or, if it is not wanted, asks for its state.
type claiming struct {
	index.Place
	wanted bool
	word   string // The reply; see claim.lua.
}

// claimAll runs the claim script on each partition, in one round trip.
func (r *Store) claimAll(ctx context.Context, lease time.Duration, asks []claiming) error {
	parts := map[int][]int{}
	for k, a := range asks {
		n := r.keys.of(a.ID)
		parts[n] = append(parts[n], k)
	}
	scripts := map[int]*goredis.Cmd{}
	err := r.pipelined(ctx, r.client, func(pipe goredis.Pipeliner) {
		for n, some := range parts {
			names := []string{r.keys.partitions[n].index}
			args := []any{lease.Microseconds(), int64(shiftOf(index.DeliveryDue))}
			for _, k := range some {
				wanted := 0
				if asks[k].wanted {
					wanted = 1
				}
				names = append(names, r.keys.record(asks[k].ID))
				args = append(args, memberOf(index.DeliveryDue, asks[k].ID), wanted)
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
			return r.unavailable(err)
		}
		for k, word := range words {
			asks[some[k]].word = word
		}
	}
	return nil
}
