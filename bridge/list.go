package bridge

import (
	"context"
	"fmt"
	"time"
)

// Query selects records to list.
type Query struct {
	// Tenant owns the records; every tenant's when All is set.
	Tenant string
	All    bool
	// Ended selects finished requests, oldest first; else open ones, by
	// deadline. Those of one tenant are in order to the second.
	Ended bool
	// After resumes behind the last record of the page before.
	After Cursor
	// Limit is the most records wanted; zero means 100.
	Limit int
}

// List returns records of one tenant, in pages. Fewer than Limit means that
// there are no more.
func (b *Bridge) List(ctx context.Context, q Query) ([]Record, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = 100
	}
	s := Scan{Ended: q.Ended, Limit: limit}
	if !q.All {
		s.Tenant = &q.Tenant
	}
	s.From, s.After = q.After.At, q.After.ID
	var found []Record
	for len(found) < limit {
		page, err := b.records.page(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("bridge: list: %w", err)
		}
		for _, r := range page {
			if len(found) == limit {
				break
			}
			if r, err = b.deadlines.asOfNow(ctx, r); err != nil {
				return nil, fmt.Errorf("bridge: list: %w", err)
			}
			if q.Ended == !r.Open() {
				found = append(found, r)
			}
		}
		if len(page) < s.Limit {
			break
		}
		s.resume(&page[len(page)-1])
	}
	return found, nil
}

// Open returns how many open requests a tenant has, or a few more, at a cost that
// does not grow with those of other tenants.
func (b *Bridge) Open(ctx context.Context, tenant string) (int, error) {
	n, err := b.records.store.Count(ctx, tenant)
	if err != nil {
		return 0, fmt.Errorf("bridge: count: %w", err)
	}
	return n, nil
}

// Cursor is a place in a list: behind the record of that id, which stands at a
// moment of the index. The zero value is the begin.
type Cursor struct {
	At time.Time
	ID string
}

// CursorOf is the place behind a record in the list of ended or of open ones.
func CursorOf(r *Record, ended bool) Cursor {
	if ended {
		return Cursor{r.EndedAt, r.ID}
	}
	return Cursor{r.Due, r.ID}
}

// resume moves the scan behind the last record of a page.
func (s *Scan) resume(last *Record) {
	at := CursorOf(last, s.Ended)
	s.From, s.After = at.At, at.ID
}
