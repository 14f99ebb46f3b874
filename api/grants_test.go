package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

const npmTestPrompt = `{"session_id":"s1","cwd":"/home/dana/ledger","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"npm test"}}`

func granting() *settings {
	o := shellAndBot()
	o.Agents[0].Grants = ask.Grants{Scope: ask.SameSession, For: 8 * time.Hour}
	o.Agents[1].Scopes = append(o.Agents[1].Scopes, access.Grant)
	return o
}

const promptPath = "/v1/ask/claude" + toSlack + "&responders=slack:U0000001"

func grantsOf(t testing.TB, r reply) []client.Grant {
	t.Helper()
	var list client.Grants
	if err := json.Unmarshal([]byte(r.body), &list); err != nil {
		t.Fatal(err)
	}
	return list.Grants
}

// A prompt submitted by an older version, with another wording, is answered by this one.
func TestPromptOfAnOlderVersionIsAnswered(t *testing.T) {
	t.Parallel()
	const older = "Allow for 8 hours in this session"
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second)
		st := memory.New()
		w := newWorldOn(t, granting(), st, &bridge.Options{Routes: map[string]bridge.Route{"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C0000002"}}}}, DefaultRoute: "deploys"})
		defer w.stop()
		id := w.call("token-bot", "POST", promptPath, npmTestPrompt).wantResult(t, http.StatusAccepted, ask.Open, false).Header.Get(client.HeaderRequestID)
		if _, err := st.Change(t.Context(), id, func(r *bridge.Record, _ time.Time) error {
			r.Questions = []ask.Question{r.Questions[0].Clone()}
			r.Questions[0].Options[1].Label, r.Questions[0].Options[1].Description = older, "The same call is allowed"
			r.Permit = &ask.Permit{Key: r.Permit.Key, What: r.Permit.What, Allow: r.Permit.Allow, Offers: []ask.Offer{{Label: older, Grants: r.Permit.Offers[0].Grants}}}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", `{"answers":[{"index":0,"selected":["`+older+`"]}]}`).want(t, http.StatusOK)
		got := w.call("token-bot", "POST", "/v1/requests/"+id+"/as/claude", npmTestPrompt).wantResult(t, http.StatusOK, ask.Answered, false)
		if !strings.Contains(got.body, `"behavior":"allow"`) {
			t.Errorf("the host gets %s", got.body)
		}
		synctest.Wait()
		w.call("token-bot", "POST", promptPath, npmTestPrompt).wantResult(t, http.StatusOK, ask.Answered, false)
	})
}

