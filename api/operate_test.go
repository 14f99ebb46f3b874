package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/platform"
)

// shellAndBot are the tokens of a person and of an agent.
func shellAndBot() *settings {
	return agents(
		access.Agent{Name: "bot", Token: "token-bot", Tenant: "team"},
		access.Agent{Name: "dana-shell", Token: "token-dana", Tenant: "team", Scopes: []access.Scope{access.Read, access.Answer}, Requesters: []string{"slack:U0000001"}},
		access.Agent{Name: "root", Token: "token-root", Scopes: []access.Scope{access.Admin}},
		access.Agent{Name: "root-shell", Token: "token-shell", Scopes: []access.Scope{access.Admin, access.Answer}},
		access.Agent{Name: "elsewhere", Token: "token-elsewhere", Tenant: "other", Scopes: []access.Scope{access.Read, access.Answer}},
	)
}

func TestAnswerOverAPIUpdatesCard(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		id := w.call("token-bot", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		given := `{"answers":[{"index":0,"selected":["SQLite"]}]}`
		r := w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", given, "Idempotency-Key: k1").want(t, http.StatusOK).request(t)
		by := ask.Person{Platform: ask.API, ID: "dana-shell", Name: "dana-shell"}
		if r.State != ask.Answered || r.Text != "Which database?\nSQLite" || r.By != by || r.Answers[0].By != by {
			t.Errorf("answered: %+v", r)
		}
		synctest.Wait()
		var card strings.Builder
		for _, s := range w.slack.Card(w.slack.Standing()[0]).Sections {
			for _, span := range s.Text {
				card.WriteString(span.Text)
			}
		}
		if !strings.Contains(card.String(), "Answered by dana-shell over the API") {
			t.Errorf("card: %q", card.String())
		}
		again := w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", given, "Idempotency-Key: k1").want(t, http.StatusOK).request(t)
		if diff := cmp.Diff(r.Answers, again.Answers); diff != "" {
			t.Errorf("the same answer again: %s", diff)
		}
		late := w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", `{"dismiss":true}`).want(t, http.StatusConflict)
		if !strings.Contains(late.body, "answered already") || !strings.Contains(late.body, id) {
			t.Errorf("a second decision: %s", late.body)
		}
	})
}

// Ann could choose the key of Lee's answer, since name and key were joined into one string.
func TestAnswerKeysAreSeparatePerPerson(t *testing.T) {
	person := func(name, account string) access.Agent {
		return access.Agent{Name: name, Token: "token-" + name, Tenant: "team", Scopes: []access.Scope{access.Answer}, Requesters: []string{account}}
	}
	bubble(t, agents(access.Agent{Name: "bot", Token: "token-bot", Tenant: "team"}, person("ann", "slack:U0000001"), person("ann lee", "slack:U0000002")), func(t *testing.T, w *fixture) {
		vote := with(oneQuestion, `"responders":["slack:U0000001","slack:U0000002"],"policy":{"mode":"quorum","need":2}`)
		id := w.call("token-bot", "POST", "/v1/requests", vote).want(t, http.StatusCreated).request(t).ID
		given := `{"answers":[{"index":0,"selected":["SQLite"]}]}`
		w.call("token-ann", "POST", "/v1/requests/"+id+"/answer", given, "Idempotency-Key: lee k1").want(t, http.StatusOK)
		if r := w.call("token-ann lee", "POST", "/v1/requests/"+id+"/answer", given, "Idempotency-Key: k1").want(t, http.StatusOK).request(t); r.State != ask.Answered {
			t.Errorf("both have answered, and it is %s", r.State)
		}
	})
}

// A person without an account in the vote was refused that they were none of "anyone".
func TestVoteWithoutRequesterIsExplained(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		id := w.call("token-bot", "POST", "/v1/requests", with(oneQuestion, `"policy":{"mode":"quorum","need":2}`)).want(t, http.StatusCreated).request(t).ID
		refused := w.call("token-shell", "POST", "/v1/requests/"+id+"/answer", `{"answers":[{"index":0,"selected":["SQLite"]}]}`).want(t, http.StatusForbidden)
		if !strings.Contains(refused.body, "which the token names as its requester") {
			t.Errorf("response: %s", refused.body)
		}
	})
}

