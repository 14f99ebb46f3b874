package mcpserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// prompters are clients that name the people who may decide.
var prompters = map[string]struct {
	opts *Options
	dial func(*fixture) *agent
}{
	"stdio": {&Options{Permitters: []string{"slack:U0000001"}, Session: "s1", Budget: time.Hour}, func(w *fixture) *agent { return w.pipes(nov2025) }},
	"http":  {&Options{Budget: time.Hour}, func(w *fixture) *agent { return w.webAt("http://localhost/mcp?responders=slack:U0000001", nov2025) }},
}

// overPrompters runs a test with each of them.
func overPrompters(t *testing.T, f func(t *testing.T, w *fixture, a *agent)) {
	t.Helper()
	t.Parallel()
	for name, p := range prompters {
		t.Run(name, func(t *testing.T) {
			opts := *p.opts
			bubble(t, &opts, func(t *testing.T, w *fixture) { f(t, w, p.dial(w)) })
		})
	}
}

const (
	bash   = `{"tool_name":"Bash","input":{"command":"npm test","description":"Run the tests"},"tool_use_id":"toolu_1"}`
	choice = `{"tool_name":"AskUserQuestion","tool_use_id":"toolu_1","input":{"questions":[{"question":"Which database?","header":"Database",` +
		`"options":[{"label":"Postgres","description":"a"},{"label":"SQLite","description":"b"}],"multiSelect":false}]}}`
)

// verdict calls the tool as Claude Code does, with the ID of the call that needs a decision in both places.
func (a *agent) verdict(id, args string) <-chan string {
	out := make(chan string, 1)
	go func() {
		defer close(out)
		res, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Meta: patient(under(id)), Name: approveName, Arguments: json.RawMessage(args)})
		if err != nil {
			a.t.Logf("%s: %v", approveName, err)
			return
		}
		text, ok := res.Content[0].(*mcp.TextContent)
		if !ok || len(res.Content) != 1 || res.IsError != (res.StructuredContent != nil) {
			a.t.Errorf("not what the host reads: %+v", res)
			return
		}
		out <- text.Text
	}()
	return out
}

func TestHeadlessPermissionIsDecidedInChat(t *testing.T) {
	const allowed = `{"behavior":"allow","updatedInput":{"command":"npm test","description":"Run the tests"}}`
	for name, c := range map[string]struct {
		option int
		text   string
		want   string
	}{
		"allow":            {option: 0, want: allowed},
		"deny":             {option: 1, want: `{"behavior":"deny","message":"Ada denied this."}`},
		"deny with reason": {text: "Use make", want: `{"behavior":"deny","message":"Ada denied this and wrote: Use make"}`},
	} {
		t.Run(name, func(t *testing.T) {
			overPrompters(t, func(t *testing.T, w *fixture, a *agent) {
				got := a.verdict("toolu_1", bash)
				r := w.open()
				if r.Permit == nil || !strings.Contains(r.Questions[0].Options[0].Preview, "npm test") || r.Policy.String() != ask.PolicyOf("slack:U0000001").String() {
					t.Errorf("asked: %+v", r)
				}
				i := platform.Interaction{Person: ada, Token: render.Token{Request: r.ID, Verb: render.Choose, Option: c.option}}
				if c.text != "" {
					i.Token.Verb, i.Texts = render.SubmitText, map[int]string{0: c.text}
				}
				w.act(i)
				if v := <-got; v != c.want {
					t.Errorf("the host reads %s, want %s", v, c.want)
				}
			})
		})
	}
}

func TestQuestionsOfHeadlessClaudeAreAnsweredInChat(t *testing.T) {
	overPrompters(t, func(t *testing.T, w *fixture, a *agent) {
		got := a.verdict("toolu_1", choice)
		w.press(w.open().ID, 0, 1)
		if v := <-got; !strings.HasPrefix(v, `{"behavior":"allow","updatedInput":{"questions":[`) || !strings.Contains(v, `"answers":{"Which database?":"SQLite"}`) {
			t.Errorf("the host reads %s", v)
		}
	})
}

