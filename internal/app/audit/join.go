package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// ErrOtherTrail is the error of [Log.Joins] if the store has a different trail.
var ErrOtherTrail = errors.New("audit: the store has a different trail")

// Batch is the kind of the values with the lines of the trail.
const Batch = kindBatch

// Batches returns the values with the lines of all chains, in order.
func (l *Log) Batches(ctx context.Context) iter.Seq2[keyvalue.Entry, error] {
	return func(yield func(keyvalue.Entry, error) bool) {
		heads, err := l.heads(ctx)
		if err != nil {
			yield(keyvalue.Entry{}, err)
			return
		}
		for _, h := range heads {
			for e, err := range l.all(ctx, keyvalue.Range{Kind: kindBatch, Tenant: h.Tenant}) {
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// Joins checks whether a trail can be copied into the store. A tenant may have a chain in both if
// one continues the other; otherwise the error is an [ErrOtherTrail]. Values of other kinds are ignored.
func (l *Log) Joins(ctx context.Context, incoming iter.Seq2[keyvalue.Entry, error]) error {
	joined := map[string]bool{} // By tenant: whether the chain is new here or has a batch in common.
	for e, err := range incoming {
		if err != nil {
			return err
		}
		if e.Key.Kind != kindBatch {
			continue
		}
		if _, known := joined[e.Key.Tenant]; !known {
			first, err := l.kv.List(ctx, keyvalue.Range{Kind: kindBatch, Tenant: e.Key.Tenant, Limit: 1})
			if err != nil {
				return err
			}
			joined[e.Key.Tenant] = len(first) == 0
		}
		here, err := l.kv.Get(ctx, e.Key)
		switch {
		case errors.Is(err, bridge.ErrNotFound):
		case err != nil:
			return err
		case bytes.Equal(here.Value, e.Value):
			joined[e.Key.Tenant] = true
		default:
			n, _ := strconv.ParseInt(e.Key.ID, 16, 64) // The ID comes from batchKey.
			return fmt.Errorf("%w: the chain of tenant %q differs from line %d on", ErrOtherTrail, e.Key.Tenant, n)
		}
	}
	for _, tenant := range slices.Sorted(maps.Keys(joined)) {
		if !joined[tenant] {
			return fmt.Errorf("%w: the chain of tenant %q has no line in common", ErrOtherTrail, tenant)
		}
	}
	return nil
}