func TestGrantLifecycle(t *testing.T) {
	bubble(t, granting(), func(t *testing.T, w *fixture) {
		asked := func(prompt string, state ask.State) reply {
			status := http.StatusAccepted
			if state == ask.Answered {
				status = http.StatusOK
			}
			return w.call("token-bot", "POST", promptPath, prompt).wantResult(t, status, state, false)
		}
		first := asked(npmTestPrompt, ask.Open).Header.Get(client.HeaderRequestID)
		w.call("token-dana", "POST", "/v1/requests/"+first+"/answer", `{"answers":[{"index":0,"selected":["Allow for 8 h"]}]}`).want(t, http.StatusOK)
		const allowed = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"npm test"}}}}`
		if got := w.call("token-bot", "POST", "/v1/requests/"+first+"/as/claude", npmTestPrompt).wantResult(t, http.StatusOK, ask.Answered, false); got.body != allowed {
			t.Errorf("first call: %s", got.body)
		}
		synctest.Wait()
		second := asked(npmTestPrompt, ask.Answered)
		if second.body != allowed {
			t.Errorf("second call: %s", second.body)
		}
		for what, other := range map[string]string{
			"command": strings.Replace(npmTestPrompt, "npm test", "npm publish", 1), "folder": strings.Replace(npmTestPrompt, "ledger", "other", 1),
			"tool": strings.Replace(npmTestPrompt, "Bash", "PowerShell", 1), "session": strings.Replace(npmTestPrompt, "s1", "s2", 1),
			"input": strings.Replace(npmTestPrompt, `"npm test"`, `"npm test","run_in_background":true`, 1),
		} {
			t.Log(what)
			asked(other, ask.Open)
		}
		list := grantsOf(t, w.call("token-bot", "GET", "/v1/grants", "").want(t, http.StatusOK))
		if len(list) != 1 || list[0].Uses != 1 || list[0].What != "Bash: npm test (in /home/dana/ledger)" || list[0].Until.Sub(list[0].MadeAt) != 8*time.Hour {
			t.Fatalf("granted: %+v", list)
		}
		id := list[0].ID
		met := w.call("token-bot", "GET", "/v1/requests/"+second.Header.Get(client.HeaderRequestID), "").want(t, http.StatusOK).request(t)
		if met.Via != "grant:"+id || met.By.Name != "dana-shell" || len(met.Delivery) > 0 {
			t.Errorf("history: %+v", met)
		}
		if others := grantsOf(t, w.call("token-elsewhere", "GET", "/v1/grants", "").want(t, http.StatusOK)); len(others) > 0 {
			t.Errorf("another tenant sees %+v", others)
		}
		w.call("token-root", "POST", "/v1/grants/"+id+"x/revoke", "").want(t, http.StatusNotFound)
		w.call("token-root", "POST", "/v1/grants/"+id+"/revoke", "").want(t, http.StatusOK)
		asked(npmTestPrompt, ask.Open)
	})
}

// noting is an auditor that collects the events that belong to no request.
type noting struct {
	Auditor

	events []string
}

func (n *noting) Note(_ context.Context, kind, by, detail string) error {
	n.events = append(n.events, kind+" by "+by+": "+detail)
	return nil
}

func TestAuditNamesGrantRevoker(t *testing.T) {
	audit := &noting{}
	opts := granting()
	opts.Audit = audit
	bubble(t, opts, func(t *testing.T, w *fixture) {
		first := w.call("token-bot", "POST", promptPath, npmTestPrompt).wantResult(t, http.StatusAccepted, ask.Open, false).Header.Get(client.HeaderRequestID)
		w.call("token-dana", "POST", "/v1/requests/"+first+"/answer", `{"answers":[{"index":0,"selected":["Allow for 8 h"]}]}`).want(t, http.StatusOK)
		synctest.Wait()
		id := grantsOf(t, w.call("token-bot", "GET", "/v1/grants", "").want(t, http.StatusOK))[0].ID
		w.call("token-root", "POST", "/v1/grants/nothing/revoke", "").want(t, http.StatusNotFound)
		w.call("token-root", "POST", "/v1/grants/"+id+"/revoke", "").want(t, http.StatusOK)
		want := []string{"grant_revoke by root: nothing", "grant_revoke_failed by root: nothing", "grant_revoke by root: " + id}
		if !slices.Equal(audit.events, want) {
			t.Errorf("audit trail: %q", audit.events)
		}
	})
}

func TestInvalidGrantID(t *testing.T) {
	bubble(t, granting(), func(t *testing.T, w *fixture) {
		for _, id := range []string{"%00", "%ff", "a%0Ab", strings.Repeat("x", 5000)} {
			w.call("token-bot", "POST", "/v1/grants/"+id+"/revoke", "").want(t, http.StatusNotFound)
		}
	})
}

func TestGrantOffersNeedTokenCeiling(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		input := strings.Replace(npmTestPrompt, `"tool_input":{`, `"grants":{"scope":"agent","for":"8h"},"tool_input":{"grants":{"scope":"agent","for":"8h"},`, 1)
		w.call("token-bot", "POST", promptPath+"&grants=8h", input).want(t, http.StatusUnprocessableEntity)
		id := w.call("token-bot", "POST", promptPath, input).wantResult(t, http.StatusAccepted, ask.Open, false).Header.Get(client.HeaderRequestID)
		r := w.call("token-bot", "GET", "/v1/requests/"+id, "").want(t, http.StatusOK).request(t)
		if len(r.Questions[0].Options) != 2 {
			t.Errorf("offered: %+v", r.Questions[0].Options)
		}
	})
}

func TestReusedAnswerOverAPI(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		body := with(oneQuestion, `"session":"s1","same":"session","within":"10m"`)
		first := w.call("token-bot", "POST", "/v1/requests", body).want(t, http.StatusCreated).request(t)
		w.call("token-dana", "POST", "/v1/requests/"+first.ID+"/answer", `{"answers":[{"index":0,"selected":["SQLite"]}]}`).want(t, http.StatusOK)
		again := w.call("token-bot", "POST", "/v1/requests", body).want(t, http.StatusOK).request(t)
		if again.ID != first.ID || !again.Replayed || again.State != ask.Answered {
			t.Errorf("asked again: %+v", again)
		}
		w.call("token-bot", "POST", "/v1/requests", with(oneQuestion, `"within":"10m"`)).wantProblem(t, http.StatusUnprocessableEntity, "needs same")
		w.call("token-bot", "POST", "/v1/requests", with(oneQuestion, `"session":"s1","same":"session","within":"2h"`)).wantProblem(t, http.StatusUnprocessableEntity, "at most an hour")
	})
}

func TestClientSendsWithin(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		c := w.client(&client.Options{Token: "token-bot"})
		r := database
		r.ToolCallID, r.Same, r.Within = "", ask.SameSession, 10*time.Minute
		first, err := c.Submit(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		w.press(first.ID, 0, 1)
		if again, err := c.Submit(t.Context(), r); err != nil || again.ID != first.ID || again.State != ask.Answered {
			t.Errorf("asked again: %+v, %v", again, err)
		}
		call := client.ToolCall{Dialect: "opal", Input: []byte(`{"question":"Which cloud?","choices":["Here","There"]}`), Request: ask.Request{To: r.To, Session: "s1", Same: r.Same, Within: r.Within}}
		asked, err := c.SubmitTool(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		w.press(asked.RequestID, 0, 1)
		if again, err := c.SubmitTool(t.Context(), call); err != nil || again.RequestID != asked.RequestID || again.State != ask.Answered {
			t.Errorf("the tool asked again: %+v, %v", again, err)
		}
	})
}

func TestGrantCeilingIsValidated(t *testing.T) {
	t.Parallel()
	for name, g := range map[string]ask.Grants{
		"grants.scope": {Scope: "everywhere", For: time.Hour}, "grants.for": {Scope: ask.SameSession, For: 31 * 24 * time.Hour}, "a second": {Scope: ask.SameAgent, For: time.Second},
	} {
		if problems := access.CheckAgents([]access.Agent{{Name: "bot", Token: "token", Grants: g}}); len(problems) != 1 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

// thin is a store with fewer replicas than required.
type thin struct{ keyvalue.Store }

func (s thin) Put(ctx context.Context, k keyvalue.Key, value []byte, o *keyvalue.PutOptions) (keyvalue.Entry, error) {
	e, err := s.Store.Put(ctx, k, value, o)
	if err == nil {
		err = bridge.ErrNotReplicated
	}
	return e, err
}

func TestGrantRevocationWithReplicaDown(t *testing.T) {
	audit := &noting{}
	o := granting()
	o.Audit = audit
	o.Values = func(s keyvalue.Store) keyvalue.Store { return thin{s} }
	bubble(t, o, func(t *testing.T, w *fixture) {
		first := w.call("token-bot", "POST", promptPath, npmTestPrompt).Header.Get(client.HeaderRequestID)
		w.call("token-dana", "POST", "/v1/requests/"+first+"/answer", `{"answers":[{"index":0,"selected":["Allow for 8 h"]}]}`).want(t, http.StatusOK)
		synctest.Wait()
		list := grantsOf(t, w.call("token-bot", "GET", "/v1/grants", "").want(t, http.StatusOK))
		if len(list) != 1 {
			t.Fatalf("granted: %+v", list)
		}
		for range 2 {
			r := w.call("token-root", "POST", "/v1/grants/"+list[0].ID+"/revoke", "").want(t, http.StatusServiceUnavailable)
			if !strings.Contains(r.body, "it holds here") || r.Header.Get("Retry-After") == "" {
				t.Errorf("%v %s", r.Header, r.body)
			}
		}
		if left := grantsOf(t, w.call("token-bot", "GET", "/v1/grants", "").want(t, http.StatusOK)); len(left) > 0 {
			t.Errorf("it holds still: %+v", left)
		}
		if slices.ContainsFunc(audit.events, func(s string) bool { return strings.Contains(s, "_failed") }) {
			t.Errorf("the audit trail records a failure: %q", audit.events)
		}
	})
}
