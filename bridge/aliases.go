package bridge

import (
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/observe"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// The types of the contracts in record, storage and observe.
type (
	// Record is the stored state of a request.
	Record = record.Record
	// Copy is the card of a request in one place.
	Copy = record.Copy
	// Transition changes a record, given the store's time.
	Transition = record.Transition
	// Notification reports that a record changed.
	Notification = record.Notification

	// Store keeps records.
	Store = storage.Store
	// WriteBehinder is a Store that can delay writes.
	WriteBehinder = storage.WriteBehinder
	// OutcomeCache is a Store whose notifications contain outcomes.
	OutcomeCache = storage.OutcomeCache
	// HealthChecker is a Store that can check that it accepts writes.
	HealthChecker = storage.HealthChecker
	// Batch is a number of records that are due.
	Batch = storage.Batch
	// Scan selects records of one index.
	Scan = storage.Scan
	// Cursor is a position in a list of records.
	Cursor = storage.Cursor
	// StoreKind classifies the error of a store.
	StoreKind = storage.StoreKind
	// StoreError is the error of a store when the call can be retried later.
	StoreError = storage.StoreError
	// Threads remembers which requests a message can answer.
	Threads = storage.Threads
	// Numbers remembers the highest number of equal requests.
	Numbers = storage.Numbers
	// Digests keeps what is known of the digest at each place.
	Digests = storage.Digests
	// Files keeps the texts of files.
	Files = storage.Files
	// Grants keeps grants.
	Grants = storage.Grants
	// Grant is a person's permission for a call for a limited time.
	Grant = storage.Grant

	// Parked is a caller's place among those who wait for a request.
	Parked = state.Parked
	// Selection selects the requests to follow.
	Selection = state.Selection
	// CallError is the error of a webhook call, with instructions for the retry.
	CallError = deliver.CallError
	// PartError reports which part of the bridge is not ready: "store", or a platform's
	// name.
	PartError = deliver.PartError

	// Observer receives events.
	Observer = observe.Observer
	// Observation is one event.
	Observation = observe.Observation
	// Happening is the type of an event.
	Happening = observe.Happening
)

// The errors of the engine and its stores.
var (
	// ErrNotFound is [ask.ErrNotFound].
	ErrNotFound = ask.ErrNotFound
	// ErrGone is [ask.ErrGone].
	ErrGone = ask.ErrGone
	// ErrConflict is [ask.ErrConflict].
	ErrConflict = ask.ErrConflict
	// ErrUnavailable is [ask.ErrUnavailable].
	ErrUnavailable = ask.ErrUnavailable
	// ErrClosed is [ask.ErrClosed].
	ErrClosed = ask.ErrClosed
	// ErrUnchanged is [record.ErrUnchanged].
	ErrUnchanged = record.ErrUnchanged
	// ErrNotReplicated is [storage.ErrNotReplicated].
	ErrNotReplicated = storage.ErrNotReplicated
	// ErrTooNew is [storage.ErrTooNew].
	ErrTooNew = storage.ErrTooNew
	// ErrExists is [storage.ErrExists].
	ErrExists = storage.ErrExists
)

// The constants of storage and observe.
const (
	Partitions = storage.Partitions

	StoreUnreachable = storage.StoreUnreachable
	StoreOutOfMemory = storage.StoreOutOfMemory
	StoreDiskFull    = storage.StoreDiskFull
	StoreDenied      = storage.StoreDenied
	StoreReadOnly    = storage.StoreReadOnly

	RequestAsked    = observe.RequestAsked
	RequestEnded    = observe.RequestEnded
	ActJudged       = observe.ActJudged
	ActAcknowledged = observe.ActAcknowledged
	PlatformCalled  = observe.PlatformCalled
	CardPosted      = observe.CardPosted
	DeliveryPutOff  = observe.DeliveryPutOff
	AgentCalled     = observe.AgentCalled
)

// CursorOf is [storage.CursorOf].
func CursorOf(r *Record, ended bool) Cursor { return storage.CursorOf(r, ended) }

// StoreTrouble is [storage.StoreTrouble].
func StoreTrouble(err error) string { return storage.StoreTrouble(err) }
