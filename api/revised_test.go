package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// A revision changes the command. Prompts cannot be revised, so the agent asks the same in a request of its own.
func TestApprovalOfRevisedCardIsNotAnApproval(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		const elsewhere = `{"context":"In sandbox."}`
		prompt := w.call("", "POST", "/v1/ask/claude"+toSlack+"&responders=anyone", npmTestPrompt).wantResult(t, http.StatusAccepted, ask.Open, false).Header.Get(client.HeaderRequestID)
		w.call("", "PATCH", "/v1/requests/"+prompt, elsewhere).want(t, http.StatusConflict)
		questions, err := json.Marshal(w.call("", "GET", "/v1/requests/"+prompt, "").request(t).Questions)
		if err != nil {
			t.Fatal(err)
		}
		id := w.call("", "POST", "/v1/requests", `{"to":[{"platform":"slack","channel":"C1"}],"questions":`+string(questions)+`}`).request(t).ID
		w.call("", "PATCH", "/v1/requests/"+id, elsewhere).want(t, http.StatusOK)
		w.act(platform.Interaction{
			Person: ask.Person{Platform: "slack", ID: "U1"}, Membership: ask.Member, Token: render.Token{Request: id, Verb: render.Choose, Revised: 1},
		})
		got := w.call("", "POST", "/v1/requests/"+id+"/as/claude", npmTestPrompt)
		if strings.Contains(got.body, "allow") || got.Header.Get(client.HeaderIsError) != "true" {
			t.Errorf("the card was revised, but the host got %d %s", got.StatusCode, got.body)
		}
	})
}

func TestAnswerNamesRevision(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		const restart, drop = `{"question":"Restart staging?","options":["Approve","Reject"]}`, `{"question":"Drop the production database?","options":["Approve","Wait"]}`
		path := "/v1/requests/" + w.call("token-bot", "POST", "/v1/requests", `{"to":[{"platform":"slack","channel":"C0000001"}],"questions":[`+restart+`]}`).request(t).ID
		w.call("token-bot", "PATCH", path, `{"questions":[`+drop+`]}`).want(t, http.StatusOK)
		for body, want := range map[string]string{
			`{"answers":[{"index":0,"selected":["Approve"]}]}`:              "set revision to the one you answer",
			`{"answers":[{"index":0,"selected":["Reject"]}]}`:               "set revision to the one you answer",
			`{"reply":"not today"}`:                                         "set revision to the one you answer",
			`{"dismiss":true}`:                                              "set revision to the one you answer",
			`{"answers":[{"index":0,"selected":["Approve"]}],"revision":0}`: "nothing was recorded",
			`{"answers":[{"index":0,"selected":["Reject"]}],"revision":0}`:  "nothing was recorded",
			`{"answers":[{"index":0,"selected":["Approve"]}],"revision":2}`: "nothing was recorded",
		} {
			p := read[client.Problem](t, w.call("token-dana", "POST", path+"/answer", body).want(t, http.StatusConflict))
			if !strings.Contains(p.Detail, "is at revision 1") || !strings.Contains(p.Detail, want) || p.Request == nil ||
				p.Request.Revision != 1 || p.Request.Questions[0].Text != "Drop the production database?" {
				t.Errorf("%s: %+v", body, p)
			}
		}
		if r := w.call("token-bot", "GET", path, "").request(t); r.Ended() {
			t.Fatalf("it was decided: %+v", r)
		}
		w.call("token-dana", "POST", path+"/answer", `{"answers":[{"index":0,"selected":["Wait"]}],"revision":1}`).want(t, http.StatusOK)
	})
}
