package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/access"
)

// The console showed "1 people" for one voter, an expired claim as current, typed text instead of the choices made
// with it, and a skipped question as unanswered.
func TestConsoleShowsHistory(t *testing.T) {
	t.Parallel()
	answers := []access.Scope{access.Read, access.Answer}
	w := newFixture(t, agents(
		access.Agent{Name: "bot", Token: "token-bot", Tenant: "team"},
		access.Agent{Name: "dana", Token: "token-dana", Tenant: "team", Scopes: answers, Requesters: []string{"slack:U0000001"}},
		access.Agent{Name: "sam", Token: "token-sam", Tenant: "team", Scopes: answers, Requesters: []string{"slack:U0000002"}},
	))
	r := w.call("token-bot", http.MethodPost, "/v1/requests", `{"to":[{"platform":"slack","channel":"C0000001"}],"policy":{"mode":"quorum","need":2},"schedule":{"claim_for":"30m"},"questions":[
		{"question":"Which checks?","multiSelect":true,"options":["Unit","Smoke"]},{"question":"Which ticket?","optional":true},{"question":"Which region?","optional":true}]}`).want(t, http.StatusCreated).request(t)
	answer := "/v1/requests/" + r.ID + "/answer"
	const given = `{"answers":[{"index":0,"selected":["Unit"],"other":"by hand"},{"index":1,"skip":true}]}`
	w.call("token-dana", http.MethodPost, answer, `{"claim":true}`).want(t, http.StatusOK)
	w.call("token-dana", http.MethodPost, answer, given).want(t, http.StatusOK)

	ctx, at, do := w.inBrowser(t)
	wantPage := func(when string, wants, lacks []string) {
		t.Helper()
		shown := evaluate[string](t, ctx, "document.body.innerText")
		for _, want := range wants {
			if !strings.Contains(shown, want) {
				t.Errorf("%s the console lacks %q:\n%s", when, want, shown)
			}
		}
		for _, lie := range lacks {
			if strings.Contains(shown, lie) {
				t.Errorf("%s the console shows %q:\n%s", when, lie, shown)
			}
		}
	}
	do(chromedp.Navigate(at+"/console"), chromedp.WaitVisible(chromedp.CSS("#token")))
	do(chromedp.SendKeys(chromedp.CSS("#token"), "token-dana"), chromedp.Click(chromedp.CSS("#enter button")))
	showing(t, ctx, `document.querySelectorAll("ul.list > li").length === 1`)
	do(chromedp.Click(chromedp.CSS("ul.list a")), chromedp.WaitVisible(chromedp.CSS("#resend")))
	wantPage("after a vote", []string{"1 person", "dana: Unit + by hand; skipped; skipped", "Claimed by\ndana, until "}, []string{"1 people"})
	do(clicking("(Date.now = ((now) => () => now() + 3600e3)(Date.now), location.hash = '#/open')"), chromedp.WaitVisible(chromedp.CSS("#search")))
	do(chromedp.Click(chromedp.CSS("ul.list a")), chromedp.WaitVisible(chromedp.CSS("#resend")))
	wantPage("an hour later", nil, []string{"Claimed by"})
	w.call("token-sam", http.MethodPost, answer, given).want(t, http.StatusOK)
	do(chromedp.Reload())
	showing(t, ctx, `document.querySelector("h1 .mark")?.textContent === "answered"`)
	wantPage("at the end", []string{"2 people", "✓ Unit", "✓ by hand", "Which ticket?\nskipped", "Which region?\nskipped"}, []string{"Claimed by"})
}

func TestConsoleShowsStepsAndPolicy(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.w.slack.Call(map[string]string{"C0000001": "#deploys", "U0000002": "Sam"})
	body := strings.TrimSuffix(strings.TrimSpace(oneQuestion), "}") +
		`,"policy":{"mode":"quorum","need":2},"schedule":{"steps":[{"after":"1h","do":"remind"},{"after":"2h","do":"add","responders":["slack:U0000002"]}]}}`
	r := d.w.call("token-bot", http.MethodPost, "/v1/requests", body).want(t, http.StatusCreated).request(t)
	d.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#/request/` + r.ID + `"; undefined`))
	for _, text := range []string{"2 must agree", "): remind", "): add Sam (slack:U0000002)", "#deploys slack:C0000001"} {
		showing(t, d.ctx, `document.querySelector("main").innerText.includes("`+text+`")`)
	}
}
