package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// hookInput is the standard input of Claude Code's PreToolUse hook.
const hookInput = `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_use_id":"toolu_01",` +
	`"tool_input":{"questions":[{"question":"Which  \u003cqueue\u003e?", "header":"Queue","multiSelect":false,"options":[{"label":"Redis Streams","description":"There"},{"label":"In-process","description":"New"}]}]}}`

const hookAnswer = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"questions":[` +
	`{"question":"Which  \u003cqueue\u003e?", "header":"Queue","multiSelect":false,"options":[{"label":"Redis Streams","description":"There"},{"label":"In-process","description":"New"}]}],` +
	`"answers":{"Which  \u003cqueue\u003e?":"In-process"}},"additionalContext":"Answered by Ada on Slack."}}`

const toSlack = "?to=slack:C0000001"

// wantResult checks the state that a tool result reports.
func (r reply) wantResult(t testing.TB, status int, state ask.State, isError bool) reply {
	t.Helper()
	r.want(t, status)
	wrong := "false"
	if isError {
		wrong = "true"
	}
	if got := r.Header.Get(client.HeaderState); got != string(state) || r.Header.Get(client.HeaderIsError) != wrong {
		t.Fatalf("state %q, error %q, want %q, %q: %s", got, r.Header.Get(client.HeaderIsError), state, wrong, r.body)
	}
	return r
}

func TestToolResultEchoesInputBytes(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		open := w.call("", "POST", "/v1/ask/claude"+toSlack, hookInput).wantResult(t, http.StatusAccepted, ask.Open, false)
		id := open.Header.Get(client.HeaderRequestID)
		if open.body != "" || open.Header.Get("Location") != "/v1/requests/"+id+"/as/claude" {
			t.Errorf("open: %q at %q", open.body, open.Header.Get("Location"))
		}
		go func() {
			later(20 * time.Second)
			w.press(id, 0, 1)
		}()
		began := time.Now()
		done := w.call("", "POST", "/v1/ask/claude"+toSlack+"&wait=30s", hookInput).wantResult(t, http.StatusOK, ask.Answered, false)
		if diff := cmp.Diff(hookAnswer, done.body); diff != "" || done.Header.Get(client.HeaderRequestID) != id {
			t.Errorf("request %s answered (-want +got):\n%s", done.Header.Get(client.HeaderRequestID), diff)
		}
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("it took %s", took)
		}
		if kind := done.Header.Get("Content-Type"); kind != "application/json" {
			t.Errorf("content type %s", kind)
		}
		again := w.call("", "POST", open.Header.Get("Location"), hookInput).wantResult(t, http.StatusOK, ask.Answered, false)
		if again.body != hookAnswer {
			t.Errorf("later: %s", again.body)
		}
		synctest.Wait()
		if n := len(w.slack.Standing()); n != 1 {
			t.Errorf("%d messages posted", n)
		}
	})
}

// Every host's own example is returned in the host's format, through the whole handler.
func TestAgnoSecondCallContainsChoices(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		const path = "/v1/ask/agno" + toSlack + "&session=s1&tool_call_id=c1"
		questions := `"questions_json":` + quote(`[{"question":"Which database?","header":"Database","multiSelect":false,"options":[{"label":"Postgres","description":""},{"label":"SQLite","description":""}]}]`)
		second := `{` + questions + `,"user_answers":"{\"question_0\":[\"Postgres\"]}"}`
		first := w.call("", "POST", path, `{`+questions+`}`).wantResult(t, http.StatusAccepted, ask.Open, false)
		// The choices in the agent's second call are not an answer by a person.
		w.call("", "POST", path, second).wantResult(t, http.StatusAccepted, ask.Open, false)
		w.press(first.Header.Get(client.HeaderRequestID), 0, 1)
		got := w.call("", "POST", path, second).wantResult(t, http.StatusOK, ask.Answered, false)
		var result struct {
			Answers map[string][]string
			Status  string
		}
		if err := json.Unmarshal([]byte(got.body), &result); err != nil || result.Status != "completed" || !slices.Equal(result.Answers["Database"], []string{"SQLite"}) {
			t.Errorf("the second call reads %s, %v", got.body, err)
		}
		synctest.Wait()
		if n := len(w.slack.Standing()); n != 1 {
			t.Errorf("%d messages posted", n)
		}
	})
}

func TestEveryDialectIsServed(t *testing.T) {
	files, err := filepath.Glob("../dialect/testdata/*.txtar")
	if err != nil || len(files) < len(dialect.All()) {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for _, file := range files {
			name, variant, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), ".")
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var input []byte
			for _, f := range archive.Files {
				if f.Name == "input.json" {
					input = f.Data
				}
			}
			path := "/v1/ask/" + name + toSlack + "&responders=anyone&session=" + name + variant + "&tool_call_id=c1"
			open := w.call("", "POST", path, string(input))
			open.wantResult(t, http.StatusAccepted, ask.Open, open.Header.Get(client.HeaderIsError) == "true")
			id := open.Header.Get(client.HeaderRequestID)
			r, err := w.bridge.Load(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			d, _ := dialect.Get(name)
			w.fill(&r)
			got := w.call("", "POST", path+"&wait=30s", string(input)).want(t, http.StatusOK)
			if r, err = w.bridge.Load(t.Context(), id); err != nil || r.Outcome.State != ask.Answered {
				t.Fatalf("%s: %+v, %v", name, r.Outcome, err)
			}
			want := d.Encode(input, r.Outcome, nil)
			if got.body != string(want.Body) || got.Header.Get("Content-Type") != want.ContentType || got.Header.Get(client.HeaderSend) != want.Send {
				t.Errorf("%s: %s %q\n got %s\nwant %s", name, got.Header.Get("Content-Type"), got.Header.Get(client.HeaderSend), got.body, want.Body)
			}
			as := w.call("", "POST", "/v1/requests/"+id+"/as/"+name, string(input)).wantResult(t, http.StatusOK, ask.Answered, want.IsError)
			if as.body != got.body {
				t.Errorf("%s: later it is %s", name, as.body)
			}
		}
	})
}

// fill answers every question of a request with its first option or a text.
func (w *fixture) fill(r *bridge.Record) {
	w.t.Helper()
	picks := map[int][]int{}
	for n, q := range r.Questions {
		if q.TextOnly() {
			w.act(platform.Interaction{Person: ada, Token: render.Token{Request: r.ID, Verb: render.SubmitText, Question: n}, Texts: map[int]string{n: "typed"}})
			continue
		}
		picks[n] = []int{0}
	}
	w.act(platform.Interaction{Person: ada, Token: render.Token{Request: r.ID, Verb: render.Submit}, Picks: picks})
}

// If the host gets no feedback before the end, questions to the agent are returned as the tool result in the host's
// format, provided the route allows asking back.
func TestHostReceivesQuestionsToAgent(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../dialect/testdata/*.txtar")
	if err != nil || len(files) < len(dialect.All()) {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorldOn(t, anonymous(), memory.New(), &bridge.Options{
			Routes:       map[string]bridge.Route{"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C0000002"}}, Terms: ask.Terms{AskBack: ask.AskBackStay}}},
			DefaultRoute: "deploys",
		})
		defer w.stop()
		for _, file := range files {
			name, variant, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), ".")
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input := archive.Files[slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "input.json" })].Data
			path := "/v1/ask/" + name + "?responders=anyone&tool_call_id=c1&session=" + name + variant
			id := w.call("", "POST", path, string(input)).want(t, http.StatusAccepted).Header.Get(client.HeaderRequestID)
			d, _ := dialect.Get(name)
			r, err := w.bridge.Load(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			asked := ask.Outcome{State: ask.Cancelled, By: ada, Reason: "Which region?", Replied: true}
			if received := strings.Contains(string(d.Encode(input, asked, nil).Body), "Which region?"); received != r.AskBack.On() {
				t.Errorf("%s %s: asking back is offered: %t, received by the host: %t", name, variant, r.AskBack.On(), received)
			}
			if !r.AskBack.On() {
				continue
			}
			w.act(platform.Interaction{Person: ada, Token: render.Token{Request: id, Verb: render.SubmitAsk}, Texts: map[int]string{-1: "Which region?"}})
			got := w.call("", "POST", path+"&wait=30s", string(input)).want(t, http.StatusOK)
			r, err = w.bridge.Load(t.Context(), id)
			if err != nil || r.Outcome.State != ask.Cancelled || r.Outcome.Reason != "Which region?" || !r.Outcome.Replied {
				t.Fatalf("%s: it ends as %+v, %v", name, r.Outcome, err)
			}
			if want := d.Encode(input, r.Outcome, nil); got.body != string(want.Body) || !strings.Contains(got.body, "Which region?") {
				t.Errorf("%s: got %s\nwant %s", name, got.body, want.Body)
			}
		}
	})
}

func TestResultWithoutInput(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		made := w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t)
		at := "/v1/requests/" + made.ID
		w.call("", "GET", at+"?as=spring", "").wantResult(t, http.StatusAccepted, ask.Open, false)
		w.press(made.ID, 0, 1)
		for name, want := range map[string]string{
			"spring":             `{"Which database?":"SQLite"}`,
			"askuserquestion-go": "Which database?\nSQLite",
			"req-auq":            `{"answers":{"Which database?":"SQLite"}}`,
			"cline":              "SQLite",
			"opal":               `{"answer":"SQLite"}`,
		} {
			r := w.call("", "GET", at+"?wait=5s&as="+name, "").wantResult(t, http.StatusOK, ask.Answered, false)
			if r.body != want {
				t.Errorf("%s: got %s, want %s", name, r.body, want)
			}
		}
		for name, part := range map[string]string{"codex": at + "/as/codex", "crush": at + "/as/crush"} {
			p := read[client.Problem](t, w.call("", "GET", at+"?as="+name, "").want(t, http.StatusConflict))
			if !strings.Contains(p.Detail, part) {
				t.Errorf("%s: %s", name, p.Detail)
			}
		}
		w.call("", "GET", at+"?as=klingon", "").want(t, http.StatusUnprocessableEntity)
		w.call("", "GET", "/v1/requests/nothing?as=spring", "").want(t, http.StatusNotFound)
		w.call("", "POST", "/v1/requests/nothing/as/spring", "{}").want(t, http.StatusNotFound)
		w.call("", "POST", at+"/as/claude", hookInput).want(t, http.StatusConflict)
	})
}

func TestPermissionNeedsNamedResponders(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for path, input := range map[string]string{
			"/v1/ask/claude":    `{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"make deploy"}}`,
			"/v1/ask/acp":       `{"toolCall":{"title":"Deploy","rawInput":{"command":"make deploy"}},"options":[{"optionId":"y","name":"Yes"},{"optionId":"n","name":"No"}]}`,
			"/v1/ask/langgraph": `[{"action_request":{"action":"deploy","args":{}},"config":{"allow_accept":true},"description":"Deploy?"}]`,
		} {
			r := w.call("", "POST", path+toSlack, input, "Idempotency-Key: "+path).want(t, http.StatusUnprocessableEntity)
			if !strings.Contains(r.body, "name who may allow it") {
				t.Errorf("%s: %s", path, r.body)
			}
			r = w.call("", "POST", path+toSlack+"&responders=slack:U0000001", input, "Idempotency-Key: "+path).wantResult(t, http.StatusAccepted, ask.Open, false)
			if got := w.call("", "GET", "/v1/requests/"+r.Header.Get(client.HeaderRequestID), "").request(t).Responders; len(got) != 1 || got[0] != "slack:U0000001" {
				t.Errorf("%s: %v may decide", path, got)
			}
			w.call("", "POST", path+toSlack+"&responders=anyone", input, "Idempotency-Key: any"+path).wantResult(t, http.StatusAccepted, ask.Open, false)
		}
	})
}

func TestProblemsHeader(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		c := w.client(nil)
		r, err := c.SubmitTool(t.Context(), client.ToolCall{Dialect: "opencode", Input: []byte(`{"questions":[{"question":"","header":"ü \u007f😀","options":[{"label":"A"},{"label":"A"}]}]}`), Request: ask.Request{To: database.To}})
		if err != nil || r.State != client.StateRefused || len(r.Problems) != 2 || r.Problems[0].Path != "questions[0].question" || r.Problems[1].Path != "questions[0].options[1].label" {
			t.Errorf("%+v, %v", r, err)
		}
		long := `{"questions":[` + strings.TrimSuffix(strings.Repeat(`{"question":"","options":[{"label":"`+strings.Repeat("ü", 900)+`"},{"label":"`+strings.Repeat("ü", 900)+`"}]},`, 10), ",") + `]}`
		sent := w.call("", "POST", "/v1/ask/opencode"+toSlack, long).wantResult(t, http.StatusOK, client.StateRefused, true)
		if header := sent.Header.Get(client.HeaderProblems); len(header) > maxRemarks || !strings.HasPrefix(header, `[{"path":"questions[0].question"`) {
			t.Errorf("%d bytes: %s", len(header), header)
		}
	})
}

func TestLookAlikeLabelsAreRejected(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for path, input := range map[string]string{
			"/v1/ask/claude":   `{"questions":[{"question":"Go?","header":"Go","options":[{"label":"Deploy","description":"d"},{"label":"Depl\u043ey","description":"d"}]}]}`,
			"/v1/ask/opencode": `{"questions":[{"question":"Go?","header":"Go","options":[{"label":"Deploy","description":"d"},{"label":"Depl\u043ey","description":"d"}]}]}`,
			"/v1/ask/acp":      `{"toolCall":{"title":"Deploy","rawInput":{"command":"make deploy"}},"options":[{"optionId":"y","name":"Allow"},{"optionId":"n","name":"A\u217cIow"}]}`,
		} {
			r := w.call("", "POST", path+toSlack+"&responders=slack:U0000001", input).wantResult(t, http.StatusOK, client.StateRefused, true)
			if header := r.Header.Get(client.HeaderProblems); !strings.Contains(r.body, "looks the same as options[0].label") || !strings.Contains(header, "questions[0].options[1].label") {
				t.Errorf("%s: %s, problems %s", path, r.body, header)
			}
		}
		p := read[client.Problem](t, w.call("", "POST", "/v1/requests", strings.Replace(oneQuestion, "SQLite", "P\u043estgres", 1)).want(t, http.StatusUnprocessableEntity))
		if len(p.Errors) != 1 || p.Errors[0].Path != "questions[0].options[1].label" {
			t.Errorf("a plain request: %+v", p)
		}
		if n := len(w.slack.Standing()); n != 0 {
			t.Errorf("%d cards were posted", n)
		}
	})
}

func TestInvalidInputGetsHostError(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for path, part := range map[string]string{
			"/v1/ask/askuserquestion-go": "askuserquestion: questions must be a non-empty array",
			"/v1/ask/agno":               `"status": "failed"`,
			"/v1/ask/opal":               "Missing required parameter",
		} {
			r := w.call("", "POST", path+toSlack, "{}").wantResult(t, http.StatusOK, client.StateRefused, true)
			if !strings.Contains(r.body, part) || r.Header.Get(client.HeaderRequestID) != "" {
				t.Errorf("%s: %s", path, r.body)
			}
		}
		r := w.call("", "POST", "/v1/ask/claude"+toSlack, "not JSON").wantResult(t, http.StatusOK, client.StateRefused, true)
		if !strings.Contains(r.body, `"behavior":"deny"`) {
			t.Errorf("got %s", r.body)
		}
		// Five questions exceed the bridge's default limit but not Spring's.
		if r := w.call("", "POST", "/v1/ask/spring-tool"+toSlack, springSet(11)).wantResult(t, http.StatusOK, client.StateRefused, true); !strings.Contains(r.body, "1-10 questions, got: 11") {
			t.Errorf("got %s", r.body)
		}
		// The texts in the query count towards the limit too.
		full := strings.Replace(springSet(1), `"d"`, `"`+strings.Repeat("d", ask.MaxText-50)+`"`, 1)
		if r := w.call("", "POST", "/v1/ask/spring-tool"+toSlack+"&context="+strings.Repeat("x", 50), full).wantResult(t, http.StatusOK, client.StateRefused, true); !strings.Contains(r.body, "all texts together") {
			t.Errorf("got %s", r.body)
		}
		if n := len(w.slack.Standing()); n != 0 {
			t.Errorf("%d messages posted", n)
		}
		w.call("", "POST", "/v1/ask/spring-tool"+toSlack, springSet(5)).wantResult(t, http.StatusAccepted, ask.Open, false)
	})
}

// springSet returns a tool input with n questions.
func springSet(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"question":"Q%d?","header":"A","options":[{"label":"x","description":"d"},{"label":"y","description":"d"}]}`, i+1))
	}
	return `{"questions":[` + strings.Join(list, ",") + `]}`
}

