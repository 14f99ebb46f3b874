package storage

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// Scan selects records of one index.
type Scan struct {
	// Ended selects ended records, ordered by EndedAt; else open ones, ordered by Due.
	// Ties are ordered by ID.
	Ended bool
	// Tenant selects the records of one tenant at a cost that does not depend on other
	// tenants; nil selects all. The order is then by full seconds, and all times from the
	// year 2106 on are equal.
	Tenant *string
	// From and After resume a scan: they select records later than From, and those at
	// From with IDs above After. Use the time and ID of the last record.
	From  time.Time
	After string
	// Only skips records whose IDs it rejects, without reading them; nil skips none. It
	// must not call the store.
	Only func(id string) bool
	// TooNew is called for each record that only a newer build can read, which is skipped
	// then. If it is nil, the scan fails with [ErrTooNew]. It must not call the store.
	TooNew func(id string, err error)
	// Limit is the maximum number of records, at least 1.
	Limit int
}

// All iterates over all records of a scan, reading Limit at a time. The caller may
// change the records. An error of the store ends the iteration.
func (s Scan) All(ctx context.Context, store Store) iter.Seq2[*record.Record, error] {
	return func(yield func(*record.Record, error) bool) {
		for s := s; ; {
			page, err := store.Scan(ctx, s)
			if err != nil {
				yield(nil, err)
				return
			}
			if n := len(page); n > 0 {
				last := CursorOf(&page[n-1], s.Ended)
				s.From, s.After = last.At, last.ID
			}
			for n := range page {
				if !yield(&page[n], nil) {
					return
				}
			}
			if len(page) < s.Limit {
				return
			}
		}
	}
}

// Wants reports whether the scan selects a record with this ID.
func (s Scan) Wants(id string) bool { return s.Only == nil || s.Only(id) }

// Leaves passes the error of an unreadable record to TooNew. It reports whether the
// scan continues without the record.
func (s Scan) Leaves(id string, err error) bool {
	if s.TooNew == nil || !errors.Is(err, ErrTooNew) {
		return false
	}
	s.TooNew(id, err)
	return true
}

// Cursor is a position in a list: after the record with that time and ID. The zero
// value is the beginning.
type Cursor struct {
	At time.Time
	ID string
}

// CursorOf returns the position after a record in the list of ended or open ones.
func CursorOf(r *record.Record, ended bool) Cursor {
	if ended {
		return Cursor{r.EndedAt, r.ID}
	}
	return Cursor{r.Due, r.ID}
}
