package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

const (
	// bodyTime is how long a client may take to send a message.
	bodyTime = 10 * time.Second
	// maxBody leaves room for what stands around the arguments of a call.
	maxBody = dialect.MaxInput + 64<<10
	// maxBatch is how many messages one body may hold. Batches were part of one
	// revision only
	// (https://modelcontextprotocol.io/specification/2025-03-26/basic#batching).
	maxBatch = 20
)

// Handler serves MCP over streamable HTTP, without sessions. The writer it gets
// must be able to flush, itself or by Unwrap. Whoever mounts it checks who
// calls, leaves that in the request's context for [Options.Caller], and sets
// [Options.Authenticated].
func (s *Server) Handler() http.Handler {
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody,
		DisableLocalhostProtection: true, // See local, which does not depend on where the listener is.
	})
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, status := body(w, r)
		if status != 0 {
			http.Error(w, http.StatusText(status), status)
			return
		}
		if err := checkMessages(data); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		// Proxies that gather a response before they send it would keep progress
		// from the client.
		w.Header().Set("X-Accel-Buffering", "no")
		// The SDK lets a handler run on when its client goes away.
		r = r.WithContext(onLine(r.Context(), line{life: r.Context()}))
		r.Body = io.NopCloser(bytes.NewReader(data))
		inner.ServeHTTP(w, r)
	})
	if !s.opts.Authenticated {
		h = local(http.NewCrossOriginProtection().Handler(h))
	}
	return h
}

// local guards a server without locks against pages in a browser of the same
// machine: one whose name was bound to our address (DNS rebinding) gives its own
// name as Host.
func local(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Host
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
		if !strings.EqualFold(name, "localhost") && (err != nil || !ip.Unmap().IsLoopback()) {
			http.Error(w, "this is served under loopback names only, such as localhost", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// checkMessages refuses what a client has no need to send: a message that says two
// things at once, and more messages than the calls an agent makes side by side.
func checkMessages(data []byte) error {
	if err := ask.CheckMembers(data); err != nil {
		return err
	}
	var batch []json.RawMessage
	if json.Unmarshal(data, &batch) == nil && len(batch) > maxBatch {
		return fmt.Errorf("a batch of %d messages: send at most %d at once", len(batch), maxBatch)
	}
	return nil
}

// body reads what the client sends, within limits of size and time. The limit
// of time is taken back, since the response may take as long as people do.
func body(w http.ResponseWriter, r *http.Request) ([]byte, int) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // Test doubles of the writer have none.
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var most *http.MaxBytesError
	switch {
	case errors.As(err, &most):
		return nil, http.StatusRequestEntityTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, http.StatusRequestTimeout
	case err != nil:
		return nil, http.StatusBadRequest
	}
	_ = rc.SetReadDeadline(time.Time{})
	return data, 0
}
