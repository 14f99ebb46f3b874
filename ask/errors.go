package ask

import (
	"errors"
	"fmt"
)

// Errors a caller can act on. They are the same for an in-process bridge and one behind the
// HTTP API.
var (
	// ErrNotFound means that no request has this id: it never existed, its retention time
	// passed, or it belongs to another tenant.
	ErrNotFound = errors.New("ask: no such request")
	// ErrGone means that an open request disappeared from the store, for example because the
	// store was flushed. It also matches [ErrNotFound].
	ErrGone = fmt.Errorf("%w: it has vanished from the store", ErrNotFound)
	// ErrConflict means that the idempotency key or tool-call ID is already used by a request
	// with different questions, places or responders. Nothing was stored or posted.
	ErrConflict = errors.New("ask: same key, different request")
	// ErrUnavailable means that the store could not be reached in time. Nothing is lost and the
	// call can be retried.
	ErrUnavailable = errors.New("ask: store unavailable")
	// ErrClosed means that the bridge is shutting down. The call can be retried on another
	// replica.
	ErrClosed = errors.New("ask: the bridge is shutting down")
)
