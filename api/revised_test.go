package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/render"
)

// A revision says that the command runs elsewhere than where it does. The prompt itself takes none, so
// the agent has asked the same in a request of its own.
func TestWhatPeopleAllowOnARevisedCardIsNotAllowed(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		const elsewhere = `{"context":"In sandbox."}`
		prompt := w.call("", "POST", "/v1/ask/claude"+toSlack+"&responders=anyone", npmTestPrompt).told(t, http.StatusAccepted, ask.Open, false).Header.Get(client.HeaderRequestID)
		w.call("", "PATCH", "/v1/requests/"+prompt, elsewhere).want(t, http.StatusConflict)
		questions, err := json.Marshal(w.call("", "GET", "/v1/requests/"+prompt, "").request(t).Questions)
		if err != nil {
			t.Fatal(err)
		}
		id := w.call("", "POST", "/v1/requests", `{"to":[{"platform":"slack","channel":"C1"}],"questions":`+string(questions)+`}`).request(t).ID
		w.call("", "PATCH", "/v1/requests/"+id, elsewhere).want(t, http.StatusOK)
		w.act(bridge.Interaction{
			Person: ask.Person{Platform: "slack", ID: "U1"}, Membership: ask.Member, Token: render.Token{Request: id, Verb: render.Choose, Revised: 1},
		})
		got := w.call("", "POST", "/v1/requests/"+id+"/as/claude", npmTestPrompt)
		if strings.Contains(got.body, "allow") || got.Header.Get(client.HeaderIsError) != "true" {
			t.Errorf("what the card said was not true, and the host is told %d %s", got.StatusCode, got.body)
		}
	})
}