// Errors that the model cannot correct are returned to the developer of the call.
func TestInvalidCallsReturnProblems(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a", Targets: []string{"slack:C0000001"}, Rate: 3}), func(t *testing.T, w *fixture) {
		ask := func(path string) reply { return w.call("token-a", "POST", path, hookInput) }
		w.call("", "POST", "/v1/ask/claude"+toSlack, hookInput).want(t, http.StatusUnauthorized)
		if p := read[client.Problem](t, ask("/v1/ask/klingon"+toSlack).want(t, http.StatusNotFound)); !strings.Contains(p.Detail, "claude, ") {
			t.Errorf("unknown dialect: %s", p.Detail)
		}
		if p := read[client.Problem](t, ask("/v1/ask/claude?to=nowhere").want(t, http.StatusUnprocessableEntity)); p.Errors[0].Path != "to[0]" {
			t.Errorf("bad place: %+v", p)
		}
		if p := read[client.Problem](t, ask("/v1/ask/claude?expires_in=soon").want(t, http.StatusUnprocessableEntity)); p.Errors[0].Path != "expires_in" {
			t.Errorf("bad time: %+v", p)
		}
		ask("/v1/ask/claude?to=slack:C0000009").want(t, http.StatusForbidden)
		ask("/v1/ask/claude"+toSlack).wantResult(t, http.StatusAccepted, "open", false)
		if p := read[client.Problem](t, ask("/v1/ask/claude"+toSlack+"&responders=slack:U1").want(t, http.StatusConflict)); p.RequestID == "" {
			t.Errorf("conflict: %+v", p)
		}
		ask("/v1/ask/claude"+toSlack).want(t, http.StatusTooManyRequests)
		long := w.call("token-a", "POST", "/v1/requests/a/as/claude", strings.Repeat(" ", dialect.MaxInput+1))
		long.want(t, http.StatusRequestEntityTooLarge)
		later(time.Second) // The server is slow to give up on an unread body.
	})
}

