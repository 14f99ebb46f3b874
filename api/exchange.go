package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connlimit"
	"github.com/askbridge/askbridge/internal/textinput"
)

// HeaderCallID identifies the call in the bridge's log; every response has it.
const HeaderCallID = "Askbridge-Call-Id"

const (
	// bodyTime limits receiving a body, and writeTime sending a response. Neither covers the
	// wait.
	bodyTime  = 10 * time.Second
	writeTime = 10 * time.Second
	// statusGone is logged for a client that disconnected before its response.
	statusGone = 499
)

// exchange is one API call in progress.
type exchange struct {
	s     *service
	route *route
	w     http.ResponseWriter
	r     *http.Request
	who   *access.Caller
	// sealed is set for a call with a sealed token.
	sealed *sealedCall
	began  time.Time

	callID string
	// about is the id of the call's request, for the log.
	about string
	// read means that the body was read completely.
	read   bool
	status int
	// written means that the response was written completely.
	written bool
	// place is the call's reservation among the waiters of the request, released at the end.
	place *bridge.Parked
	// waits means that the call uses one of its caller's permitted waits.
	waits bool
	// parked is set while the call waits.
	parked *parked
	// aborted means that the response must be cut off.
	aborted bool
}

// run executes one part of the call: the first one, or the one after a wait.
func (x *exchange) run(part func() error) {
	defer x.end()
	if err := part(); err != nil {
		x.fail(err)
	}
}

// common sets the headers of every response.
func (x *exchange) common() {
	h := x.w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set(HeaderCallID, x.id())
}

// id identifies the call in the log.
func (x *exchange) id() string {
	if x.callID == "" {
		x.callID = rand.Text()[:16]
	}
	return x.callID
}

// end logs the call unless it is waiting, and recovers from a panic.
func (x *exchange) end() {
	if p := recover(); p != nil {
		x.panicked(p)
	}
	if x.parked != nil {
		return
	}
	if x.place != nil {
		x.place.Leave()
	}
	if x.waits {
		x.who.Quota.EndWait(time.Since(x.began))
	}
	if !x.aborted {
		x.logCall()
	}
}

// panicked handles a panic.
func (x *exchange) panicked(p any) {
	x.parked = nil
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		x.aborted = true
		return
	}
	x.s.log.Error("call panicked", "call_id", x.id(), "route", x.pattern(), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if x.status != 0 {
		// The response has started: only cutting it off signals the error.
		x.aborted = true
		return
	}
	x.fail(problem(http.StatusInternalServerError, "internal error; the bridge's log has details under the call_id"))
}

// logCall logs the call: reads that succeeded, such as polls, only at debug.
func (x *exchange) logCall() {
	if x.s.opts.Observe != nil {
		x.s.opts.Observe(x.pattern(), cmp.Or(x.route.method, "none"), x.status)
	}
	level := slog.LevelInfo
	if x.route.quiet || (x.route.method == http.MethodGet || x.route.poll) && x.status < http.StatusBadRequest {
		level = slog.LevelDebug
	}
	if !x.s.log.Enabled(context.Background(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("call_id", x.id()), slog.String("method", x.r.Method), slog.String("route", x.pattern()),
		slog.Int("status", x.status), slog.Duration("took", time.Since(x.began)),
	}
	if x.about != "" {
		attrs = append(attrs, slog.String("request_id", x.about))
	}
	if x.who != nil && x.who.Person() != nil {
		attrs = append(attrs, slog.String("person", x.who.Person().ID))
	} else if x.who != nil && x.who.Name != "" {
		attrs = append(attrs, slog.String("agent", x.who.Name))
	}
	x.s.log.LogAttrs(context.Background(), level, "call served", attrs...)
}

// pattern returns the route, never the path as sent.
func (x *exchange) pattern() string {
	if x.route.path == "" {
		return "none"
	}
	return x.route.path
}

// raw reads the body, with limits of size and time.
func (x *exchange) raw(most int64) ([]byte, error) {
	if err := textinput.CheckCoding(x.r.Header.Values("Content-Encoding")); err != nil {
		x.w.Header().Set("Accept-Encoding", "identity") // https://www.rfc-editor.org/rfc/rfc9110#section-15.5.16
		return nil, problem(http.StatusUnsupportedMediaType, "%s", err)
	}
	if x.r.ContentLength > most {
		return nil, tooLarge(most)
	}
	rc := http.NewResponseController(x.w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // Test doubles of the writer have none.
	data, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, most))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge(most)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, problem(http.StatusRequestTimeout, "the body did not come within %s", bodyTime)
	case err != nil:
		return nil, problem(http.StatusBadRequest, "the body broke off")
	}
	_ = rc.SetReadDeadline(time.Time{})
	x.read = true
	if x.sealed != nil && !x.sealed.Holds(data) {
		return nil, problem(http.StatusUnauthorized, "the body is not the one that the token was sealed with")
	}
	return data, nil
}

func tooLarge(most int64) *failure {
	return problem(http.StatusRequestEntityTooLarge, "the body has more than %d bytes; shorten descriptions and previews", most)
}

