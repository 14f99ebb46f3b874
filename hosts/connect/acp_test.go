package connect_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/hosts/connect"
	"github.com/askbridge/askbridge/test/golden"
)

// acpTalk is an agent of the Agent Client Protocol with an editor in front of it.
type acpTalk struct {
	*talk

	agent *acpAgent
}

const acpToken = "acp-canary-token-0123456789"

// acpTalks connects an agent and an editor. Dana decides permissions.
func acpTalks(t *testing.T, o connect.ACPOptions, f func(a *acpTalk)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{World: askbridgetest.Start(t, &askbridgetest.Options{
			Platforms: []string{askbridgetest.Slack}, Agents: []access.Agent{{Name: "agent", Token: acpToken}},
		}), TB: t}
		w.dana = w.Slack.Seat("U0000001")
		bridge, err := client.New(w.URL, &client.Options{HTTP: &http.Client{Transport: w}, Away: connect.DefaultAway, Token: acpToken, Sealed: true})
		if err != nil {
			t.Fatal(err)
		}
		o.Responders = []string{"slack:U0000001"}
		pipe, err := connect.NewACPPipe(bridge, &o)
		if err != nil {
			t.Fatal(err)
		}
		a := &acpAgent{TB: t, pending: map[string]string{}}
		f(&acpTalk{w.talks(pipe, a.judge), a})
	})
}

const (
	acpInit   = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}}`
	acpNew    = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/srv/app","mcpServers":[]}}`
	acpOpened = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}`
	acpPrompt = `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"Deploy <it>"}]}}`
	acpDone   = `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`
	acpCancel = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`

	acpFields = `"q0":{"type":"string","title":"Queue","oneOf":[{"const":"r","title":"Redis","description":"There"},{"const":"p","title":"In-process","description":"New"}]}`
	acpCall   = `{"toolCallId":"call_1","title":"npm test","kind":"execute","rawInput":{"command":"npm test"}}`
)

// asks returns a request of the agent.
func (a *acpTalk) asks(id int, method, params string) string {
	a.agent.mu.Lock()
	defer a.agent.mu.Unlock()
	a.agent.pending[fmt.Sprint(id)] = method
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func (a *acpTalk) form(id int, fields string) string {
	return a.asks(id, "elicitation/create", `{"sessionId":"s1","toolCallId":"call_1","mode":"form","message":"Which  <queue>?","requestedSchema":{"type":"object","properties":{`+fields+`},"required":["q0"]}}`)
}

func (a *acpTalk) permission(id int, call string) string {
	return a.asks(id, "session/request_permission", `{"sessionId":"s1","toolCall":`+call+`,"options":[{"optionId":"once","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}`)
}

// begins has the editor start a turn.
func (a *acpTalk) begins() {
	a.Helper()
	a.front.sends(acpInit, acpNew)
	a.host.sends(acpOpened)
	a.front.sends(acpPrompt)
	a.host.receives(acpInit, acpNew, acpPrompt)
	a.front.receives(acpOpened)
}

func answered(id int, outcome string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, outcome)
}

const (
	acpRedis   = `{"action":"accept","content":{"q0":"r"}}`
	acpAllowed = `{"outcome":{"outcome":"selected","optionId":"once"}}`
)

func TestACPTurn(t *testing.T) {
	acpTalks(t, connect.ACPOptions{}, func(a *acpTalk) {
		a.front.sends(strings.Replace(acpInit, `"elicitation":{"form":{}}`, `"fs":{"readTextFile":true}`, 1), acpNew)
		a.host.sends(acpOpened)
		a.front.sends(acpPrompt)
		a.host.sends(`Loading extensions…`,
			`{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "agent_message_chunk"}}}`,
			a.form(0, acpFields))
		a.presses("In-process")
		a.host.sends(a.permission(1, acpCall))
		a.presses("Allow")
		a.host.sends(acpDone)
		golden.Check(t, "testdata/acp.txt", a.transcript())
	})
}

func TestFormIsAnsweredInChat(t *testing.T) {
	acpTalks(t, connect.ACPOptions{}, func(a *acpTalk) {
		a.begins()
		a.host.sends(a.form(0, acpFields+`,"q1":{"type":"array","title":"Checks","items":{"anyOf":[{"const":"u","title":"Unit"},{"const":"l","title":"Lint"},{"const":"f","title":"Fuzz"}]}},"q2":{"type":"string","title":"Note"}`))
		a.picks("Queue", "Redis")
		a.picks("Checks", "Unit", "Fuzz")
		a.types("Answer…", "On Monday", "Note")
		a.presses("Submit")
		a.host.receives(answered(0, `{"action":"accept","content":{"q0":"r","q1":["u","f"],"q2":"On Monday"}}`))
		a.front.receives()
	})
}

