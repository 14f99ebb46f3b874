package bridge

import (
	"context"
	"fmt"
	"iter"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Query selects records to list.
type Query struct {
	// Tenant owns the records. It is ignored if All is set.
	Tenant string
	All    bool
	// Ended selects ended requests, oldest first; else open ones, by deadline. Records
	// of one tenant are ordered by full seconds.
	Ended bool
	// After is the last record of the previous page.
	After storage.Cursor
	// Limit is the maximum number of records per page; zero means 100.
	Limit int
}

// List returns one page of records. A page with fewer than Limit is the last one.
func (b *Bridge) List(ctx context.Context, q Query) ([]record.Record, error) {
	q.Limit = q.limit()
	var found []record.Record
	for r, err := range b.All(ctx, q) {
		if err != nil {
			return nil, err
		}
		if found = append(found, *r); len(found) == q.Limit {
			break
		}
	}
	return found, nil
}

// All iterates over the records of all pages. An error ends the iteration.
func (b *Bridge) All(ctx context.Context, q Query) iter.Seq2[*record.Record, error] {
	s := storage.Scan{Ended: q.Ended, From: q.After.At, After: q.After.ID, Limit: q.limit()}
	if !q.All {
		s.Tenant = &q.Tenant
	}
	return func(yield func(*record.Record, error) bool) {
		for r, err := range b.deadlines.All(ctx, s) {
			if err != nil {
				yield(nil, fmt.Errorf("bridge: list: %w", err))
				return
			}
			if q.Ended == !r.Open() && !yield(r, nil) {
				return
			}
		}
	}
}

func (q *Query) limit() int {
	if q.Limit <= 0 {
		return 100
	}
	return q.Limit
}

// Open returns the number of a tenant's open requests. It may be slightly too high. Its
// cost does not depend on other tenants.
func (b *Bridge) Open(ctx context.Context, tenant string) (int, error) {
	n, err := b.records.Store.Count(ctx, tenant)
	if err != nil {
		return 0, fmt.Errorf("bridge: count: %w", err)
	}
	return n, nil
}
