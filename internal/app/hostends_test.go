package app_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

const callbackInput = `{"questions":[` +
	`{"question":"Which queue?","header":"Queue","multiSelect":false,"options":[{"label":"Redis","description":"There"},{"label":"In-process","description":"New"}]},` +
	`{"question":"Which checks?","header":"Checks","multiSelect":true,"options":[{"label":"Unit","description":"Fast"},{"label":"Race","description":"Slow"}]}]}`

// TestReplyReachesHost sends a reply in place of answers to several questions.
func TestReplyReachesHost(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"claude":  strings.TrimSuffix(`{"behavior":"allow","updatedInput":`+callbackInput, "}") + `,"answers":{},"response":"Ask me tomorrow"}}`,
		"req-auq": `{"answers":{},"status":"replied","message":"Dana answered none of the questions, and replied: Ask me tomorrow"}`,
	} {
		for _, mode := range []string{"http", "discord http"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				w := start(t, mode, nil)
				in := client.ToolCall{Dialect: name, Input: []byte(callbackInput), Request: ask.Request{To: []ask.Place{w.place()}, ToolCallID: "call_1"}}
				made, err := w.agent.SubmitTool(t.Context(), in)
				must(t, err)
				h := w.sit(t, &asking{Request: &client.Request{}}, w.place().Platform, dana)
				h.reply()
				h.sees("[Cancel]")
				must(t, h.Fill(t.Context(), "", "Ask me tomorrow"), h.Submit(t.Context()))
				got, err := w.agent.WaitTool(t.Context(), made.RequestID, name, in.Input)
				// Her first action may precede the lookup of her profile.
				if err != nil || got.State != ask.Cancelled || strings.Replace(string(got.Body), "dana answered", "Dana answered", 1) != want {
					t.Errorf("got %s %s, %v, want %s", got.State, got.Body, err, want)
				}
			})
		}
	}
}

const formInput = `{"message":"Deploy?","requestedSchema":{"type":"object","properties":{` +
	`"when":{"type":"string","title":"When?","enum":["now","tonight"]}}}}`

// TestDismissalAndWithdrawalResults distinguishes a person's dismissal from the agent's withdrawal
// for hosts that do.
func TestDismissalAndWithdrawalResults(t *testing.T) {
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
					end := func(call string, act func(id string)) *client.ToolResult {
						in := client.ToolCall{Dialect: tt.dialect, Input: []byte(tt.input), Request: ask.Request{To: []ask.Place{w.place()}, ToolCallID: call}}
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
						w.sit(t, &asking{Request: &client.Request{}}, w.place().Platform, dana).dismiss()
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