func TestQuestionNamesItsOrigin(t *testing.T) {
	o := connect.ACPOptions{PipeOptions: connect.PipeOptions{Options: connect.Options{Origin: ask.Origin{Place: ask.Place{Platform: "slack", Channel: "C0000002"}}}}}
	acpTalks(t, o, func(a *acpTalk) {
		a.begins()
		a.host.sends(a.form(0, acpFields))
		a.sees("In-process")
		if got := a.origin.Load(); got != `{"platform":"slack","channel":"C0000002"}` {
			t.Errorf("origin = %v", got)
		}
	})
}

func TestQwenAnswerIsSentWithOutcome(t *testing.T) {
	acpTalks(t, connect.ACPOptions{PipeOptions: connect.PipeOptions{Both: true}, QuestionsOnly: true}, func(a *acpTalk) {
		a.begins()
		q := a.permission(0, `{"toolCallId":"call_1","title":"Ask user 1 question","_meta":{"qwenInteractionKind":"user_question","qwenQuestions":[{"question":"Which queue?","header":"Queue","options":[{"label":"Redis","description":"There"},{"label":"In-process","description":"New"}]}]}}`)
		a.host.sends(q)
		a.sees("Which queue?")
		a.presses("Redis")
		a.host.receives(answered(0, `{"outcome":{"outcome":"selected","optionId":"once"},"answers":{"0":"Redis"}}`))
		a.front.receives(q, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}`)
	})
}

func TestPermissionShowsReportedToolCall(t *testing.T) {
	acpTalks(t, connect.ACPOptions{}, func(a *acpTalk) {
		a.begins()
		a.host.sends(
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"call_1","title":"Edit a.go","kind":"read"}}}`,
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"call_1","kind":"edit","content":[{"type":"diff","path":"/srv/app/a.go","oldText":"one","newText":"two"}]}}}`,
			a.permission(0, `{"toolCallId":"call_1"}`))
		a.sees("Edit a.go")
		a.sees("in /srv/app")
		a.sees("-one\n+two")
		a.presses("Allow")
		a.host.receives(answered(0, acpAllowed))
	})
}

func TestDismissalDeclinesForm(t *testing.T) {
	acpTalks(t, connect.ACPOptions{}, func(a *acpTalk) {
		a.begins()
		a.host.sends(a.form(0, acpFields))
		a.sees("[Redis]")
		a.dismisses()
		a.later(time.Minute)
		a.host.receives(answered(0, `{"action":"decline"}`))
	})
}

func TestUnansweredPromptGoesToEditor(t *testing.T) {
	for name, tt := range map[string]struct {
		ask, answer       string
		before, meanwhile bool
	}{
		"a form, in time": {ask: "form"},
		"a form, because the bridge was never there":       {ask: "form", before: true},
		"a form, because the bridge has gone":              {ask: "form", meanwhile: true},
		"a permission, in time":                            {ask: "permission"},
		"a permission, because the bridge was never there": {ask: "permission", before: true},
		"a permission, because the bridge has gone":        {ask: "permission", meanwhile: true},
	} {
		t.Run(name, func(t *testing.T) {
			acpTalks(t, connect.ACPOptions{PipeOptions: connect.PipeOptions{Options: connect.Options{Wait: 20 * time.Minute}}}, func(a *acpTalk) {
				a.begins()
				q, answer := a.form(0, acpFields), answered(0, acpRedis)
				if tt.ask == "permission" {
					q, answer = a.permission(0, acpCall), answered(0, acpAllowed)
				}
				a.away.Store(tt.before)
				a.host.sends(q)
				a.front.receives()
				if !tt.before {
					a.sees("[More…]")
				}
				a.away.Store(tt.before || tt.meanwhile)
				a.later(time.Hour)
				a.front.receives(q)
				a.away.Store(false)
				a.later(time.Minute)
				if sees := a.dana.Sees(); strings.Contains(sees, "[") {
					t.Errorf("the card is %s", sees)
				}
				a.front.sends(answer)
				a.host.receives(answer)
			})
		})
	}
}

func TestEditorWithoutFormsUsesPermission(t *testing.T) {
	acpTalks(t, connect.ACPOptions{PipeOptions: connect.PipeOptions{Both: true, Options: connect.Options{Wait: 20 * time.Minute}}}, func(a *acpTalk) {
		a.front.sends(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`, acpPrompt)
		a.host.forgets()
		a.host.sends(a.form(0, acpFields))
		a.sees("[Redis]")
		a.later(time.Hour)
		a.host.receives(`{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found: elicitation/create"}}`)
		a.front.receives()
		again := a.permission(1, `{"toolCallId":"call_1","title":"AskUserQuestion"}`) // Like Kimi Code.
		a.host.sends(again)
		a.front.receives(again)
		if n := len(a.dana.Messages("C0000001")); n != 1 {
			t.Errorf("%d cards for one question", n)
		}
	})
}

