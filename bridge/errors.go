package bridge

import (
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// Errors a caller can act on.
var (
	// ErrNotFound is [ask.ErrNotFound].
	ErrNotFound = ask.ErrNotFound
	// ErrGone is [ask.ErrGone].
	ErrGone = ask.ErrGone
	// ErrNotReplicated accompanies a record that is stored, but that fewer
	// replicas of the store have than were asked for: it could still be lost.
	ErrNotReplicated = errors.New("bridge: saved, but not yet copied to enough replicas")
	// ErrTooNew means that a record has a format that only a newer build knows.
	ErrTooNew = errors.New("bridge: record made by a newer askbridge")
	// ErrExists accompanies a stored record that was there before.
	ErrExists = errors.New("bridge: request exists")
	// ErrConflict is [ask.ErrConflict].
	ErrConflict = ask.ErrConflict
	// ErrUnchanged is [record.ErrUnchanged].
	ErrUnchanged = record.ErrUnchanged
	// ErrUnavailable is [ask.ErrUnavailable].
	ErrUnavailable = ask.ErrUnavailable
	// ErrClosed is [ask.ErrClosed].
	ErrClosed = ask.ErrClosed
)

// PartError says which part of the bridge is out of order: "store", or a
// platform's name.
type PartError struct {
	Part string
	Err  error
}

func (e *PartError) Error() string { return fmt.Sprintf("%s: %v", e.Part, e.Err) }

// Unwrap returns the underlying error.
func (e *PartError) Unwrap() error { return e.Err }

// StoreKind says why a store did not do what it was asked.
type StoreKind string

// The kinds of store errors, each in words for an operator.
const (
	// StoreUnreachable: it does not answer, or not in time.
	StoreUnreachable StoreKind = "unreachable"
	// StoreOutOfMemory: it takes no writes until somebody makes room in memory.
	StoreOutOfMemory StoreKind = "out of memory"
	// StoreDiskFull: it takes no writes until somebody makes room on its disk.
	StoreDiskFull StoreKind = "disk full"
	// StoreDenied: the bridge may not do what it needs to do there.
	StoreDenied StoreKind = "missing permission"
	// StoreReadOnly: it answers and refuses writes for another reason.
	StoreReadOnly StoreKind = "read-only"
)

// StoreError is what a [Store] fails with when the call may be right and can be repeated
// later. It matches [ErrUnavailable].
type StoreError struct {
	Kind StoreKind
	// Err is the cause, which may name hosts, files and users: it is for the log.
	Err error
}

func (e *StoreError) Error() string { return fmt.Sprintf("store %s: %v", e.Kind, e.Err) }

// Is matches [ErrUnavailable].
func (e *StoreError) Is(target error) bool { return target == ErrUnavailable }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// StoreTrouble says what a store failed with, in words for a caller: without hosts, files
// and users.
func StoreTrouble(err error) string {
	if failed, ok := errors.AsType[*StoreError](err); ok {
		switch failed.Kind {
		case StoreUnreachable:
		case StoreOutOfMemory:
			return "the store is out of memory"
		case StoreDiskFull:
			return "the disk of the store is full"
		case StoreDenied:
			return "the store denies the bridge a permission"
		case StoreReadOnly:
			return "the store takes no writes"
		}
	}
	return "the store cannot be reached"
}
