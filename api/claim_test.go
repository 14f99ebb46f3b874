package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
)

func TestClaimOverAPI(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		plain := w.call("token-bot", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t)
		w.call("token-dana", "POST", "/v1/requests/"+plain.ID+"/answer", `{"claim":true}`).want(t, http.StatusConflict)
		made := w.call("token-bot", "POST", "/v1/requests", with(oneQuestion,
			`"schedule":{"claim_for":"30m","steps":[{"after":"10m","do":"remind"}],"hours":{"zone":"UTC","from":"00:00","to":"24:00"}}`)).want(t, http.StatusCreated).request(t)
		if made.ClaimFor != "30m0s" || made.Claim != nil || made.Ignored != nil {
			t.Errorf("it is made as %+v", made)
		}
		answer := "/v1/requests/" + made.ID + "/answer"
		w.call("token-dana", "POST", answer, `{"claim":true,"dismiss":true}`).want(t, http.StatusUnprocessableEntity)
		w.call("token-dana", "POST", answer, `{"claim":true}`).want(t, http.StatusOK)
		got := w.call("token-bot", "GET", "/v1/requests/"+made.ID, "").want(t, http.StatusOK).request(t)
		if got.State != ask.Open || got.Claim == nil || got.Claim.By.Name != "dana-shell" || !got.Claim.Until.Equal(time.Now().Add(30*time.Minute)) || !got.Steps[0].At.Equal(got.Claim.Until) {
			t.Errorf("the agent gets %+v, claimed by %+v", got, got.Claim)
		}
		bad := w.call("token-bot", "POST", "/v1/requests", with(oneQuestion, `"schedule":{"claim_for":"1s"}`)).want(t, http.StatusUnprocessableEntity)
		if !strings.Contains(bad.body, `"path":"schedule.claim_for"`) {
			t.Errorf("a claim that is too short: %s", bad.body)
		}
	})
}
