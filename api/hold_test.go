package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func TestHeldAnswerIsNotRevealed(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		made := w.call("token-bot", "POST", "/v1/requests", with(oneQuestion, `"hold":"10s"`)).want(t, http.StatusCreated).request(t)
		if made.Hold != "10s" || made.Ignored != nil {
			t.Errorf("it is held for %q, ignored %q", made.Hold, made.Ignored)
		}
		answer := "/v1/requests/" + made.ID + "/answer"
		pending := w.call("token-dana", "POST", answer, `{"answers":[{"index":0,"selected":["SQLite"]}]}`).want(t, http.StatusOK).request(t)
		if pending.State != ask.Open || !pending.UndoUntil.Equal(time.Now().Add(10*time.Second)) {
			t.Errorf("response to the decision: %+v", pending)
		}
		got := w.call("token-bot", "GET", "/v1/requests/"+made.ID+"?wait=5s", "").want(t, http.StatusOK)
		if strings.Contains(got.body, "SQLite\"]") || strings.Contains(got.body, "undo_until") || strings.Contains(got.body, "dana") {
			t.Errorf("the agent gets %s", got.body)
		}
		w.call("token-dana", "POST", answer, `{"dismiss":true}`).want(t, http.StatusConflict)
		again := w.call("token-dana", "POST", answer, `{"undo":true}`).want(t, http.StatusOK).request(t)
		if again.State != ask.Open || !again.UndoUntil.IsZero() {
			t.Errorf("response to the undo: %+v", again)
		}
		w.call("token-dana", "POST", answer, `{"undo":true}`).want(t, http.StatusConflict)
		w.call("token-dana", "POST", answer, `{"reply":"later"}`).want(t, http.StatusOK)
		w.call("token-shell", "POST", answer, `{"undo":true}`).want(t, http.StatusForbidden)
		ended := w.call("token-bot", "GET", "/v1/requests/"+made.ID+"?wait=20s", "").want(t, http.StatusOK).request(t)
		if ended.State != ask.Cancelled || ended.Reason != "later" || !ended.Replied {
			t.Errorf("it ended as %+v", ended)
		}
	})
}

func TestHoldComesFromQueryOnly(t *testing.T) {
	agents := []access.Agent{{Name: "held", Token: "held", Terms: ask.Terms{Hold: time.Minute}}, {Name: "free", Token: "free"}}
	bubble(t, &settings{Agents: agents}, func(t *testing.T, w *fixture) {
		input := strings.Replace(hookInput, `"tool_input":{`, `"tool_input":{"hold":"5s",`, 1)
		for name, tt := range map[string]struct{ token, query, want string }{
			"by the token":            {"held", "", "1m0s"},
			"the query asks for more": {"held", "2m", "2m0s"},
			"the query asks for less": {"held", "10s", "1m0s"},
			"only in the input":       {"free", "", ""},
			"by the query":            {"free", "10s", "10s"},
			"none by the query":       {"free", "0s", ""},
		} {
			path := "/v1/ask/claude" + toSlack + "&session=" + url.QueryEscape(name)
			if tt.query != "" {
				path += "&hold=" + tt.query
			}
			open := w.call(tt.token, "POST", path, input).wantResult(t, http.StatusAccepted, ask.Open, false)
			r := *w.call(tt.token, "GET", "/v1/requests/"+open.Header.Get(client.HeaderRequestID), "").want(t, http.StatusOK).request(t)
			if r.Hold != tt.want {
				t.Errorf("%s: it is held for %q, want %q", name, r.Hold, tt.want)
			}
		}
		w.call("free", "POST", "/v1/ask/claude"+toSlack+"&hold=1h", hookInput).want(t, http.StatusUnprocessableEntity)
		got := w.call("free", "POST", "/v1/requests", with(oneQuestion, `"hold":"11m"`)).want(t, http.StatusUnprocessableEntity)
		if !strings.Contains(got.body, `"path":"hold"`) {
			t.Errorf("a hold that is too long: %s", got.body)
		}
	})
}
