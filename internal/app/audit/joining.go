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

// ErrOtherTrail means that the trail which is to come into a store is not the one that has begun
// there: the two would stand in each other's numbers, and no longer be verified.
var ErrOtherTrail = errors.New("audit: another trail has begun in the store")

// Batch is the kind of the values that hold the lines of the trail.
const Batch = kindBatch

// Batches are the values with the lines of all chains, in order.
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

// Joins checks whether a trail can come into the store beside what is there: where a tenant
// has a chain in both, it must be the same one, of which either may have more. It fails with
// [ErrOtherTrail] and the tenants whose chains are two. Values of other kinds are passed over.
func (l *Log) Joins(ctx context.Context, coming iter.Seq2[keyvalue.Entry, error]) error {
	begun, shared, other := map[string]bool{}, map[string]bool{}, map[string]error{}
	for e, err := range coming {
		if err != nil {
			return err
		}
		tenant := e.Key.Tenant
		if _, known := begun[tenant]; e.Key.Kind == kindBatch && !known {
			there, err := l.kv.List(ctx, keyvalue.Range{Kind: kindBatch, Tenant: tenant, Limit: 1})
			if err != nil {
				return err
			}
			begun[tenant] = len(there) > 0
		}
		if e.Key.Kind != kindBatch || !begun[tenant] || other[tenant] != nil {
			continue
		}
		there, err := l.kv.Get(ctx, e.Key)
		switch {
		case errors.Is(err, bridge.ErrNotFound):
		case err != nil:
			return err
		case bytes.Equal(there.Value, e.Value):
			shared[tenant] = true
		default:
			first, _ := strconv.ParseInt(e.Key.ID, 16, 64) // It is one that batchKey made, here and there.
			other[tenant] = fmt.Errorf("the chain of tenant %q has other lines from number %d on", tenant, first)
		}
	}
	all := []error{ErrOtherTrail}
	for _, tenant := range slices.Sorted(maps.Keys(begun)) {
		switch {
		case other[tenant] != nil:
			all = append(all, other[tenant])
		case begun[tenant] && !shared[tenant]:
			all = append(all, fmt.Errorf("the chain of tenant %q has begun there and shares no line", tenant))
		}
	}
	if len(all) == 1 {
		return nil
	}
	return errors.Join(all...)
}
