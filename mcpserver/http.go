package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/internal/loopback"
	"github.com/askbridge/askbridge/internal/textinput"
)

const (
	// bodyTime is how long a client may take to send a message.
	bodyTime = 10 * time.Second
	// maxBody leaves room for the rest of the message around the arguments of a call.
	maxBody = dialect.MaxInput + 64<<10
	// maxBatch is how many messages one body may hold. Batches were part of one
	// revision only
	// (https://modelcontextprotocol.io/specification/2025-03-26/basic#batching).
	maxBatch = 20
)

// Handler serves MCP over streamable HTTP, without sessions and access control, under
// loopback names only, and not to pages of other origins. The response writer must
// support flushing, itself or by Unwrap.
func (s *Server) Handler(b Asker) http.Handler {
	return local(http.NewCrossOriginProtection().Handler(s.handler(b)))
}

// HandlerFor is [Server.Handler] for one caller, from any address. The code that mounts it
// must have called [access.Caller.Enter].
func (s *Server) HandlerFor(who *access.Caller) http.Handler { return s.handler(who) }

func (s *Server) handler(b Asker) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := checkQuery(r.URL.Query()); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		data, refused := body(w, r)
		if refused != nil {
			http.Error(w, refused.words, refused.status)
			return
		}
		n, err := checkMessages(data)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if limited := enter(b, n-1); limited != nil {
			w.Header().Set("Retry-After", strconv.Itoa(seconds(limited.RetryAfter)))
			http.Error(w, limited.Detail, http.StatusTooManyRequests)
			return
		}
		// Proxies that buffer responses would hold back progress notifications.
		w.Header().Set("X-Accel-Buffering", "no")
		// The SDK does not cancel a handler when its client disconnects.
		r = r.WithContext(onLine(r.Context(), line{bridge: b, life: r.Context()}))
		r.Body = io.NopCloser(bytes.NewReader(data))
		s.http.ServeHTTP(w, r)
	})
}

// enter counts the messages of a batch after the first, which was counted as the call.
func enter(b Asker, more int) *access.RefusedError {
	who, ok := b.(*access.Caller)
	if !ok {
		return nil
	}
	for range more {
		if refused, ok := errors.AsType[*access.RefusedError](who.Enter(access.Ask)); ok {
			return refused
		}
	}
	return nil
}

// seconds rounds up to at least one.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// local protects a server without access control from pages in a local browser: one that
// rebound its name to our address (DNS rebinding) sends its own name as Host.
func local(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback.Is(r.Host) {
			http.Error(w, "this is served under loopback names only, such as localhost", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// checkMessages counts the messages of a body. It rejects what no client needs to send:
// duplicate members, an ID that cannot be represented, and more messages than an agent makes
// parallel calls.
func checkMessages(data []byte) (n int, err error) {
	if err := ask.CheckMembers(data); err != nil {
		return 0, err
	}
	var batch []json.RawMessage
	switch {
	case json.Unmarshal(data, &batch) != nil:
		batch = []json.RawMessage{data} // It is a single message.
	case len(batch) > maxBatch:
		return 0, fmt.Errorf("a batch of %d messages: send at most %d at once", len(batch), maxBatch)
	}
	for _, message := range batch {
		if err := checkID(message); err != nil {
			return 0, err
		}
	}
	return len(batch), nil
}

// refusedBody is a body that was not read.
type refusedBody struct {
	status int
	words  string
}

// body reads the body, within limits of size and time, in any encoding that [textinput.JSON] reads. It removes the
// deadline afterwards, since the response may take as long as people do.
func body(w http.ResponseWriter, r *http.Request) ([]byte, *refusedBody) {
	if err := textinput.CheckCoding(r.Header.Values("Content-Encoding")); err != nil {
		w.Header().Set("Accept-Encoding", "identity") // https://www.rfc-editor.org/rfc/rfc9110#section-15.5.16
		return nil, &refusedBody{http.StatusUnsupportedMediaType, err.Error()}
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // Writers in tests do not support it.
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var most *http.MaxBytesError
	status := 0
	switch {
	case errors.As(err, &most):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		status = http.StatusRequestTimeout
	case err != nil:
		status = http.StatusBadRequest
	}
	if status != 0 {
		return nil, &refusedBody{status, http.StatusText(status)}
	}
	_ = rc.SetReadDeadline(time.Time{})
	if data, _, err = textinput.JSON(data); err != nil {
		return nil, &refusedBody{http.StatusBadRequest, err.Error()}
	}
	return data, nil
}
