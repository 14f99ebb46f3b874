package bridge

import (
	"errors"
	"fmt"
	"time"

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

// Kind says what to do about a platform's error.
type Kind string

// The kinds of platform errors.
const (
	// Transient: it failed and did nothing; try later.
	Transient Kind = "transient"
	// Ambiguous: it may or may not have been done, since the reply was lost.
	Ambiguous Kind = "ambiguous"
	// RateLimited: the platform asks to wait for RetryAfter.
	RateLimited Kind = "rate_limited"
	// Misconfigured: credentials or permissions of the whole connection are wrong; an
	// operator must act, and calls should stop.
	Misconfigured Kind = "misconfigured"
	// Unreachable: this target cannot be posted to (gone, archived, no access).
	Unreachable Kind = "unreachable"
	// Refused: the platform does not accept this card.
	Refused Kind = "refused"
	// Gone: the message no longer exists.
	Gone Kind = "gone"
	// Frozen: the message exists but cannot be edited any more.
	Frozen Kind = "frozen"
	// Locked: the message cannot be edited until somebody opens the place where it
	// stands again; nobody will say when. Try again in minutes, then in hours.
	Locked Kind = "locked"
)

// PlatformError is what every call of a [Platform] fails with.
type PlatformError struct {
	Platform string
	// Op is the platform's own name of the call, such as "chat.postMessage".
	Op   string
	Kind Kind
	// RetryAfter is set with RateLimited.
	RetryAfter time.Duration
	// Code is the platform's own word for it, such as "is_archived". Every error has one: it
	// stands in the log and is shown to the agent, so it never holds a secret.
	Code string
	// Err is the cause, which is shown to nobody.
	Err error
}

func (e *PlatformError) Error() string {
	return fmt.Sprintf("%s: %s: %s (%s)", e.Platform, e.Op, e.Code, e.Kind)
}

// Unwrap returns the underlying error.
func (e *PlatformError) Unwrap() error { return e.Err }

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