func TestAnswerScopes(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		given := `{"answers":[{"index":0,"selected":["SQLite"]}]}`
		for _, test := range []struct {
			name, token, more string
			want              int
		}{
			{"an agent", "token-bot", "", http.StatusForbidden},
			{"an admin without the scope", "token-root", "", http.StatusForbidden},
			{"a token of another tenant", "token-elsewhere", "", http.StatusNotFound},
			{"not a responder", "token-shell", `"responders":["slack:U0000001"]`, http.StatusForbidden},
			{"one of the responders", "token-dana", `"responders":["slack:U0000001"]`, http.StatusOK},
			{"an admin with the scope", "token-shell", "", http.StatusOK},
			{"no token", "", "", http.StatusUnauthorized},
		} {
			body := oneQuestion
			if test.more != "" {
				body = with(oneQuestion, test.more)
			}
			id := w.call("token-bot", "POST", "/v1/requests", body).want(t, http.StatusCreated).request(t).ID
			if got := w.call(test.token, "POST", "/v1/requests/"+id+"/answer", given).StatusCode; got != test.want {
				t.Errorf("%s: %d, want %d", test.name, got, test.want)
			}
			if r := w.call("token-bot", "GET", "/v1/requests/"+id, "").request(t); (r.State == ask.Answered) != (test.want == http.StatusOK) {
				t.Errorf("%s: the request is %s", test.name, r.State)
			}
		}
		// A token with scope admin may ask but not answer.
		own := w.call("token-shell", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		w.call("token-shell", "POST", "/v1/requests/"+own+"/answer", given).want(t, http.StatusForbidden)
	})
}

func TestAnswerNeedsToken(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		r := w.call("", "POST", "/v1/requests/"+id+"/answer", `{"dismiss":true}`).want(t, http.StatusForbidden)
		if !strings.Contains(r.body, "answer") || w.call("", "GET", "/v1/requests/"+id, "").request(t).Ended() {
			t.Error(r.body)
		}
	})
}

func TestInvalidAnswerReportsAllProblems(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		body := `{"to":[{"platform":"slack","channel":"C0000001"}],"questions":[` +
			`{"question":"Which database?","options":["Postgres","SQLite"],"noOther":true},{"question":"Which checks?","options":["Unit","Lint"],"multiSelect":true}]}`
		id := w.call("token-bot", "POST", "/v1/requests", body).want(t, http.StatusCreated).request(t).ID
		for _, test := range []struct {
			body, want string
			status     int
		}{
			{`{`, "send", http.StatusBadRequest},
			{`{"answers":1}`, "must not be a number", http.StatusUnprocessableEntity},
			{`{}`, "give one of answers, reply, dismiss, undo, claim and pass_to", http.StatusUnprocessableEntity},
			{`{"reply":"no","dismiss":true}`, "give one of", http.StatusUnprocessableEntity},
			{`{"reply":"\u200b"}`, "no visible text", http.StatusUnprocessableEntity},
			{`{"answers":[{"index":0,"selected":["Postgres"]}]}`, "Which checks?", http.StatusUnprocessableEntity},
			{`{"answers":[{"index":2,"selected":["Postgres"]}]}`, "there are 2 questions", http.StatusUnprocessableEntity},
			{`{"answers":[{"index":0,"selected":["Oracle"]},{"index":1,"selected":["Unit"]}]}`, "answers[0].selected[0]", http.StatusUnprocessableEntity},
			{`{"answers":[{"index":0,"selected":["Postgres","SQLite"]},{"index":1,"selected":["Unit"]}]}`, "takes one answer", http.StatusUnprocessableEntity},
			{`{"answers":[{"index":0,"other":"none"},{"index":1,"selected":["Unit"]}]}`, "no answer in own words", http.StatusUnprocessableEntity},
			{`{"answers":[{"index":0},{"index":1,"selected":["Unit"]}]}`, "neither a label nor own words", http.StatusUnprocessableEntity},
			{`{"answers":[{"index":1,"selected":["Unit"]},{"index":1,"selected":["Unit"]}]}`, "has an answer already", http.StatusUnprocessableEntity},
		} {
			if r := w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", test.body).want(t, test.status); !strings.Contains(r.body, test.want) {
				t.Errorf("%s: %s", test.body, r.body)
			}
		}
		r := w.call("token-dana", "POST", "/v1/requests/"+id+"/answer",
			`{"answers":[{"index":1,"selected":["Unit"],"other":"a look"},{"index":0,"selected":["Postgres"]}]}`).want(t, http.StatusOK).request(t)
		if len(r.Answers) != 2 || r.Answers[1].Other != "a look" || r.Answers[0].Selected[0] != "Postgres" {
			t.Errorf("answers %+v", r.Answers)
		}
	})
}

