package mcpserver

import (
	"strings"
	"testing"
)

const (
	pingLine = `{"jsonrpc":"2.0","id":"still-there","method":"ping"}` + "\n"
	pong     = `{"jsonrpc":"2.0","id":"still-there","result":{}}` + "\n"
)

// shake begins a session.
func (c *channel) shake() {
	c.t.Helper()
	c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a-client","version":"1"}}}` + "\n")
	if got := c.told(); !strings.Contains(got, `"id":1,"result"`) {
		c.t.Fatalf("the session does not begin: %s", got)
	}
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
}

func TestALineThatIsNoMessageIsAnsweredAndTheSessionGoesOn(t *testing.T) {
	for name, opts := range map[string]*Options{"of a client": nil, "of a channel": relaying()} {
		t.Run(name, func(t *testing.T) {
			bubble(t, opts, func(t *testing.T, w *fixture) {
				c := w.channel()
				c.shake()
				for _, tt := range []struct{ name, line, want string }{
					{"a line of a log", `npm warn deprecated`, `"error":{"code":-32700,"message":"invalid character 'p' in literal null (expecting 'u')"},"id":null`},
					{"a message that was cut off", `{"jsonrpc":"2.0","id":7,"method":"ping"`, `"error":{"code":-32700,"message":"unexpected end of JSON input"},"id":null`},
					{"two messages on a line", `{"jsonrpc":"2.0","id":7,"method":"ping"} {}`, `"error":{"code":-32700,`},
					{"JSON that is no message", `42`, `"error":{"code":-32600,`},
					{"another protocol", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, `"error":{"code":-32600,"message":"invalid message version tag \"1.0\"; expected \"2.0\""},"id":7`},
					{"an id that is none", `{"jsonrpc":"2.0","id":[7],"method":"ping"}`, `"error":{"code":-32600,"message":"parse error: invalid ID type []interface {}"},"id":null`},
					{"neither a call nor a result", `{"jsonrpc":"2.0"}`, `"error":{"code":-32600,"message":"invalid request"},"id":null`},
					{"no message of a batch", `[]`, `"error":{"code":-32600,"message":"the batch is empty"},"id":null`},
					{"a batch with something else in it", `[1]`, `"error":{"code":-32600,`},
					{"an error of the client's own, which nobody answers", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`, ""},
					{"an empty line", "\r", ""},
				} {
					c.say(tt.line + "\n")
					if got := c.told(); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
						t.Errorf("%s is answered %s", tt.name, got)
					}
					c.say(pingLine)
					if got := c.told(); got != pong {
						t.Fatalf("after %s: %q", tt.name, got)
					}
				}
			})
		})
	}
}
