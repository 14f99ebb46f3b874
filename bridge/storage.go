package bridge

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// What the bridge remembers of a request is the matter of package record. These
// are the names under which the bridge, its stores and its platforms exchange it.
type (
	// Record is everything the bridge remembers of one request.
	Record = record.Record
	// Copy is the card in one place.
	Copy = record.Copy
	// Transition changes a record, given the store's time.
	Transition = record.Transition
	// Notification says that a record was changed.
	Notification = record.Notification
)

// Store remembers records. It knows nothing of what they mean beyond the fields that
// it sets or indexes, and shares nothing with its callers: [record.Record.Clone] copies.
//
// It sets ID, Version and Changed, whatever a transition has left there, and Created
// before the first transition where that is zero.
//
// It keeps four indexes in the same atomic step as the record: of open records by Due, of
// what is behind by DeliveryDue, of ended records by EndedAt, and the first and last of
// these for each tenant. A record with an EndedAt has ended; one whose moment is zero
// stands nowhere in that index. Change rewrites an index only when the transition changed
// its field, so that a Claim made meanwhile stands.
//
// [github.com/askbridge/askbridge/bridge/bridgetest.TestStore] is the contract as a suite.
type Store interface {
	// Create stores r as version 1 if no record has its id. Otherwise it
	// returns the stored record and [ErrExists]. The transition is run on r
	// with the store's time before it is stored.
	Create(ctx context.Context, r Record, f Transition) (Record, error)
	// Load returns a record or [ErrNotFound].
	Load(ctx context.Context, id string) (Record, error)
	// Change loads a record, runs f and stores the result if nobody else has
	// changed it meanwhile, else runs f again on the newer one. It returns the
	// record as it is stored afterwards, also together with an error of f.
	Change(ctx context.Context, id string, f Transition) (Record, error)
	// Due returns records whose Due has passed by the store's clock, earliest
	// first.
	Due(ctx context.Context, limit int) (Batch, error)
	// Claim returns records whose DeliveryDue has passed by the store's clock, earliest
	// first, and moves them ahead by lease in that index, so that nobody else claims them
	// meanwhile. It leaves the records alone, DeliveryDue too.
	Claim(ctx context.Context, lease time.Duration, limit int) (Batch, error)
	// Scan lists records of one index; see [Scan].
	Scan(ctx context.Context, s Scan) ([]Record, error)
	// Count returns how many records of a tenant stand in the index of open ones. It may say
	// too many, when that holds what has gone since, and never too few.
	Count(ctx context.Context, tenant string) (int, error)
	// Watch calls changed for each record that anybody changes, with what
	// [record.Record.Notify] returns, until ctx ends; then it returns nil, and [ErrClosed]
	// after Close. It begins with a zero [Notification] once it misses nothing any more, and
	// says the same after a gap. Calls may be missed, repeated and forged, so nothing is
	// decided by what they say. Changed must not block.
	Watch(ctx context.Context, changed func(Notification)) error
	// Close releases what the store holds. The store must not be used after.
	Close() error
}

// WriteBehinder is a Store that can put off a change that nobody waits for, so that
// it costs no round trip of its own.
type WriteBehinder interface {
	// WriteBehind makes a change within a second or so, together with what else
	// there is to write, and calls done with what Change would have returned. It
	// reports whether it does; Close waits for it, and the sudden end of this
	// process loses it.
	WriteBehind(id string, f Transition, done func(Record, error)) bool
}

// OutcomeCache is a Store whose notifications bring along how a request has ended.
type OutcomeCache interface {
	// Ended returns an ended record, as a notification brought it not long ago,
	// without asking anybody. It reports false when there was none, or none that
	// is proved to come from somebody who stored the record.
	Ended(id string) (Record, bool)
}

// HealthChecker is a Store that can check more than a read does: that it takes writes, and
// that it has every permission it needs.
type HealthChecker interface {
	// CheckHealth returns nil when the store can do everything that the bridge needs, and
	// else a [*StoreError].
	CheckHealth(ctx context.Context) error
}

// Batch is a share of work that is due.
type Batch struct {
	IDs []string
	// Now is the store's clock at the time of the call.
	Now time.Time
	// Next is how long until the next record not in IDs is due; negative when
	// none is known.
	Next time.Duration
}

// Scan asks for the records of one index.
type Scan struct {
	// Ended selects the finished records, ordered by EndedAt; else the open
	// ones, ordered by Due. Ties are ordered by id.
	Ended bool
	// Tenant selects the records of one tenant, without a look at those of others;
	// nil is all of them. The order is then by the full second of that moment, and
	// all moments from the year 2106 on are one.
	Tenant *string
	// From and After resume: records at or after From, and at From only those
	// with ids above After. Use the last record's time and id.
	From  time.Time
	After string
	// Only leaves out the records whose ids it refuses, which are not read at all; nil leaves
	// out none. It must not call the store.
	Only func(id string) bool
	// TooNew is told of each record that only a newer build can read, which is left out then;
	// with nil the scan fails of it with [ErrTooNew]. It must not call the store.
	TooNew func(id string, err error)
	// Limit is the number of records wanted, at least 1.
	Limit int
}

// All are the records of a scan to its end, read Limit at a time, which the caller may change. An
// error of the store is the last one.
func (s Scan) All(ctx context.Context, store Store) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for s := s; ; {
			page, err := store.Scan(ctx, s)
			if err != nil {
				yield(nil, err)
				return
			}
			if n := len(page); n > 0 {
				behind := CursorOf(&page[n-1], s.Ended)
				s.From, s.After = behind.At, behind.ID
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

// Wants reports whether the scan is for a record with this id.
func (s Scan) Wants(id string) bool { return s.Only == nil || s.Only(id) }

// Leaves tells of a record that could not be read, and reports whether the scan goes on without it.
func (s Scan) Leaves(id string, err error) bool {
	if s.TooNew == nil || !errors.Is(err, ErrTooNew) {
		return false
	}
	s.TooNew(id, err)
	return true
}