func TestOutagePromptInEditorClosesCard(t *testing.T) {
	acpTalks(t, connect.ACPOptions{}, func(a *acpTalk) {
		a.begins()
		q := a.form(0, acpFields)
		a.host.sends(q)
		a.sees("[Redis]")
		a.away.Store(true)
		a.later(10 * time.Minute)
		a.front.receives(q)
		a.away.Store(false)
		a.closed("the agent's own screen asks now")
	})
}

func TestAnswerArrivesAfterBridgeRestart(t *testing.T) {
	acpTalks(t, connect.ACPOptions{}, func(a *acpTalk) {
		a.begins()
		a.host.sends(a.form(0, acpFields))
		a.sees("[Redis]")
		a.away.Store(true)
		a.later(time.Minute)
		a.away.Store(false)
		a.presses("Redis")
		a.host.receives(answered(0, acpRedis))
		a.front.receives()
	})
}

func TestOnTimeoutReject(t *testing.T) {
	acpTalks(t, connect.ACPOptions{PipeOptions: connect.PipeOptions{Options: connect.Options{Wait: 20 * time.Minute, Deny: true}}}, func(a *acpTalk) {
		a.begins()
		a.host.sends(a.form(0, acpFields))
		a.later(time.Hour)
		a.host.receives(answered(0, `{"action":"cancel"}`))
		a.host.sends(a.permission(1, acpCall))
		a.later(time.Hour)
		a.host.receives(answered(1, `{"outcome":{"outcome":"cancelled"}}`))
		a.front.receives()
	})
}

