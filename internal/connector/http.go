package connector

import (
	"context"
	"errors"
	"net/http"
	"strconv"
)

var (
	// ErrGone means that the request that waited for an acknowledgement is over.
	ErrGone = errors.New("the connection was closed before the acknowledgement")
	// ErrAckTime means that an acknowledgement did not reach its request in time.
	ErrAckTime = errors.New("the acknowledgement could not be handed over")
)

// Posted lets nothing through but what is posted.
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

// Unavailable answers that nobody can take the request now.
func Unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
}

// Answer writes a whole response of JSON, or an empty one, at once, so that the
// platform has it before this function returns.
func Answer(w http.ResponseWriter, content []byte) {
	if len(content) > 0 {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(content)                   // If the platform has gone, it has gone.
	_ = http.NewResponseController(w).Flush() // Not every test's writer can.
}

// Pending is an acknowledgement on its way from the act to the request that
// waits for it. The request ends with it; the act goes on elsewhere.
type Pending[T any] struct {
	body          chan T
	written, gone chan struct{}
}

// NewPending makes one for a request that has just arrived.
func NewPending[T any]() *Pending[T] {
	return &Pending[T]{body: make(chan T, 1), written: make(chan struct{}), gone: make(chan struct{})}
}

// Send hands over the acknowledgement and returns when it was written. It is
// called once.
func (p *Pending[T]) Send(ctx context.Context, body T) error {
	p.body <- body // There is room for one.
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

// Serve writes the acknowledgement as soon as it is there, unless the request
// ends first.
func (p *Pending[T]) Serve(ctx context.Context, write func(T)) {
	select {
	case body := <-p.body:
		write(body)
		close(p.written)
	case <-ctx.Done():
		close(p.gone)
	}
}