func TestQueryIsValidated(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		path := "/v1/ask/claude?to=slack:C0000001/17.1&to=slack:U0000001&responders=slack:U0000001&responders=slack:U0000002" +
			"&expires_in=30m&session=mine&tool_call_id=call_7&agent=bot&context=Release+4.2"
		r := w.call("", "POST", path, hookInput).wantResult(t, http.StatusAccepted, ask.Open, false)
		rec, err := w.bridge.Load(t.Context(), r.Header.Get(client.HeaderRequestID))
		if err != nil {
			t.Fatal(err)
		}
		var to []ask.Place
		for _, c := range rec.Copies {
			to = append(to, c.Target)
		}
		if diff := cmp.Diff([]ask.Place{{Platform: "slack", Channel: "C0000001", Thread: "17.1"}, {Platform: "slack", User: "U0000001"}}, to); diff != "" {
			t.Error(diff)
		}
		if rec.Session != "mine" || rec.ToolCallID != "call_7" || rec.Agent != "bot" || rec.Context != "Release 4.2" || len(rec.Policy.Strings()) != 2 ||
			rec.Deadline.Sub(rec.Created) != 30*time.Minute {
			t.Errorf("got %+v", rec)
		}
	})
}

func TestSubagentPlacesAreLimited(t *testing.T) {
	set := strings.Replace(oneQuestion, `"to":[{"platform":"slack","channel":"C0000001"}],`, "", 1)
	bubble(t, agents(
		access.Agent{Name: "bot", Token: "host", Tenant: "bot"},
		access.Agent{Name: "strict", Token: "refuse", Subagents: access.RefuseSubagents},
		access.Agent{Name: "open", Token: "pass", Subagents: access.PassSubagents},
	), func(t *testing.T, w *fixture) {
		child := func(token, dialect, name string) reply {
			// The parent works in a thread.
			return w.call(token, "POST", "/v1/ask/"+dialect+toSlack+"/1795257060.000002&session=s1&tool_call_id=call_1&subagent="+name, set)
		}
		const req, spring, others = "Only parent conversations can ask", "can be used only with main agents, not sub-agents", "only the main agent can"
		for _, c := range []struct{ token, dialect, words string }{
			{"host", "req-auq", req}, {"host", "spring", spring}, {"refuse", "req-auq", req}, {"refuse", "askuserquestion-go", others},
		} {
			if r := child(c.token, c.dialect, "true").wantResult(t, http.StatusOK, client.StateRefused, true); !strings.Contains(r.body, c.words) {
				t.Errorf("%s with %s: %s", c.dialect, c.token, r.body)
			}
		}
		if n := len(w.slack.Standing()); n != 0 {
			t.Fatalf("%d messages posted", n)
		}
		// Two children of one parent that number their calls alike.
		explorer := child("pass", "req-auq", "explorer").wantResult(t, http.StatusAccepted, ask.Open, false).Header.Get(client.HeaderRequestID)
		planner := child("pass", "req-auq", "planner").wantResult(t, http.StatusAccepted, ask.Open, false).Header.Get(client.HeaderRequestID)
		if explorer == planner {
			t.Fatal("two sub-agents share one request")
		}
		rec, err := w.bridge.Load(t.Context(), explorer)
		if err != nil || rec.Context != "Asked by sub-agent explorer of open." || rec.Copies[0].Target.Thread != "1795257060.000002" {
			t.Errorf("card context %q in %+v, %v", rec.Context, rec.Copies, err)
		}
		w.press(explorer, 0, 0)
		w.press(planner, 0, 1)
		for name, want := range map[string]string{"explorer": `{"answers":{"Which database?":"Postgres"}}`, "planner": `{"answers":{"Which database?":"SQLite"}}`} {
			if r := child("pass", "req-auq", name).wantResult(t, http.StatusOK, ask.Answered, false); r.body != want {
				t.Errorf("%s got %s", name, r.body)
			}
		}
	})
}

