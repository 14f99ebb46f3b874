package storage

import (
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// Errors of stores.
var (
	// ErrNotFound is [ask.ErrNotFound].
	ErrNotFound = ask.ErrNotFound
	// ErrNotReplicated accompanies a record that is stored, but on fewer replicas of the
	// store than configured, so a failover could lose it.
	ErrNotReplicated = errors.New("bridge: saved, but not yet copied to enough replicas")
	// ErrTooNew means that only a newer build can read a record.
	ErrTooNew = errors.New("bridge: record made by a newer askbridge")
	// ErrExists accompanies a stored record that existed before.
	ErrExists = errors.New("bridge: request exists")
	// ErrOvertaken means that another replica has written a value meanwhile.
	ErrOvertaken = errors.New("bridge: changed concurrently")
	// ErrUnchanged is [record.ErrUnchanged].
	ErrUnchanged = record.ErrUnchanged
	// ErrUnavailable is [ask.ErrUnavailable].
	ErrUnavailable = ask.ErrUnavailable
	// ErrClosed is [ask.ErrClosed].
	ErrClosed = ask.ErrClosed
)

// StoreKind classifies the error of a store.
type StoreKind string

// The kinds of store errors. Each value is the text that an operator sees.
const (
	// StoreUnreachable: the store does not reply in time.
	StoreUnreachable StoreKind = "unreachable"
	// StoreOutOfMemory: the store rejects writes until memory is freed.
	StoreOutOfMemory StoreKind = "out of memory"
	// StoreDiskFull: the store rejects writes until disk space is freed.
	StoreDiskFull StoreKind = "disk full"
	// StoreDenied: the bridge lacks a permission.
	StoreDenied StoreKind = "missing permission"
	// StoreReadOnly: the store replies but rejects writes for another reason.
	StoreReadOnly StoreKind = "read-only"
)

// StoreError is the error of a [Store] when the call itself is valid and can be
// retried later. It matches [ErrUnavailable].
type StoreError struct {
	Kind StoreKind
	// Err is the cause. It may contain hosts, files and users, so it is only for the log.
	Err error
}

func (e *StoreError) Error() string { return fmt.Sprintf("store %s: %v", e.Kind, e.Err) }

// Is matches [ErrUnavailable].
func (e *StoreError) Is(target error) bool { return target == ErrUnavailable }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// StoreTrouble describes a store's error to a caller, without hosts, files and users.
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
