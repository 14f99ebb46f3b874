package chatsim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
)

// Record serves next and records requests and responses under the names of both parties.
// Authentication headers are not recorded. Requests for which skip returns true are not
// recorded at all.
func (t *Traffic) Record(from, to string, next http.Handler, skip func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !t.On() || skip(r) { // Most tests record nothing.
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		if err == nil {
			r.Body = &readAgain{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		}
		end := t.Begin(Exchange{
			From: from, To: to, Name: r.Method + " " + r.URL.Path, Method: r.Method, Path: r.URL.RequestURI(),
			Request: readable(r.Header.Get("Content-Type"), body),
		})
		recorder := &answer{ResponseWriter: w}
		defer end(func(e *Exchange) {
			if e.Status, e.Response = recorder.status, recorder.body.String(); e.Status == 0 {
				e.Trouble = "the connection ended without an answer"
			}
		})
		next.ServeHTTP(recorder, r)
		if recorder.status == 0 {
			recorder.status = http.StatusOK
		}
	})
}

// Upgrades reports whether a request asks for a WebSocket, which is not an exchange.
func Upgrades(r *http.Request) bool { return r.Header.Get("Upgrade") != "" }

// readable formats a body for display: a form becomes JSON, including its JSON values. Tokens
// in a form are removed.
func readable(contentType string, body []byte) string {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind != "application/x-www-form-urlencoded" || json.Valid(body) { // curl labels any body as a form.
		return string(body)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return string(body)
	}
	out := map[string]any{}
	for name, values := range form {
		if raw := values[0]; json.Valid([]byte(raw)) && (raw[0] == '{' || raw[0] == '[') {
			out[name] = json.RawMessage(raw)
		} else if name != "token" {
			out[name] = raw
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return string(body)
	}
	return string(text)
}

// readAgain is a body whose beginning was already read.
type readAgain struct {
	io.Reader
	io.Closer
}

// answer is a response writer that also records the response.
type answer struct {
	http.ResponseWriter

	status int
	body   bytes.Buffer
}

// Unwrap supports http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Hijack is not supported: data written past the response could not be recorded.
func (*answer) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrNotSupported }

// Flush sends buffered data, for streams.
func (a *answer) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() }

func (a *answer) WriteHeader(status int) {
	if status >= http.StatusOK {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if room := maxBody + 1 - a.body.Len(); room > 0 {
		a.body.Write(p[:min(room, len(p))])
	}
	return a.ResponseWriter.Write(p)
}