func TestWithBothTheFirstAnswerCounts(t *testing.T) {
	both := connect.ACPOptions{PipeOptions: connect.PipeOptions{Both: true}}
	t.Run("the editor", func(t *testing.T) {
		acpTalks(t, both, func(a *acpTalk) {
			a.begins()
			q := a.permission(0, acpCall)
			a.host.sends(q)
			a.front.receives(q)
			a.sees("[Allow]")
			a.front.sends(answered(0, acpAllowed))
			a.host.receives(answered(0, acpAllowed))
			a.closed("it was answered in the editor")
			a.host.receives()
		})
	})
	t.Run("chat", func(t *testing.T) {
		acpTalks(t, both, func(a *acpTalk) {
			a.begins()
			q := a.permission(7, acpCall)
			a.host.sends(q)
			a.front.receives(q)
			a.presses("Allow")
			a.host.receives(answered(7, acpAllowed))
			a.front.receives(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}`)
			a.front.sends(`{"jsonrpc":"2.0","id":7,"error":{"code":-32800,"message":"Cancelled"}}`)
			a.host.receives()
		})
	})
}

func TestWhatIsTakenBackIsClosedInChat(t *testing.T) {
	const (
		cancelled = `{"outcome":{"outcome":"cancelled"}}`
		completed = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"call_1","status":"failed"}}}`
		withdrawn = `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}`
	)
	for name, tt := range map[string]struct {
		both                  bool
		front, host           string
		because               string
		agentGets, editorGets []string
	}{
		"the editor cancels the turn":                     {front: acpCancel, because: "the agent's turn was cancelled", agentGets: []string{acpCancel, answered(0, cancelled)}},
		"the editor cancels a turn that it shows as well": {both: true, front: acpCancel, because: "the agent's turn was cancelled", agentGets: []string{acpCancel}},
		"the agent cancels the request":                   {host: withdrawn, because: "the agent does not wait for it any more", agentGets: []string{`{"jsonrpc":"2.0","id":0,"error":{"code":-32800,"message":"Request cancelled"}}`}},
		"the agent cancels a request that both see":       {both: true, host: withdrawn, because: "the agent does not wait for it any more", editorGets: []string{withdrawn}},
		"the tool call has failed":                        {host: completed, because: "the agent does not wait for it any more", editorGets: []string{completed}},
		"the turn has ended":                              {host: acpDone, because: "the agent's turn has ended", editorGets: []string{acpDone}},
	} {
		t.Run(name, func(t *testing.T) {
			acpTalks(t, connect.ACPOptions{PipeOptions: connect.PipeOptions{Both: tt.both}}, func(a *acpTalk) {
				a.begins()
				a.host.sends(a.permission(0, acpCall))
				a.sees("[Allow]")
				a.front.forgets()
				if tt.front != "" {
					a.front.sends(strings.Replace(tt.front, `"s1"`, `"s2"`, 1)) // Another session.
					a.host.forgets()
					a.sees("[Allow]")
					a.front.sends(tt.front)
				} else {
					a.host.sends(tt.host)
				}
				a.closed(tt.because)
				a.host.receives(tt.agentGets...)
				a.front.receives(tt.editorGets...)
				if tt.both {
					a.front.sends(answered(0, cancelled)) // The editor's own reply passes.
					a.host.receives(answered(0, cancelled))
				}
			})
		})
	}
	t.Run("a form of a cancelled turn", func(t *testing.T) {
		acpTalks(t, connect.ACPOptions{}, func(a *acpTalk) {
			a.begins()
			a.host.sends(a.form(0, acpFields))
			a.sees("[Redis]")
			a.front.sends(acpCancel)
			a.host.receives(acpCancel, answered(0, `{"action":"cancel"}`))
			a.closed("the agent's turn was cancelled")
		})
	})
	t.Run("the agent has ended", func(t *testing.T) {
		acpTalks(t, connect.ACPOptions{}, func(a *acpTalk) {
			a.begins()
			a.host.sends(a.form(0, acpFields))
			a.sees("[Redis]")
			a.host.out.Close()
			a.closed("the agent has ended")
		})
	})
}

func TestWhatIsNotForChatPassesUnchanged(t *testing.T) {
	acpTalks(t, connect.ACPOptions{QuestionsOnly: true}, func(a *acpTalk) {
		lines := []string{
			``, `{`, `[]`, `7`, `null`, `"elicitation/create"`, `{"id":{}}`, ` {"jsonrpc" : "2.0" , "method":"session/update"}`,
			`{"jsonrpc":"2.0","method":"elicitation/create","params":{}}`,
			`{"jsonrpc":"2.0","method":"elicitation/create","id":null,"params":{}}`,
			`{"jsonrpc":"2.0","method":"elicitation/create","id":3,"params":7}`,
			`{"jsonrpc":"2.0","method":"elicitation/create","id":4,"params":{"mode":"url","url":"https://example.org/","elicitationId":"e","message":"Log in"}}`,
			`{"jsonrpc":"2.0","method":"elicitation/create","id":5,"params":{"mode":"form","mode":"form","message":"Twice"}}`,
			`{"jsonrpc":"2.0","method":"session/request_permission","id":6,"params":{"toolCall":` + acpCall + `,"options":[]}}`,
			`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":7}}}`,
			`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":99}}`,
			`{"jsonrpc":"2.0","method":"fs/write_text_file","id":8,"params":{"path":"/a","content":"<&>"}}`,
			strings.Repeat("x", 20<<20),
			"\xff\xfe",
		}
		a.host.sends(lines...)
		a.front.receives(lines...)
		// The bridge refuses it, so the editor gets it.
		bad := a.asks(9, "elicitation/create", `{"sessionId":"s1","mode":"form","message":"","requestedSchema":{}}`)
		a.host.sends(bad)
		a.later(time.Minute)
		a.front.receives(bad)
	})
}

func TestArbitraryEditorMessages(t *testing.T) {
	bubble(t, func(_ *testing.T, w *fixture) {
		pipe, err := connect.NewACPPipe(w.bridge(connect.DefaultAway), &connect.ACPOptions{QuestionsOnly: true})
		if err != nil {
			w.Fatal(err)
		}
		a := w.talks(pipe, func(string) {})
		lines := []string{
			`{"method":"initialize"}`, `{"method":"initialize","params":7}`, `{"method":"initialize","params":{"clientCapabilities":7}}`,
			`{"method":"session/new","id":1,"params":{"cwd":7}}`, `{"id":1,"result":{}}`, `{"id":"q-9","result":{}}`, ``, `{`, acpInit,
		}
		a.front.sends(lines...)
		a.host.receives(lines...)
	})
}

func TestPermissionsOfACPNeedATokenAndSomeoneWhoDecides(t *testing.T) {
	t.Parallel()
	named := connect.ACPOptions{PipeOptions: connect.PipeOptions{Options: connect.Options{Responders: []string{"slack:U0000001"}}}}
	for name, tt := range map[string]struct {
		client client.Options
		o      connect.ACPOptions
		want   error
	}{
		"no one is named": {client.Options{Token: acpToken, Sealed: true}, connect.ACPOptions{}, connect.ErrWhoever},
		"no token":        {client.Options{}, named, connect.ErrUnsure},
		"anyone":          {client.Options{Token: acpToken, Sealed: true}, connect.ACPOptions{Anyone: true}, nil},
		"questions only":  {client.Options{}, connect.ACPOptions{QuestionsOnly: true}, nil},
	} {
		bridge, err := client.New("http://127.0.0.1:8080", &tt.client)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := connect.NewACPPipe(bridge, &tt.o); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
