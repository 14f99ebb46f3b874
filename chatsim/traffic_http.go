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

// Record serves next and keeps what is asked and answered, under the names of both parties. What a caller sent in its
// headers to prove who it is stays out. Requests for which skip says so are served alone.
func (t *Traffic) Record(from, to string, next http.Handler, skip func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !t.On() || skip(r) { // Most tests keep nothing.
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
		said := &answer{ResponseWriter: w}
		defer end(func(e *Exchange) {
			if e.Status, e.Response = said.status, said.body.String(); e.Status == 0 {
				e.Trouble = "the connection ended without an answer"
			}
		})
		next.ServeHTTP(said, r)
		if said.status == 0 {
			said.status = http.StatusOK
		}
	})
}

// Upgrades tells whether a request asks for a websocket, which is no exchange.
func Upgrades(r *http.Request) bool { return r.Header.Get("Upgrade") != "" }

// readable is a body as people read it: a form becomes JSON, and so do the values of it that are JSON as text. A token
// in a form stays out.
func readable(contentType string, body []byte) string {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind != "application/x-www-form-urlencoded" || json.Valid(body) { // curl calls whatever it sends a form.
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

// readAgain is a body of which the beginning was read.
type readAgain struct {
	io.Reader
	io.Closer
}

// answer is a response on its way that is kept too.
type answer struct {
	http.ResponseWriter

	status int
	body   bytes.Buffer
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Hijack is refused: what is written past the response could not be kept.
func (*answer) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrNotSupported }

// Flush sends what is written so far, as streams do.
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
