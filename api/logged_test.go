package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

func TestReadsAreLoggedAtDebug(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		made := w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
		var r struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal([]byte(made.body), &r); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			w.call("", "GET", "/v1/requests/"+r.ID, "").want(t, http.StatusOK)
			w.call("", "GET", "/v1/requests?state=open", "").want(t, http.StatusOK)
		}
		w.call("", "GET", "/v1/requests/nonesuch", "").want(t, http.StatusNotFound)
		synctest.Wait() // A call is logged after its reply.
		levels := map[string][]string{}
		for line := range strings.Lines(w.logs.String()) {
			var l struct{ Level, Msg, Method, Route string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if l.Msg == "call served" {
				levels[l.Level] = append(levels[l.Level], l.Method+" "+l.Route)
			}
		}
		if got, want := strings.Join(levels["INFO"], ", "), "POST /v1/requests, GET /v1/requests/{id}"; got != want {
			t.Errorf("at info: %s, want %s; all: %v", got, want, levels)
		}
		if got := len(levels["DEBUG"]); got != 6 {
			t.Errorf("%d calls at debug, want 6: %v", got, levels["DEBUG"])
		}
	})
}
