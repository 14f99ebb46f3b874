package connect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// For any host output, only a request of the right method is treated as a question, and it keeps its ID.
func FuzzHostMessage(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"elicitation/create","id":1,"params":{"sessionId":"s1","mode":"form","message":"?","requestedSchema":{}}}`,
		`{"jsonrpc":"2.0","method":"session/request_permission","id":"r-1","params":{"sessionId":"s1","toolCall":{"toolCallId":"c"},"options":[]}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}}}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":"p-1","result":{}}`,
		`{"method":"item/tool/requestUserInput","id":7,"params":{"threadId":"t","turnId":"u","itemId":"i","autoResolutionMs":60000,"questions":[]}}`,
		`{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":7}}`,
		`{"id":{"a":[1]},"method":"request","params":7}`, `[`, `null`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m := parse(line)
		if m == nil {
			return
		}
		for method, talk := range map[string]dialogue{
			acpElicits + " " + acpPermits: &acpTalk{permissions: true, requests: map[string]acpRequest{`"p-1"`: {prompt: true}}, sessions: map[string]*acpSession{}},
			codexAsks:                     &codexTalk{},
		} {
			h := talk.fromHost(m)
			if h.ended != nil {
				h.ended(`"q-1"`, &heldQuestion{})
			}
			if h.asks == nil {
				continue
			}
			if !slices.Contains(strings.Fields(method), m.Method) || m.key() == "" {
				t.Errorf("%s is taken for a question", line)
			}
			h.asks.id = m.ID
			var reply struct {
				ID json.RawMessage `json:"id"`
			}
			answer := talk.dismissal(h.asks)
			if err := json.Unmarshal(answer, &reply); err != nil || string(reply.ID) != m.key() || bytes.Count(answer, []byte("\n")) != 1 {
				t.Errorf("%s is answered %s: %v", line, answer, err)
			}
		}
	})
}

// Any initialize request of an editor reaches the agent unchanged, with support for forms added.
func FuzzInitializeRequest(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"initialize","id":0,"params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"url":{}},"x":{"y":1}}}}`,
		`{"method":"initialize","params":{"clientCapabilities":null}}`, `{"method":"initialize","params":[]}`, `{"method":"initialize"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m := parse(line)
		if m == nil {
			return
		}
		a := &acpTalk{}
		out := a.ableToAsk(line, m.Params)
		if !a.formless {
			if !bytes.Equal(out, line) {
				t.Errorf("%s became %s", line, out)
			}
			return
		}
		var is struct {
			Params struct {
				Capabilities struct {
					Elicitation struct {
						Form map[string]any `json:"form"`
					} `json:"elicitation"`
				} `json:"clientCapabilities"`
			} `json:"params"`
		}
		if err := json.Unmarshal(out, &is); err != nil || is.Params.Capabilities.Elicitation.Form == nil || bytes.Count(out, []byte("\n")) != 1 {
			t.Errorf("%s became %s: %v", line, out, err)
		}
	})
}
