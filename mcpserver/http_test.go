package mcpserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/bridge"
)

// post sends one message to a server over HTTP.
func (w *fixture) post(ctx context.Context, body string, header ...string) (*http.Response, error) {
	return post(ctx, &http.Transport{DialContext: w.net.Dial, DisableKeepAlives: true}, body, header...)
}

// post sends one message to the agent's server over HTTP.
func (a *agent) post(ctx context.Context, body string, header ...string) (*http.Response, error) {
	return post(ctx, a.http, body, header...)
}

func post(ctx context.Context, transport http.RoundTripper, body string, header ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, line := range header {
		name, value, ok := strings.Cut(line, ": ")
		switch {
		case name == "Host":
			req.Host = value
		case ok:
			req.Header.Set(name, value)
		}
	}
	return transport.RoundTrip(req)
}

const askOnce = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Go?"},"_meta":{"claudecode/toolUseId":"toolu_1"%s}}}`

func TestMessageEncodings(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		for name, tt := range map[string]struct {
			body, header string
			status       int
			want         string
		}{
			"a byte order mark":       {"\ufeff" + ping, "", http.StatusOK, `"result"`},
			"UTF-16":                  {"\xff\xfe" + strings.Join(strings.Split(ping, ""), "\x00") + "\x00", "", http.StatusOK, `"result"`},
			"a string around it":      {strconv.Quote(ping), "", http.StatusOK, `"result"`},
			"half a character":        {"\xff\xfe{", "", http.StatusBadRequest, "byte order mark of UTF-16"},
			"compressed":              {"\x1f\x8b", "Content-Encoding: gzip", http.StatusUnsupportedMediaType, "the body has the Content-Encoding gzip; send it without one"},
			"compressed with nothing": {ping, "Content-Encoding: identity", http.StatusOK, `"result"`},
		} {
			resp, err := w.post(t.Context(), tt.body, tt.header)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != tt.status || !strings.Contains(string(body), tt.want) {
				t.Errorf("%s: %d %s, %v", name, resp.StatusCode, body, err)
			}
		}
	})
}

func TestFirstByteIsImmediate(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		began := time.Now()
		resp, err := w.post(t.Context(), strings.Replace(askOnce, "%s", `,"progressToken":1`, 1))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		line, err := bufio.NewReader(resp.Body).ReadString('\n')
		if err != nil || time.Since(began) != 0 || !strings.HasPrefix(line, "event:") {
			t.Errorf("%q, %v after %s", line, err, time.Since(began))
		}
		if resp.Header.Get("X-Accel-Buffering") != "no" || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("a proxy may hold this back: %v", resp.Header)
		}
		w.open()
	})
}

func TestDisconnectEndsWait(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]string{"no revision is named": "", "an old one": "MCP-Protocol-Version: " + june2025} {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, w *fixture) {
				ctx, cancel := context.WithCancel(t.Context())
				gone := make(chan error, 1)
				go func() {
					resp, err := w.post(ctx, strings.Replace(askOnce, "%s", "", 1), version)
					if err == nil {
						resp.Body.Close()
					}
					gone <- err
				}()
				id := w.open().ID
				if strings.Contains(w.logs.String(), `"call served"`) {
					t.Fatal("it does not wait at all")
				}
				cancel()
				if err := <-gone; err == nil {
					t.Error("it was answered")
				}
				synctest.Wait()
				if !strings.Contains(w.logs.String(), `"call served"`) {
					t.Error("it waits on")
				}
				if r := w.open(); r.ID != id {
					t.Error("the question went with it")
				}
			})
		})
	}
}

func TestHTTPHeaderChecks(t *testing.T) {
	t.Parallel()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	tests := map[string]struct {
		known  bool
		header string
		status int
	}{
		"a local caller":                         {false, "Host: localhost:8080", http.StatusOK},
		"a name bound to this machine":           {false, "Host: evil.example", http.StatusForbidden},
		"a page of another origin":               {false, "Sec-Fetch-Site: cross-site", http.StatusForbidden},
		"a proxy before a server that has locks": {true, "Host: ask.example.org", http.StatusOK},
		"an old stream that cannot be resumed":   {true, "Last-Event-ID: 5", http.StatusBadRequest},
		"an unknown revision":                    {true, "MCP-Protocol-Version: 2020-01-01", http.StatusBadRequest},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, w *fixture) {
				post := w.post
				if test.known {
					post = w.webAs(w.caller(access.Agent{Name: "known"})).post
				}
				resp, err := post(t.Context(), hello, test.header)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if data, err := io.ReadAll(resp.Body); resp.StatusCode != test.status || err != nil {
					t.Errorf("%s: %s %v", resp.Status, data, err)
				}
			})
		})
	}
}