func TestModelCallGrantsNothing(t *testing.T) {
	overPrompters(t, func(t *testing.T, w *fixture, a *agent) {
		for _, id := range []string{"toolu_2", ""} {
			if v := <-a.verdict(id, bash); !strings.Contains(v, "This call allows nothing") || strings.Contains(v, "behavior") {
				t.Errorf("the model reads %s", v)
			}
		}
		if n := w.posted(); n > 0 {
			t.Errorf("%d cards were posted", n)
		}
	})
}

func TestUnansweredPromptIsDenied(t *testing.T) {
	overPrompters(t, func(t *testing.T, w *fixture, a *agent) {
		got := a.verdict("toolu_1", bash)
		id := w.open().ID
		later(time.Hour + time.Second)
		if v := <-got; !strings.HasPrefix(v, `{"behavior":"deny","message":"Denied: the request was cancelled`) && !strings.HasPrefix(v, `{"behavior":"deny","message":"Denied: no answer in time`) {
			t.Errorf("the host reads %s", v)
		}
		if r, err := w.bridge.Load(t.Context(), id); err != nil || r.Open() {
			t.Errorf("the card: %+v, %v", r.Outcome, err)
		}
	})
}

func TestPromptCardClosesWithRun(t *testing.T) {
	bubble(t, &Options{Permitters: []string{"slack:U0000001"}}, func(t *testing.T, w *fixture) {
		a := w.pipes(nov2025)
		a.verdict("toolu_1", bash)
		id := w.open().ID
		a.hangUp()
		if r, err := w.bridge.Wait(t.Context(), id); err != nil || r.Outcome.Reason != "the agent has stopped waiting" {
			t.Errorf("the card: %+v, %v", r, err)
		}
	})
}

func TestUnaskablePromptIsDenied(t *testing.T) {
	overPrompters(t, func(t *testing.T, w *fixture, a *agent) {
		for name, args := range map[string]string{
			"no options": strings.Replace(choice, `"options":[{"label":"Postgres","description":"a"},{"label":"SQLite","description":"b"}]`, `"options":[{"label":"Postgres","description":"a"}]`, 1),
			"no object":  strings.Replace(bash, `{"command":"npm test","description":"Run the tests"}`, `"npm test"`, 1),
		} {
			if v := <-a.verdict("toolu_1", args); !strings.HasPrefix(v, `{"behavior":"deny","message":`) {
				t.Errorf("%s: the host reads %s", name, v)
			}
		}
		w.endBridge()
		w.store.Close()
		if v := <-a.verdict("toolu_1", bash); !strings.HasPrefix(v, `{"behavior":"deny","message":"The bridge cannot do this right now`) {
			t.Errorf("without a bridge the host reads %s", v)
		}
	})
}

func TestTokenNamesAgentOfPrompt(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		a := w.webAs(w.caller(access.Agent{Name: "claude"}), "?responders=slack:U0000001")
		got := a.verdict("toolu_1", bash)
		r := w.open()
		if r.Agent != "claude" {
			t.Errorf("%q asks", r.Agent)
		}
		w.press(r.ID, 0, 1)
		if v := <-got; v != `{"behavior":"deny","message":"Ada denied this."}` {
			t.Errorf("the host reads %s", v)
		}
	})
}

func TestPromptToolNeedsResponders(t *testing.T) {
	t.Parallel()
	bubbled := func(name string, opts *Options, dial func(*fixture) *agent, want string) {
		t.Run(name, func(t *testing.T) {
			bubble(t, opts, func(t *testing.T, w *fixture) {
				tools, err := dial(w).session.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, tool := range tools.Tools {
					names = append(names, tool.Name)
					if data, err := json.Marshal(tool); tool.Name == approveName && (err != nil || len(data) > 400) {
						t.Errorf("it takes %d bytes of the list: %s, %v", len(data), data, err)
					}
				}
				if got := strings.Join(names, " "); got != want {
					t.Errorf("the tools are %q, want %q", got, want)
				}
			})
		})
	}
	for name, p := range prompters {
		opts := *p.opts
		bubbled(name, &opts, p.dial, "approve ask_user wait_for_answer")
	}
	bubbled("no people", nil, func(w *fixture) *agent { return w.web(nov2025) }, "ask_user wait_for_answer")
}

func TestPeopleWhoAreNoneAreRefusedInTheAddress(t *testing.T) {
	t.Parallel()
	s, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.Handler(nil).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp?responders=dana", strings.NewReader(`{}`)))
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "responders[0]") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
