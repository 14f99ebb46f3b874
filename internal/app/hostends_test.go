package app_test

import (
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/door/httpapi"
)

const formInput = `{"message":"Deploy?","requestedSchema":{"type":"object","properties":{` +
	`"when":{"type":"string","title":"When?","enum":["now","tonight"]}}}}`

// TestADismissalIsWhatTheHostCallsARefusal tells a person's decision from the
// agent's own, where the host does.
func TestADismissalIsWhatTheHostCallsARefusal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, dialect, input string
		dismissed, withdrawn string
		send                 string
		stopTurn             bool
	}{
		{name: "MCP form", dialect: "mcp", input: formInput, dismissed: `{"action":"decline"}`, withdrawn: `{"action":"cancel"}`},
		{name: "OpenCode", dialect: "opencode", input: openCodeInput(2, false), send: "POST /question/que_1/reject"},
		{
			name: "Crush", dialect: "crush", input: crushInput, stopTurn: true,
			dismissed: "User cancelled this question", withdrawn: "The questions were withdrawn before anyone answered.",
		},
		{
			name: "Gemini", dialect: "gemini", input: `{"questions":[{"type":"yesno","question":"Go?","header":"Go"}]}`,
			dismissed: "User dismissed ask_user dialog without answering.", withdrawn: "The questions were withdrawn before anyone answered.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []string{"http", "discord http"} {
				t.Run(mode, func(t *testing.T) {
					t.Parallel()
					w := start(t, mode, nil)
					end := func(call string, act func(id string)) *httpapi.ToolResult {
						in := httpapi.ToolCall{Dialect: tt.dialect, Input: []byte(tt.input), To: []ask.Target{w.place()}, ToolCallID: call}
						made, err := w.agent.SubmitTool(t.Context(), in)
						if err != nil {
							t.Fatal(err)
						}
						act(made.RequestID)
						got, err := w.agent.WaitTool(t.Context(), made.RequestID, tt.dialect, in.Input)
						if err != nil || got.State != ask.Cancelled || got.Send != tt.send {
							t.Fatalf("%+v, %v", got, err)
						}
						return got
					}
					got := end("call_1", func(string) {
						w.sit(t, &asking{Request: &httpapi.Request{}}, w.place().Platform, dana).press("Dismiss")
					})
					if string(got.Body) != tt.dismissed || got.StopTurn != tt.stopTurn {
						t.Errorf("dismissed: %q, stop turn %v", got.Body, got.StopTurn)
					}
					got = end("call_2", func(id string) {
						if _, err := w.agent.Cancel(t.Context(), id, "no longer needed"); err != nil {
							t.Fatal(err)
						}
					})
					if string(got.Body) != tt.withdrawn || got.StopTurn {
						t.Errorf("withdrawn: %q, stop turn %v", got.Body, got.StopTurn)
					}
				})
			}
		})
	}
}