func TestUnknownAnswerMembersAreRejected(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		path := "/v1/requests/" + w.call("token-bot", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		for body, named := range map[string]string{
			`{"answers":[{"index":0,"selected":["SQLite"],"note":"only for the beta"}]}`: `"path":"note"`,
			`{"answers":[{"index":0,"selected":["SQLite"]}],"revison":3}`:                `"path":"revison"`,
			`{"answers":[{"index":0,"selected":["SQLite"]}]} {"dismiss":true}`:           "send",
		} {
			r := w.call("token-dana", "POST", path+"/answer", body)
			if r.StatusCode/100 != 4 || !strings.Contains(r.body, named) || w.call("token-bot", "GET", path, "").request(t).Ended() {
				t.Errorf("%s: %d %s", body, r.StatusCode, r.body)
			}
		}
		w.call("token-dana", "POST", path+"/answer", `{"answers":[{"index":0,"selected":["SQLite"]}]}`).want(t, http.StatusOK)
		if r := w.call("token-bot", "POST", path+"/taken", `{"insted":"answered in the terminal"}`).want(t, http.StatusUnprocessableEntity); !strings.Contains(r.body, `"path":"insted"`) {
			t.Error(r.body)
		}
	})
}

func TestReplyOverAPIEndsRequest(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		id := w.call("token-bot", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		r := w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", `{"reply":"Not today."}`).want(t, http.StatusOK).request(t)
		if r.State != ask.Cancelled || !r.Replied || r.Reason != "Not today." || r.By.ID != "dana-shell" {
			t.Errorf("replied: %+v", r)
		}
	})
}

func TestResendPostsFailedCopies(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		body := strings.Replace(oneQuestion, `"to":[`, `"to":[{"platform":"slack","channel":"C0000009"},`, 1)
		w.slack.On("post", bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "post", Kind: platform.Unreachable, Code: "not_in_channel"}})
		id := w.call("token-bot", "POST", "/v1/requests", body).want(t, http.StatusCreated).request(t).ID
		standing := func() (states []client.DeliveryState) {
			for _, d := range w.call("token-bot", "GET", "/v1/requests/"+id, "").request(t).Delivery {
				states = append(states, d.State)
			}
			slices.Sort(states)
			return states
		}
		if diff := cmp.Diff([]client.DeliveryState{client.Undeliverable, client.Posted}, standing()); diff != "" {
			t.Fatal(diff)
		}
		w.call("token-dana", "POST", "/v1/requests/"+id+"/resend", "").want(t, http.StatusForbidden)
		w.call("token-bot", "POST", "/v1/requests/"+id+"/resend", "").want(t, http.StatusOK)
		synctest.Wait()
		if diff := cmp.Diff([]client.DeliveryState{client.Posted, client.Posted}, standing()); diff != "" {
			t.Error(diff)
		}
		w.call("token-elsewhere", "POST", "/v1/requests/"+id+"/resend", "").want(t, http.StatusForbidden)
	})
}
