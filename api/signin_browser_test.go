package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/test/idp"
)

// TestSignInInBrowser signs in at a provider, sees a request, answers it and signs out, as a person does.
func TestSignInInBrowser(t *testing.T) {
	t.Parallel()
	var console, login http.Handler
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { console.ServeHTTP(w, r) }))
	t.Cleanup(at.Close)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { login.ServeHTTP(w, r) }))
	t.Cleanup(provider.Close)
	// The two are different sites to a browser.
	w := openReception(t, at.URL, strings.Replace(provider.URL, "127.0.0.1", "localhost", 1), func(*idp.Provider) *http.Client { return provider.Client() })
	console, login = w.handler, w.idp
	w.idp.SignsIn(map[string]any{"sub": "24", "email": "ada@example.com", "groups": []string{"release"}}, nil)
	first := w.ask("token-bot")

	// What the browser is meant to be refused: calls of another site, and those after the end of a session.
	ctx, cancel := context.WithTimeout(browse(t, "/nothing", "/cancel", "/answer", "/v1/requests?limit=200", "/console/callback"), 2*time.Minute)
	t.Cleanup(cancel)
	do := func(what ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, what...); err != nil {
			t.Fatal(err)
		}
	}
	const byHand = "window.setInterval = (look) => { window.tick = look; }"
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: byHand}); err != nil {
		t.Fatal(err)
	}
	do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(at.URL+"/console#/request/"+first.ID), chromedp.WaitVisible(chromedp.CSS("#to-sign-in")))
	if shown := evaluate[string](t, ctx, "document.body.innerText"); strings.Contains(shown, "healthy") || strings.Contains(shown, "Dead letters") {
		t.Errorf("before the sign-in the page shows %s", shown)
	}
	accessible(t, ctx, "sign-in on a phone")
	picture(t, ctx, "phone-sign-in")
	signIn := func() {
		t.Helper()
		do(chromedp.Click(chromedp.CSS("#to-sign-in")), chromedp.WaitVisible(chromedp.CSS("#yes")), chromedp.Click(chromedp.CSS("#yes")))
	}
	signIn()

	// The person comes back to the request from which they went.
	do(chromedp.WaitVisible(chromedp.CSS("#answer")))
	if shown := evaluate[string](t, ctx, "document.body.innerText"); !strings.Contains(shown, "Which database?") || !strings.Contains(shown, "ada@example.com") {
		t.Errorf("the page shows %s", shown)
	}
	if held := evaluate[string](t, ctx, "document.cookie + JSON.stringify(sessionStorage)"); held != "{}" {
		t.Errorf("scripts can read %s", held)
	}
	accessible(t, ctx, "an answer on a phone")
	picture(t, ctx, "phone-answer")
	do(clicking(`document.querySelector("#answer input[value=Postgres]").click()`), chromedp.Click(chromedp.CSS("#answer button")))
	showing(t, ctx, `document.querySelector("h1 .mark")?.textContent === "answered"`)
	got := w.call("token-bot", http.MethodGet, "/v1/requests/"+first.ID, "").want(t, http.StatusOK).request(t)
	if got.State != ask.Answered || got.By.Name != "ada@example.com" || got.Answers[0].Selected[0] != "Postgres" {
		t.Errorf("the request is %+v", got)
	}
	do(chromedp.EmulateViewport(1280, 800))
	accessible(t, ctx, "an answered request on a desk")
	picture(t, ctx, "desk-signed-in")

	// A page of another site sends the cookie's owner against their will.
	second := w.call("token-bot", http.MethodPost, "/v1/requests", oneQuestion, "Idempotency-Key: second").want(t, http.StatusCreated).request(t)
	do(chromedp.Navigate(w.idp.Issuer+"/nothing"), clicking(`Promise.all(["/cancel", "/answer"].map((path) => fetch("`+at.URL+`/v1/requests/`+second.ID+`" + path,
		{method: "POST", mode: "no-cors", credentials: "include", body: '{"dismiss": true}'}))).finally(() => { document.title = "sent"; })`))
	showing(t, ctx, `document.title === "sent"`)
	if got := w.call("token-bot", http.MethodGet, "/v1/requests/"+second.ID, "").want(t, http.StatusOK).request(t); got.State != ask.Open {
		t.Errorf("another site changed the request: %+v", got)
	}

	// The session ends elsewhere while the page is open.
	do(chromedp.Navigate(at.URL+"/console"), chromedp.WaitVisible(chromedp.CSS("#search")))
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`fetch("console/sign-out", {method: "POST"}).then((r) => r.ok)`, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	do(clicking("tick()"), chromedp.WaitVisible(chromedp.CSS("#to-sign-in")))
	if shown := evaluate[string](t, ctx, "document.body.innerText"); strings.Contains(shown, "Which database?") || !strings.Contains(shown, "ign in again") {
		t.Errorf("after the end of the session the page shows %s", shown)
	}
	picture(t, ctx, "desk-ended")
	signIn()
	do(chromedp.WaitVisible(chromedp.CSS("#search")))
	showing(t, ctx, `document.getElementById("leave").textContent === "Sign out"`)
	do(chromedp.Click(chromedp.CSS("#leave")), chromedp.WaitVisible(chromedp.CSS("#to-sign-in")))
	do(chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS("#to-sign-in")))
	if problems := w.idp.Problems(); len(problems) > 1 { // The page above is none of the provider.
		t.Errorf("the provider refused: %q", problems)
	}

	w.idp.SignsIn(map[string]any{"sub": "25", "email": "eve@example.com"}, nil)
	signIn()
	do(chromedp.WaitVisible(chromedp.CSS("p[role=alert]")))
	showing(t, ctx, `document.body.innerText.includes("You are eve@example.com")`)
	accessible(t, ctx, "a refusal on a desk")
	picture(t, ctx, "desk-refused")
}
