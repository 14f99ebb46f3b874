package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

const (
	// heartbeat keeps proxies from closing an idle stream, and detects disconnected clients.
	heartbeat = 15 * time.Second
	// reconnect is the reconnection delay sent to clients.
	reconnect = time.Second
)

// errOver ends a stream that has no more events.
var errOver = errors.New("api: end of events")

// followRequest streams one request: GET /v1/requests/{id}/events.
func followRequest(x *exchange) error {
	if err := x.mayStay(); err != nil {
		return err
	}
	end, err := x.who.Quota.Stream()
	if err != nil {
		return err
	}
	defer end()
	r, err := loadRequest(x)
	if err != nil {
		return err
	}
	q := bridge.Selection{Request: r.ID}
	var now bridge.Event
	err = x.who.Follow(x.r.Context(), q, func(e bridge.Event) error {
		now = e
		return errOver
	})
	if !errors.Is(err, errOver) {
		return err
	}
	seen := x.r.Header.Get("Last-Event-ID") == now.ID
	if seen && !now.Record.Open() {
		// Browsers stop reconnecting only for this response
		// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
		x.common()
		x.status = http.StatusNoContent
		x.w.WriteHeader(x.status)
		return nil
	}
	q.After = now.ID
	streamEvents(x, func(ctx context.Context, tell func(bridge.Event) error) error {
		once := func(e bridge.Event) error {
			if err := tell(e); err != nil {
				return err
			}
			if !e.Record.Open() {
				return errOver
			}
			return nil
		}
		if !seen {
			if err := once(now); err != nil {
				return err
			}
		}
		return x.who.Follow(ctx, q, once)
	})
	return nil
}

// followAll streams every request of the tenant: GET /v1/events.
func followAll(x *exchange) error {
	if err := x.mayStay(); err != nil {
		return err
	}
	end, err := x.who.Quota.Stream()
	if err != nil {
		return err
	}
	defer end()
	q := bridge.Selection{After: x.r.Header.Get("Last-Event-ID")}
	streamEvents(x, func(ctx context.Context, tell func(bridge.Event) error) error {
		return x.who.Follow(ctx, q, tell)
	})
	return nil
}

// streamEvents sends events while run executes. It uses no goroutine besides the call's; a timer
// writes the heartbeats.
func streamEvents(x *exchange, run func(ctx context.Context, tell func(bridge.Event) error) error) {
	x.common()
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // Otherwise nginx buffers the events.
	if x.r.ProtoMajor == 1 {
		h.Set("Connection", "close")
	}
	x.status = http.StatusOK
	x.w.WriteHeader(x.status)
	if x.r.Method == http.MethodHead {
		return
	}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	defer context.AfterFunc(x.s.draining, func() { cancel(bridge.ErrClosed) })()
	p := &pipe{w: x.w, rc: http.NewResponseController(x.w), broken: cancel, still: x.still}
	p.begin()
	defer p.end()
	err := p.write([]byte(fmt.Sprintf("retry: %d\n\n", reconnect.Milliseconds())))
	if err == nil {
		err = run(ctx, func(e bridge.Event) error {
			if err := x.still(); err != nil {
				return err
			}
			data, err := encode(show(x, &e.Record))
			if err != nil {
				return err
			}
			var text bytes.Buffer
			fmt.Fprintf(&text, "id: %s\nevent: %s\ndata: %s\n", e.ID, e.Record.Outcome.State, data)
			return p.write(text.Bytes())
		})
	}
	if err != nil && !errors.Is(err, errOver) && ctx.Err() == nil {
		x.s.log.Warn("event stream ended", "call_id", x.id(), "request_id", x.about, "error", err)
	}
}

// pipe writes to a client that may have stopped reading.
type pipe struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	broken context.CancelCauseFunc
	still  func() error

	mu    sync.Mutex
	over  bool
	pulse *time.Timer
}

func (p *pipe) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pulse = time.AfterFunc(heartbeat, p.beat)
}

func (p *pipe) beat() {
	err := p.still()
	if err == nil {
		err = p.write([]byte(":\n\n"))
	}
	if err != nil {
		p.broken(err)
	}
}

// write sends text immediately, with a timeout.
func (p *pipe) write(text []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return errOver
	}
	p.pulse.Reset(heartbeat)
	_ = p.rc.SetWriteDeadline(time.Now().Add(writeTime)) // Test doubles of the writer have none.
	if _, err := p.w.Write(text); err != nil {
		return err
	}
	return p.rc.Flush()
}

// end stops the heartbeat: the writer must not be used afterwards.
func (p *pipe) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.pulse.Stop()
	_ = p.rc.SetWriteDeadline(time.Now().Add(writeTime)) // For what the server writes at the end.
}