// An agent has a long command approved and requests the result with another command that begins the same.
func TestPermissionResultNeedsShownInput(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		prompt := func(end string) string {
			return `{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"` + strings.Repeat("make test # ", 300) + end + `"}}`
		}
		open := w.call("", "POST", "/v1/ask/claude"+toSlack+"&responders=anyone&tool_call_id=c1", prompt("ok")).want(t, http.StatusAccepted)
		id := open.Header.Get(client.HeaderRequestID)
		r, err := w.bridge.Load(t.Context(), id)
		if err != nil || len(r.Files) != 1 || r.Files[0].Unshown == 0 {
			t.Fatalf("%+v, %v", r.Files, err)
		}
		w.fill(&r)
		at := "/v1/requests/" + id + "/as/claude"
		w.call("", "POST", at, prompt("&& rm -rf /")).want(t, http.StatusConflict)
		if got := w.call("", "POST", at, prompt("ok")).wantResult(t, http.StatusOK, ask.Answered, false); !strings.Contains(got.body, `"behavior":"allow"`) || !strings.Contains(got.body, `# ok"`) {
			t.Errorf("response: %s", got.body)
		}
		// The same call with another input is another request.
		w.call("", "POST", "/v1/ask/claude"+toSlack+"&responders=anyone&tool_call_id=c1", prompt("&& rm -rf /")).want(t, http.StatusConflict)
	})
}
