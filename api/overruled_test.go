package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestTakenWithInstead(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		made := w.call("token-bot", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t)
		taken := "/v1/requests/" + made.ID + "/taken"
		const terminal = `{"instead":"answered in the terminal: Postgres"}`
		if open := w.call("token-bot", "POST", taken, terminal).want(t, http.StatusOK).request(t); open.Receipt != nil || open.State != ask.Open {
			t.Errorf("while it is open: %+v", open)
		}
		w.call("token-dana", "POST", "/v1/requests/"+made.ID+"/answer", `{"answers":[{"index":0,"selected":["SQLite"]}]}`).want(t, http.StatusOK)
		w.call("token-bot", "POST", taken, `{"instead":"`+strings.Repeat("x", 1001)+`"}`).want(t, http.StatusUnprocessableEntity)
		w.call("token-bot", "POST", taken, `{"instead":7}`).want(t, http.StatusUnprocessableEntity)
		if r := w.call("token-bot", "POST", taken, "").want(t, http.StatusOK).request(t); r.Receipt != nil {
			t.Errorf("unexpected receipt %+v", r.Receipt)
		}
		for range 2 {
			r := w.call("token-bot", "POST", taken, terminal).want(t, http.StatusOK).request(t)
			if r.State != ask.Answered || r.Receipt == nil || r.Receipt.Instead != "answered in the terminal: Postgres" || r.Receipt.TakenAt.IsZero() {
				t.Errorf("it is %s with %+v", r.State, r.Receipt)
			}
			if got := r.Answers[0].Selected; len(got) != 1 || got[0] != "SQLite" {
				t.Errorf("the answer is %v", got)
			}
		}
	})
}
