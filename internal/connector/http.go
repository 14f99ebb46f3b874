package connector

import (
	"context"
	"errors"
	"net/http"
	"strconv"
)

var (
	// ErrGone means that the request ended before it was acknowledged.
	ErrGone = errors.New("the connection was closed before the acknowledgement")
	// ErrAckTime means that an acknowledgement did not reach its request in time.
	ErrAckTime = errors.New("the acknowledgement could not be handed over")
)

// Posted rejects requests with another method than POST.
func Posted(serve http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		serve(w, r)
	})
}

// Unavailable responds that the request cannot be handled now.
func Unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
}

// Answer writes a complete JSON response, or an empty one, and flushes it before it returns.
func Answer(w http.ResponseWriter, content []byte) {
	if len(content) > 0 {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(content)                   // The platform may have disconnected.
	_ = http.NewResponseController(w).Flush() // Writers in tests may not support it.
}

// Pending passes the acknowledgement from an interaction's handler to its request. The request ends with it, while the
// handler continues.
type Pending[T any] struct {
	body          chan T
	written, gone chan struct{}
}

// NewPending returns the pending acknowledgement of a new request.
func NewPending[T any]() *Pending[T] {
	return &Pending[T]{body: make(chan T, 1), written: make(chan struct{}), gone: make(chan struct{})}
}

// Send passes the acknowledgement and returns when it was written. Call it once.
func (p *Pending[T]) Send(ctx context.Context, body T) error {
	p.body <- body // It is buffered.
	ctx, cancel := context.WithTimeoutCause(ctx, AckTime, ErrAckTime)
	defer cancel()
	select {
	case <-p.written:
		return nil
	case <-p.gone:
		return ErrGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Serve writes the acknowledgement when it arrives, unless the request ends first.
func (p *Pending[T]) Serve(ctx context.Context, write func(T)) {
	select {
	case body := <-p.body:
		write(body)
		close(p.written)
	case <-ctx.Done():
		close(p.gone)
	}
}
