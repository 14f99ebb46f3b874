package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/hosts/claude"
	"github.com/askbridge/askbridge/internal/app/config"
)

// TestInfoLogOmitsTexts plants a canary in all texts of agents and people, over every API and every transport of
// a platform. The API's own test covers every dialect.
func TestInfoLogOmitsTexts(t *testing.T) {
	t.Parallel()
	for _, mode := range everywhere {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				w.WriteHeader(http.StatusGone)
				_, _ = w.Write(body)
			}))
			t.Cleanup(receiver.Close)
			w := start(t, mode, func(c *config.Config) {
				withHooks(c)
				place := slackPlace
				if strings.HasPrefix(mode, "discord") {
					place = discordPlace
				}
				byDefault(c, place)
			})
			question := ask.Question{
				Text: "Which canary?", Header: "Canary", Options: []ask.Option{{Label: "canary 1", Description: "a canary"}, {Label: "canary 2", Preview: "canary"}},
			}
			typed := ask.Question{Text: "What should the canary say?"}

			// Over HTTP: chosen, typed, replied, refused for the wrong person, withdrawn, and sent by webhook.
			ask1 := func(change func(*ask.Request), questions ...ask.Question) *asking {
				r := ask.Request{Questions: questions, Context: "the canary's context", To: []ask.Place{w.place()}}
				if change != nil {
					change(&r)
				}
				return w.ask(r)
			}
			sit := func(a *asking, who string) *hand { return w.sit(t, a, w.place().Platform, who) }
			a := ask1(func(r *ask.Request) { r.Webhook = receiver.URL + "/canary" }, question)
			sit(a, dana).choose(0, "canary 1")
			a.end()
			w.await("the webhook to be given up", func() bool {
				r, err := w.agent.Get(t.Context(), a.ID)
				return err == nil && r.Webhook.State == "dead"
			})
			a = ask1(nil, question)
			sit(a, dana).write(0, "a canary of my own")
			a.end()
			a = ask1(nil, typed)
			sit(a, dana).write(0, "the canary says nothing")
			a.end()
			a = ask1(nil, question, typed)
			h := sit(a, dana)
			h.reply()
			h.sees("[Cancel]")
			must(t, h.Fill(t.Context(), "", "ask the canary"), h.Submit(t.Context()))
			a.end()
			a = ask1(func(r *ask.Request) { r.Responders = []string{w.id(sam)} }, question)
			h = sit(a, dana)
			h.press("canary 1")
			h.sees("not yours to answer")
			if _, err := w.agent.Cancel(t.Context(), a.ID, "the canary has flown"); err != nil {
				t.Fatal(err)
			}
			a.end()

			// Errors about labels contain them.
			twice := question
			twice.Options = []ask.Option{{Label: "canary"}, {Label: "canary"}}
			if _, err := w.agent.Submit(t.Context(), ask.Request{Questions: []ask.Question{twice}, To: []ask.Place{w.place()}}); err == nil {
				t.Error("two equal labels were accepted")
			}

			w.overMCP(t, sit)
			w.overHook(t, sit)

			w.stop()
			for line := range strings.Lines(w.log.String()) {
				var entry struct{ Level string }
				if err := json.Unmarshal([]byte(line), &entry); err != nil {
					t.Fatalf("%v: %s", err, line)
				}
				if entry.Level != "DEBUG" && strings.Contains(strings.ToLower(line), "canary") {
					t.Errorf("at %s: %s", entry.Level, line)
				}
			}
			if t.Failed() {
				return
			}
			if n := strings.Count(w.log.String(), `"act recorded"`); n < 5 {
				t.Errorf("log has only %d interactions", n)
			}
		})
	}
}

// overMCP asks with a valid tool call and with an invalid one.
func (w *fixture) overMCP(t *testing.T, sit func(*asking, string) *hand) {
	t.Helper()
	session, err := w.mcp(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func(labels ...string) (*mcp.CallToolResult, error) {
		options := make([]any, len(labels))
		for n, label := range labels {
			options[n] = map[string]any{"label": label, "description": "canary"}
		}
		return session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask_user", Arguments: map[string]any{
			"questions": []any{map[string]any{"question": "Which canary over MCP?", "options": options}},
		}})
	}
	if got, err := call("canary", "canary"); err == nil && !got.IsError {
		t.Error("two equal labels were accepted over MCP")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if got, err := call("canary A", "canary B"); err != nil || got.IsError || !strings.Contains(textOf(got), "canary B") {
			t.Errorf("tool result %+v, %v", got, err)
		}
	}()
	h := sit(&asking{Request: &client.Request{}}, dana)
	h.sees("Which canary over MCP?")
	h.press("canary B", "Which canary over MCP?")
	<-done
}

// overHook asks through the hook of an agent host.
func (w *fixture) overHook(t *testing.T, sit func(*asking, string) *hand) {
	t.Helper()
	input := `{"hook_event_name":"PreToolUse","session_id":"s1","tool_use_id":"toolu_1","tool_name":"AskUserQuestion","tool_input":{"questions":[` +
		`{"question":"Which canary of the hook?","header":"Canary","multiSelect":false,"options":[{"label":"canary X","description":"canary"},{"label":"canary Y","description":"canary"}]}]}}`
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err := claude.NewClaude(w.agent, &claude.Options{To: []ask.Place{w.place()}}).Run(t.Context(), []byte(input))
		if err != nil || !strings.Contains(string(out), "canary Y") {
			t.Errorf("hook result %q, %v", out, err)
		}
	}()
	h := sit(&asking{Request: &client.Request{}}, dana)
	h.sees("Which canary of the hook?")
	h.press("canary Y", "Which canary of the hook?")
	<-done
}
