package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestPassOverAPI(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		plain := w.call("token-bot", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t)
		w.call("token-dana", "POST", "/v1/requests/"+plain.ID+"/answer", `{"pass_to":"slack:U0000009"}`).want(t, http.StatusConflict)
		made := w.call("token-bot", "POST", "/v1/requests", with(oneQuestion, `"schedule":{"pass_on":true}`)).want(t, http.StatusCreated).request(t)
		if !made.PassOn || made.Ignored != nil {
			t.Errorf("it is made as %+v", made)
		}
		answer := "/v1/requests/" + made.ID + "/answer"
		for _, bad := range []string{`{"pass_to":"oncall:payments"}`, `{"pass_to":"slack:U0000009","claim":true}`, `{"pass_to":"anyone"}`} {
			w.call("token-dana", "POST", answer, bad).want(t, http.StatusUnprocessableEntity)
		}
		refused := w.call("token-dana", "POST", answer, `{"pass_to":"slack:U0000009"}`).want(t, http.StatusConflict)
		if !strings.Contains(refused.body, "cannot determine now whether that person may answer") {
			t.Errorf("pass to an unknown person: %s", refused.body)
		}
		got := w.call("token-bot", "GET", "/v1/requests/"+made.ID, "").want(t, http.StatusOK).request(t)
		if got.State != ask.Open || got.Steps != nil {
			t.Errorf("the agent gets %+v", got)
		}
	})
}