func TestOneBodyCannotAskThousandsOfQuestions(t *testing.T) {
	bubble(t, &Options{Budget: time.Second}, func(t *testing.T, w *fixture) {
		batch := func(n int) string {
			all := make([]string, n)
			for i := range all {
				all[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Go?"}}}`, i+1)
			}
			return "[" + strings.Join(all, ",") + "]"
		}
		for n, want := range map[int]int{3000: http.StatusBadRequest, maxBatch + 1: http.StatusBadRequest, maxBatch: http.StatusOK} {
			resp, err := w.post(t.Context(), batch(n))
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("%d calls at once: %d %s", n, resp.StatusCode, text)
			}
		}
		if n := len(w.slack.Standing()); n != maxBatch {
			t.Errorf("%d cards stand, want %d", n, maxBatch)
		}
	})
}

func TestAmbiguousMessageRejected(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Go?"},"arguments":{"question":"Stop?"}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Go?","question":"Stop?"}}}`,
		} {
			resp, err := w.post(t.Context(), body)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "appears twice") {
				t.Errorf("%d %s", resp.StatusCode, text)
			}
		}
		if len(w.slack.Calls()) != 0 {
			t.Error("a question was asked")
		}
	})
}

// The result had a second ID, and the client waited for its own.
func TestUnstorableCallIDRejected(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		const call = `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Go?"}}}`
		for _, body := range []string{call, "[" + call + "]"} {
			resp, err := w.post(t.Context(), body)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "the id cannot be kept: give a string") {
				t.Errorf("%d %s", resp.StatusCode, text)
			}
		}
		if len(w.slack.Calls()) != 0 {
			t.Error("a question was asked")
		}
	})
}

func TestBodyLimits(t *testing.T) {
	t.Parallel()
	t.Run("large", func(t *testing.T) {
		bubble(t, nil, func(t *testing.T, w *fixture) {
			resp, err := w.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", maxBody)+`"}`)
			if err == nil {
				resp.Body.Close()
			}
			if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("too large: %v, %v", resp, err)
			}
			later(time.Second) // The server waits before it closes the connection.
		})
	})
	t.Run("slow", func(t *testing.T) {
		bubble(t, nil, func(t *testing.T, w *fixture) {
			conn, err := w.net.Dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, err = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil || !strings.Contains(line, "408") || time.Since(began) != bodyTime {
				t.Errorf("%q, %v after %s", line, err, time.Since(began))
			}
			conn.Close()
			later(time.Second)
		})
	})
}

func TestCallUsesItsOwnToken(t *testing.T) {
	t.Parallel()
	w := newFixture(t, &Options{ModelMaySet: []string{"to", "route"}})
	defer w.stop()
	gate, err := access.New(w.bridge, &access.Options{Agents: []access.Agent{{Name: "ann", Token: "token-of-ann"}, {Name: "bob", Token: "token-of-bob"}}})
	if err != nil {
		t.Fatal(err)
	}
	// As in internal/app: an outer handler checks the token.
	guarded := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		who, err := gate.Identify(r.Context(), token, r.RemoteAddr)
		if err != nil {
			http.Error(rw, err.Error(), http.StatusUnauthorized)
			return
		}
		w.server.HandlerFor(who).ServeHTTP(rw, r)
	})
	server := httptest.NewServer(guarded)
	defer server.Close()
	connect := func(name, version string) *agent {
		a, client := w.newAgent()
		a.connect(client, &mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: as(name)}, MaxRetries: -1}, version)
		return a
	}
	ann, bob := connect("ann", nov2025), connect("bob", july2026)
	defer ann.session.Close()
	defer bob.session.Close()
	first := ann.start(t.Context(), askName, under("toolu_1"), meta{"question": "Go?", "options": []any{"Yes", "No"}, "to": []any{meta{"platform": "slack", "channel": "C0000009"}}})
	mine := w.next("ann")
	if mine.Agent != "ann" || mine.Copies[0].Target.Channel != "C0000009" {
		t.Errorf("%+v", mine)
	}
	if got := bob.call(waitName, nil, meta{"id": mine.ID}); got.State != unknown {
		t.Errorf("bob sees %+v", got)
	}
	// The same tool-call ID is a different one for another caller.
	second := bob.start(t.Context(), askName, under("toolu_1"), meta{"question": "Else?", "options": []any{"Yes", "No"}})
	his := w.next("bob")
	w.press(mine.ID, 0, 0)
	w.press(his.ID, 0, 1)
	if got := <-first; got.State != answered || got.text != "Go?\nYes" {
		t.Errorf("ann got %+v", got)
	}
	if got := <-second; got.State != answered || got.text != "Else?\nNo" {
		t.Errorf("bob got %+v", got)
	}
}

// next returns the tenant's first open request, once there is one.
func (w *fixture) next(tenant string) bridge.Record {
	w.t.Helper()
	enough := errors.New("enough")
	var found bridge.Record
	err := w.bridge.Follow(w.t.Context(), bridge.Selection{Tenant: tenant}, func(e bridge.Event) error {
		found = e.Record
		return enough
	})
	if !errors.Is(err, enough) {
		w.t.Fatal(err)
	}
	return found
}

// as sends a token with every call.
type as string

func (a as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer token-of-"+string(a))
	return http.DefaultTransport.RoundTrip(r)
}
