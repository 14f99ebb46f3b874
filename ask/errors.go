package ask

import (
	"errors"
	"fmt"
)

// What a caller can act on, whether it calls a bridge in its own process or one behind
// its HTTP API.
var (
	// ErrNotFound means that no request has the id: never made, dropped after its
	// time, or another tenant's.
	ErrNotFound = errors.New("ask: no such request")
	// ErrGone means that a request has vanished while it was open: somebody has
	// emptied the store. It matches [ErrNotFound] too.
	ErrGone = fmt.Errorf("%w: it has vanished from the store", ErrNotFound)
	// ErrConflict means that the same idempotency key or tool-call ID was used
	// for other questions, places or responders. Nothing was stored or posted.
	ErrConflict = errors.New("ask: same key, different request")
	// ErrUnavailable means that the store could not be reached in time; nothing
	// is lost and the call may be repeated.
	ErrUnavailable = errors.New("ask: store unavailable")
	// ErrClosed means that the bridge is shutting down; the call may be
	// repeated elsewhere.
	ErrClosed = errors.New("ask: the bridge is shutting down")
)
