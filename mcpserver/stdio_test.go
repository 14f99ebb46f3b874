package mcpserver

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	pingLine = `{"jsonrpc":"2.0","id":"still-there","method":"ping"}` + "\n"
	pong     = `{"jsonrpc":"2.0","id":"still-there","result":{}}` + "\n"
)

// shake begins a session.
func (c *channel) shake(revision string) {
	c.t.Helper()
	c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"a-client","version":"1"}}}` + "\n")
	if got := c.next(); !strings.Contains(got, `"id":1,"result"`) {
		c.t.Fatalf("the session does not begin: %s", got)
	}
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
}

func TestInvalidLineKeepsSession(t *testing.T) {
	for name, opts := range map[string]*Options{"of a client": nil, "of a channel": relaying()} {
		t.Run(name, func(t *testing.T) {
			bubble(t, opts, func(t *testing.T, w *fixture) {
				c := w.channel()
				c.shake(june2025)
				for _, tt := range []struct{ name, line, want string }{
					{"a line of a log", `npm warn deprecated`, `"error":{"code":-32700,"message":"invalid character 'p' in literal null (expecting 'u')"},"id":null`},
					{"a message that was cut off", `{"jsonrpc":"2.0","id":7,"method":"ping"`, `"error":{"code":-32700,"message":"unexpected end of JSON input"},"id":null`},
					{"two messages on a line", `{"jsonrpc":"2.0","id":7,"method":"ping"} {}`, `"error":{"code":-32700,`},
					{"JSON that is no message", `42`, `"error":{"code":-32600,`},
					{"another protocol", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, `"error":{"code":-32600,"message":"invalid message version tag \"1.0\"; expected \"2.0\""},"id":7`},
					{"an id that is none", `{"jsonrpc":"2.0","id":[7],"method":"ping"}`, `"error":{"code":-32600,"message":"parse error: invalid ID type []interface {}"},"id":null`},
					{"an id too large to be kept", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `2^53"},"id":9007199254740993`},
					{"an id between two integers", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `2^53"},"id":1.5`},
					{"the largest id that can be kept", `{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, `{"jsonrpc":"2.0","id":9007199254740991,"result":{}}`},
					{"neither a call nor a result", `{"jsonrpc":"2.0"}`, `"error":{"code":-32600,"message":"invalid request"},"id":null`},
					{"no message of a batch", `[]`, `"error":{"code":-32600,`},
					{"a batch with something else in it", `[1]`, `"error":{"code":-32600,`},
					{"an error response of the client", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`, ""},
					{"an empty line", "\r", ""},
				} {
					c.say(tt.line + "\n")
					if got := c.next(); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
						t.Errorf("%s is answered %s", tt.name, got)
					}
					c.say(pingLine)
					if got := c.next(); got != pong {
						t.Fatalf("after %s: %q", tt.name, got)
					}
				}
			})
		})
	}
}

// A batch, which newer revisions no longer have, ended the session and every waiting call.
func TestBatchIsSplitIntoMessages(t *testing.T) {
	for _, revision := range []string{"2025-03-26", june2025} {
		t.Run(revision, func(t *testing.T) {
			bubble(t, relaying(), func(t *testing.T, w *fixture) {
				c := w.channel()
				c.shake(revision)
				ping := func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }
				withdrawn := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`
				for _, tt := range []struct {
					name, batch string
					want        []string
				}{
					{"one call", "[" + ping(2) + "]", []string{`{"jsonrpc":"2.0","id":2,"result":{}}`}},
					{"two calls", "[" + ping(3) + " , " + ping(4) + "]", []string{`{"jsonrpc":"2.0","id":3,"result":{}}`, `{"jsonrpc":"2.0","id":4,"result":{}}`}},
					{"a call and a notification", "[" + withdrawn + "," + ping(5) + "]", []string{`{"jsonrpc":"2.0","id":5,"result":{}}`}},
					{"two notifications", "[" + withdrawn + "," + withdrawn + "]", nil},
					{"a call and what is no message", "[42," + ping(6) + "]", []string{`"error":{"code":-32600,`, `{"jsonrpc":"2.0","id":6,"result":{}}`}},
					{"a batch in a batch", "[[" + ping(7) + "]]", []string{`"error":{"code":-32600,`}},
				} {
					c.say(tt.batch + "\n")
					var got []string
					for line := c.next(); line != ""; line = c.next() {
						got = append(got, line)
					}
					slices.Sort(got) // In any order.
					if !slices.EqualFunc(got, tt.want, strings.Contains) {
						t.Errorf("%s is answered %q, want %q", tt.name, got, tt.want)
					}
					c.say(pingLine)
					if got := c.next(); got != pong {
						t.Fatalf("after %s: %q", tt.name, got)
					}
				}
				c.say("[" + ping(8) + "," + strings.TrimSpace(channelPrompt) + "]\n")
				if got := len(c.cards()); got != 1 {
					t.Errorf("of a permission prompt in a batch there are %d cards", got)
				}
			})
		})
	}
}

// The end of piped input ended the session before its calls were answered, so a command tried in a shell showed no
// result.
func TestPipedLinesAreAnswered(t *testing.T) {
	const lines = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + june2025 + `","capabilities":{},"clientInfo":{"name":"a-client","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"two","method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"no/such"}
`
	bubble(t, nil, func(t *testing.T, w *fixture) {
		for range 20 {
			var out strings.Builder
			if err := w.server.Serve(t.Context(), w.bridge, io.NopCloser(strings.NewReader(lines)), nopCloser{&out}); err != nil {
				t.Error(err)
			}
			for _, want := range []string{`"id":1,"result"`, `"id":"two","result"`, `"id":3,"error"`} {
				if !strings.Contains(out.String(), want) {
					t.Fatalf("%s is missing: %s", want, out.String())
				}
			}
		}
	})
}

func TestLeadingByteOrderMarkIsIgnored(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		lines := "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + june2025 + `","capabilities":{},"clientInfo":{"name":"a-client","version":"1"}}}` + "\n"
		var out strings.Builder
		if err := w.server.Serve(t.Context(), w.bridge, io.NopCloser(strings.NewReader(lines)), nopCloser{&out}); err != nil {
			t.Error(err)
		}
		if !strings.Contains(out.String(), `"id":1,"result"`) {
			t.Errorf("output %s", out.String())
		}
	})
}

func TestWaitingCallDoesNotDelayShutdown(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		c := w.channel()
		c.shake(june2025)
		c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Go?"}}}` + "\n")
		if all := c.cards(); len(all) != 1 {
			t.Fatalf("there are %d requests, want one", len(all))
		}
		began := time.Now()
		c.side.Close()
		<-c.over
		if took := time.Since(began); took > 0 {
			t.Errorf("the session ends after %s", took)
		}
	})
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
