package storage

import (
	"context"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// Partitions is the number of partitions over which a store may spread records. The
// first character of an ID, 'a' to 'p', is its partition; requests of one session
// share one.
const Partitions = 16

// Store keeps records. It interprets only the fields that it sets or indexes, and it
// shares no memory with its callers: [record.Record.Clone] copies.
//
// It sets ID, Version and Changed, whatever a transition assigned to them, and
// Created before the first transition if that is zero.
//
// It updates four indexes in the same atomic step as the record: open records by
// Due, records with outdated cards or calls by DeliveryDue, ended records by
// EndedAt, and the first and the last of these per tenant. A record with an EndedAt
// has ended. A zero time removes a record from its index. Change updates an index
// only if the transition changed its field, so a concurrent Claim stays valid.
type Store interface {
	// Create runs f on r with the store's time and stores the result as version 1, if no
	// record has that ID. Otherwise it returns the stored record and [ErrExists].
	Create(ctx context.Context, r record.Record, f record.Transition) (record.Record, error)
	// Load returns a record or [ErrNotFound].
	Load(ctx context.Context, id string) (record.Record, error)
	// Change loads a record, runs f and stores the result. If the record changed
	// meanwhile, it runs f again on the newer one. It returns the record as stored
	// afterwards, also if f returns an error.
	Change(ctx context.Context, id string, f record.Transition) (record.Record, error)
	// Due returns records whose Due has passed by the store's clock, earliest first.
	Due(ctx context.Context, limit int) (Batch, error)
	// Claim returns records whose DeliveryDue has passed by the store's clock, earliest
	// first, and moves them ahead by lease in that index so that no other replica claims
	// them meanwhile. It does not change the records, including DeliveryDue.
	Claim(ctx context.Context, lease time.Duration, limit int) (Batch, error)
	// Scan lists records of one index.
	Scan(ctx context.Context, s Scan) ([]record.Record, error)
	// Count returns the number of a tenant's records in the index of open records. It may
	// be too high while the index contains deleted records, but never too low.
	Count(ctx context.Context, tenant string) (int, error)
	// Watch calls changed with [record.Record.Notify] of every record that any replica
	// changes, until ctx ends. Then it returns nil, and [ErrClosed] after Close. A zero
	// [record.Notification] means that it misses nothing from here on; it is sent first
	// and after every gap. Notifications can be lost, repeated or forged, so they decide
	// nothing. changed must not block.
	Watch(ctx context.Context, changed func(record.Notification)) error
	// Close releases the store's resources. The store must not be used afterwards.
	Close() error
}

// WriteBehinder is a Store that can delay a change for which no one waits, to save
// a round trip.
type WriteBehinder interface {
	// WriteBehind makes a change within about a second, together with other writes, and
	// calls done with the result of Change. It reports whether it accepted the change.
	// Close waits for it; a crash of this process loses it.
	WriteBehind(id string, f record.Transition, done func(record.Record, error)) bool
}

// OutcomeCache is a Store whose notifications contain the outcome of a request.
type OutcomeCache interface {
	// Ended returns an ended record that arrived with a recent notification. It reports
	// false if there is none, or if its authenticity is not proven.
	Ended(id string) (record.Record, bool)
}

// HealthChecker is a Store that can check more than a read does.
type HealthChecker interface {
	// CheckHealth returns nil if the store accepts writes and has every permission that
	// the bridge needs, else a [*StoreError].
	CheckHealth(ctx context.Context) error
}

// Batch is a number of records that are due.
type Batch struct {
	IDs []string
	// Now is the store's clock at the time of the call.
	Now time.Time
	// Next is the time until the next record that is not in IDs is due; negative if
	// unknown.
	Next time.Duration
}
