package connect

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Whatever a host says, only a request of the right method is taken for a
// question, and it keeps its id.
func FuzzWhatAHostSays(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"request","id":"q-1","params":{"type":"QuestionRequest","payload":{"id":"q-1","tool_call_id":"tc-1","questions":[]}}}`,
		`{"jsonrpc":"2.0","method":"event","params":{"type":"SubagentEvent","payload":{"agent_id":"a","event":{"type":"ToolCall","payload":{"id":"tc-1"}}}}}`,
		`{"jsonrpc":"2.0","method":"event","params":{"type":"PlanDisplay","payload":{"content":"1. Drain"}}}`,
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
			"request": &kimiTalk{turns: map[string]bool{`"p-1"`: true}, replays: map[string]bool{}, subagents: map[string]string{}},
			codexAsks: codexTalk{},
		} {
			h := talk.fromHost(m)
			if h.ended != nil {
				h.ended(`"q-1"`, &heldQuestion{})
			}
			if h.asks == nil {
				continue
			}
			if m.Method != method || m.key() == "" {
				t.Errorf("%s is taken for a question", line)
			}
			h.asks.id = m.ID
			var said struct {
				ID json.RawMessage `json:"id"`
			}
			answer := talk.dismissal(h.asks)
			if err := json.Unmarshal(answer, &said); err != nil || string(said.ID) != m.key() || bytes.Count(answer, []byte("\n")) != 1 {
				t.Errorf("%s is answered %s: %v", line, answer, err)
			}
		}
	})
}

// Whatever a client says when it begins, Kimi hears the same, but that it can
// be asked.
func FuzzAClientThatCanBeAsked(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"initialize","id":"i","params":{"protocol_version":"1.10","capabilities":{"supports_question":false,"x":{"y":1}}}}`,
		`{"method":"initialize","params":{"capabilities":null}}`, `{"method":"initialize","params":[]}`, `{"method":"initialize"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		k := &kimiTalk{}
		out := k.ableToAsk(line)
		if !k.deaf {
			if !bytes.Equal(out, line) {
				t.Errorf("%s became %s", line, out)
			}
			return
		}
		var was, is struct {
			ID     json.RawMessage `json:"id"`
			Params struct {
				Capabilities struct {
					Questions bool `json:"supports_question"`
				} `json:"capabilities"`
			} `json:"params"`
		}
		_ = json.Unmarshal(line, &was) // Its members may be of any kind.
		if err := json.Unmarshal(out, &is); err != nil || !is.Params.Capabilities.Questions || bytes.Count(out, []byte("\n")) != 1 {
			t.Errorf("%s became %s: %v", line, out, err)
		}
	})
}