// body reads a JSON text in any encoding that [textinput.JSON] accepts.
func (x *exchange) body(most int64) ([]byte, error) {
	data, err := x.raw(most)
	if err != nil {
		return nil, err
	}
	if data, _, err = textinput.JSON(data); err != nil {
		return nil, problem(http.StatusBadRequest, "%s", err)
	}
	return data, nil
}

// parse is body for a JSON object. form shows the expected body in errors.
func (x *exchange) parse(form string) ([]byte, error) {
	data, err := x.body(MaxBody)
	if err != nil {
		return nil, err
	}
	return data, wellFormed(data, form)
}

// wellFormed returns an error for a body that is not a JSON object or list: empty, malformed,
// or a string. form shows the expected body.
func wellFormed(data []byte, form string) error {
	if len(data) == 0 {
		return problem(http.StatusBadRequest, "the body is empty; send %s", form)
	}
	var whole json.RawMessage
	err := json.Unmarshal(data, &whole)
	if err == nil && data[0] == '"' {
		return problem(http.StatusBadRequest, "the body is a JSON string; send the object itself")
	}
	if err == nil {
		return nil
	}
	p := problem(http.StatusBadRequest, "the body is not JSON")
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		p.Detail += fmt.Sprintf(": it goes wrong at byte %d", syntax.Offset)
	}
	return p
}

// reply sends a JSON response.
func (x *exchange) reply(status int, v any) error {
	if x.gone() {
		x.status = statusGone
		return nil
	}
	data, err := encode(v)
	if err != nil {
		return err
	}
	x.send(status, "application/json", data)
	return nil
}

// gone reports whether the client has disconnected.
func (x *exchange) gone() bool { return x.r.Context().Err() != nil }

// send writes the response with a deadline. It clears the deadline afterwards, since the
// connection is reused.
func (x *exchange) send(status int, kind string, data []byte) {
	rc := http.NewResponseController(x.w)
	x.common()
	h := x.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	x.prove(status, data)
	if !x.read && x.r.ContentLength != 0 && x.r.ProtoMajor == 1 {
		// The body is no longer needed; the server would read all of it, however slowly it
		// arrives.
		h.Set("Connection", "close")
		_ = rc.SetReadDeadline(time.Now().Add(time.Second))
	}
	_ = rc.SetWriteDeadline(time.Now().Add(writeTime)) // Test doubles of the writer have none.
	x.status = status
	x.w.WriteHeader(status)
	_, err := x.w.Write(data)
	if err == nil {
		err = rc.Flush()
	}
	if err == nil {
		err = rc.SetWriteDeadline(time.Time{})
	}
	if err != nil && !errors.Is(err, http.ErrNotSupported) && !errors.Is(err, http.ErrBodyNotAllowed) {
		x.s.log.Debug("response not delivered", "call_id", x.id(), "error", err)
		return
	}
	x.written = x.r.Method != http.MethodHead
}

// fail sends an error as a problem body.
func (x *exchange) fail(err error) {
	if x.gone() && errors.Is(err, context.Canceled) {
		x.status = statusGone
		return
	}
	known := problemOf(err)
	p := *known
	if p.Status >= http.StatusInternalServerError {
		p.CallID = x.id()
		if p.cause != nil {
			x.s.log.Error("call failed", "call_id", x.id(), "route", x.pattern(), "request_id", x.about, "status", p.Status, "error", p.cause)
		}
	}
	h := x.w.Header()
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="askbridge"`)
	}
	data, err := encode(&p)
	if err != nil {
		data = []byte("{}")
	}
	x.send(p.Status, "application/problem+json", data)
}

// encode does not escape <, > and &: responses are not embedded in pages, and people read them.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return buf.Bytes(), err
}

// serve handles one call.
func (s *service) serve(rt *route, w http.ResponseWriter, r *http.Request) {
	x := &exchange{s: s, route: rt, w: w, r: r, began: time.Now()}
	x.run(x.begin)
	if x.parked != nil && x.park() {
		return // Another goroutine continues it.
	}
	if x.aborted {
		panic(http.ErrAbortHandler)
	}
}

// begin executes a call up to its end or its wait.
func (x *exchange) begin() error {
	if err := x.admit(); err != nil {
		return err
	}
	if err := x.checkQuery(); err != nil {
		return err
	}
	return x.route.serve(x)
}

// admit authorizes the caller or returns an error.
func (x *exchange) admit() error {
	if x.route.open {
		return nil
	}
	err := x.unseal()
	if err == nil {
		x.who, err = x.s.admit(x.route, x.r)
	}
	if err != nil {
		p, level := problemOf(err), slog.LevelWarn
		if p.Status == http.StatusTooManyRequests {
			level = slog.LevelDebug // There are enough of them in the log.
		}
		x.s.log.Log(x.r.Context(), level, "call refused", "call_id", x.id(), "remote", x.s.remote(x.r), "status", p.Status, "reason", p.Detail)
		return err
	}
	connlimit.Verified(x.r.Context())
	return x.who.Enter(x.route.scope)
}
