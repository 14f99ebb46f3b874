package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// votes presses an option as a person.
func (w *fixture) votes(who, id string, option int) {
	w.t.Helper()
	w.act(platform.Interaction{
		Person: ask.Person{Platform: "slack", ID: who, Name: who}, Membership: ask.Member,
		Token: render.Token{Request: id, Verb: render.Choose, Option: option},
	})
}

const voteBody = `{"questions":[{"question":"Deploy?","options":["Deploy","Wait"]}],"to":{"platform":"slack","channel":"C0000001"},"policy":`

func TestVotesAreReturned(t *testing.T) {
	for show, before := range map[string]string{"live": "1 1 1", "count": "1 0 0", "sealed": "0 0 0"} {
		t.Run(show, func(t *testing.T) {
			bubble(t, anonymous(), func(t *testing.T, w *fixture) {
				var r client.Request
				summary := func() string {
					r = *w.call("", "GET", "/v1/requests/"+r.ID, "").want(t, http.StatusOK).request(t)
					data, err := json.Marshal([]int{r.Voted, len(r.Votes), len(r.Tally)})
					if err != nil {
						t.Fatal(err)
					}
					return strings.Trim(strings.ReplaceAll(string(data), ",", " "), "[]")
				}
				r = *w.call("", "POST", "/v1/requests", voteBody+`{"need":2,"show":"`+show+`"}}`).want(t, http.StatusCreated).request(t)
				if r.Policy == nil || r.Policy.Mode != ask.Quorum || r.Policy.Need != 2 || r.Ignored != nil {
					t.Errorf("policy %+v, ignored %q", r.Policy, r.Ignored)
				}
				w.votes("U1", r.ID, 1)
				if got := summary(); got != before {
					t.Errorf("%s: votes before the end %s, want %s", show, got, before)
				}
				w.votes("U2", r.ID, 0)
				w.votes("U3", r.ID, 0)
				if got := summary(); got != "3 3 2" || r.State != ask.Answered || r.Text != "Deploy?\nDeploy" || len(r.Answers) != 1 {
					t.Errorf("%s: it ended as %s with %q and %s", show, r.State, r.Text, got)
				}
			})
		})
	}
}

func TestNamedPeopleWhoHaveNotVotedAreListed(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := strings.Replace(voteBody, `"to":`, `"responders":["slack:U1","slack:U2"],"to":`, 1)
		r := *w.call("", "POST", "/v1/requests", body+`{"need":2}}`).want(t, http.StatusCreated).request(t)
		w.votes("U1", r.ID, 0)
		got := w.call("", "GET", "/v1/requests/"+r.ID, "").want(t, http.StatusOK).request(t).NotVoted
		want := []ask.Voter{{Accounts: []ask.Person{{Platform: "slack", ID: "U2"}}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPolicyComesFromQueryOnly(t *testing.T) {
	agents := []access.Agent{{Name: "two", Token: "two-eyes", Terms: ask.Terms{Voting: ask.Voting{Mode: ask.Quorum, Need: 2}}}, {Name: "free", Token: "free"}}
	bubble(t, &settings{Agents: agents}, func(t *testing.T, w *fixture) {
		input := strings.Replace(hookInput, `"tool_input":{`, `"tool_input":{"policy":{"mode":"quorum","need":1},`, 1)
		for name, tt := range map[string]struct {
			token, query string
			need         ask.Need
		}{
			"by the token":            {"two-eyes", "", 2},
			"the query asks for more": {"two-eyes", `{"mode":"quorum","need":3}`, 3},
			"the query asks for less": {"two-eyes", `{"mode":"quorum","need":1}`, 2},
			"only in the input":       {"free", "", 0},
			"by the query":            {"free", `{"need":2}`, 2},
		} {
			path := "/v1/ask/claude" + toSlack + "&session=" + url.QueryEscape(name)
			if tt.query != "" {
				path += "&policy=" + url.QueryEscape(tt.query)
			}
			open := w.call(tt.token, "POST", path, input).wantResult(t, http.StatusAccepted, ask.Open, false)
			r := *w.call(tt.token, "GET", "/v1/requests/"+open.Header.Get(client.HeaderRequestID), "").want(t, http.StatusOK).request(t)
			if got := r.Policy; tt.need == 0 && got != nil || tt.need != 0 && (got == nil || got.Need != tt.need) {
				t.Errorf("%s: it is decided by %+v, want %d", name, got, tt.need)
			}
		}
	})
}

func TestRiskComesFromQueryOnly(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		input := strings.Replace(hookInput, `"tool_input":{`, `"tool_input":{"risk":"high",`, 1)
		for query, want := range map[string]ask.Risk{"&session=a": "", "&session=b&risk=high": ask.HighRisk} {
			open := w.call("", "POST", "/v1/ask/claude"+toSlack+query, input).wantResult(t, http.StatusAccepted, ask.Open, false)
			r := *w.call("", "GET", "/v1/requests/"+open.Header.Get(client.HeaderRequestID), "").want(t, http.StatusOK).request(t)
			if r.Risk != want {
				t.Errorf("query %q: risk %q, want %q", query, r.Risk, want)
			}
		}
		w.call("", "POST", "/v1/ask/claude"+toSlack+"&risk=low", hookInput).want(t, http.StatusUnprocessableEntity)
	})
}

func TestVotedResultInHostFormat(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		open := w.call("", "POST", "/v1/ask/claude"+toSlack+"&policy="+url.QueryEscape(`{"need":2}`), hookInput).wantResult(t, http.StatusAccepted, ask.Open, false)
		id := open.Header.Get(client.HeaderRequestID)
		w.votes("U1", id, 0)
		w.votes("U2", id, 1)
		w.votes("Ada", id, 1)
		done := w.call("", "POST", "/v1/requests/"+id+"/as/claude", hookInput).wantResult(t, http.StatusOK, ask.Answered, false)
		if diff := cmp.Diff(strings.Replace(hookAnswer, "Answered by Ada", "Answered by U2", 1), done.body); diff != "" {
			t.Errorf("the host gets %s", diff)
		}
	})
}

func TestInvalidPolicy(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for policy, want := range map[string]string{
			`{"mode":"quorum"}`:                    "policy.need",
			`{"need":"all"}`:                       "policy.need",
			`{"need":2,"needs":{"Maybe":1}}`:       "policy.needs.Maybe",
			`{"mode":"poll"},"expires_in":"never"`: "policy.mode",
		} {
			got := w.call("", "POST", "/v1/requests", voteBody+policy+`}`).want(t, http.StatusUnprocessableEntity)
			if !strings.Contains(got.body, `"`+want+`"`) {
				t.Errorf("%s: %s, want a problem at %s", policy, got.body, want)
			}
		}
		w.call("", "POST", "/v1/ask/claude"+toSlack+"&policy=two", hookInput).want(t, http.StatusUnprocessableEntity)
	})
}
