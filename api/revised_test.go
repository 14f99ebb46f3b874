package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/render"
)

// A revision says that the command runs elsewhere than where it does.
func TestWhatPeopleAllowOnARevisedCardIsNotAllowed(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		open := w.call("", "POST", "/v1/ask/claude"+toSlack+"&responders=anyone", npmTestPrompt).told(t, http.StatusAccepted, ask.Open, false)
		id := open.Header.Get(client.HeaderRequestID)
		w.call("", "PATCH", "/v1/requests/"+id, `{"context":"In sandbox."}`).want(t, http.StatusOK)
		w.act(bridge.Interaction{
			Person: ask.Person{Platform: "slack", ID: "U1"}, Membership: ask.Member, Token: render.Token{Request: id, Verb: render.Choose, Revised: 1},
		})
		got := w.call("", "POST", open.Header.Get("Location"), npmTestPrompt)
		if strings.Contains(got.body, "allow") || got.Header.Get(client.HeaderIsError) != "true" {
			t.Errorf("what the card said was not true, and the host is told %d %s", got.StatusCode, got.body)
		}
	})
}
