package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// inBrowser serves the world to a browser and returns a function that runs actions in it.
func (w *fixture) inBrowser(t *testing.T) (ctx context.Context, at string, do func(...chromedp.Action[chromedp.Void])) {
	t.Helper()
	s := httptest.NewServer(w.handler)
	t.Cleanup(s.Close)
	ctx, cancel := context.WithTimeout(browse(t), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx, s.URL, func(what ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, what...); err != nil {
			t.Fatal(err)
		}
	}
}

// showing waits for a condition of the page.
func showing(t *testing.T, ctx context.Context, condition string) {
	t.Helper()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool](condition, chromedp.WithPollingTimeout(20*time.Second))); err != nil {
		t.Fatalf("%s: %v; the page shows %s", condition, err, evaluate[string](t, ctx, "document.body.innerText"))
	}
}

// picture writes a screenshot if CONSOLE_SHOTS names a folder.
func picture(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("CONSOLE_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	if err != nil {
		t.Error(err)
	}
}

// axe finds accessibility problems: https://github.com/dequelabs/axe-core
const axe = "../chatsim/page/testdata/axe/node_modules/axe-core/axe.min.js"

// accessible checks the current view for accessibility problems in light and dark mode. With CONSOLE_SHOTS it takes
// a picture of the dark mode.
func accessible(t *testing.T, ctx context.Context, view string) {
	t.Helper()
	if !evaluate[bool](t, ctx, "typeof axe === 'object'") {
		source, err := os.ReadFile(axe)
		if err != nil {
			t.Fatalf("%v\ninstall it with \"make setup\"", err)
		}
		if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](string(source)+";undefined")); err != nil {
			t.Fatal(err)
		}
	}
	for _, scheme := range []string{"dark", "light"} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		if scheme == "dark" {
			picture(t, ctx, strings.ReplaceAll(view, " ", "-")+"-dark")
		}
		for _, mistake := range awaited[[]string](t, ctx, `axe.run(document, {resultTypes: ['violations'], preload: false}).then(({violations}) => violations.map(
			({id, help, nodes}) => id + ': ' + help + ', at ' + nodes.length + ' places such as ' + nodes[0].target.join(' ') + ' ' + (nodes[0].any[0]?.message || '')))`) {
			t.Errorf("%s, %s: %s", view, scheme, mistake)
		}
	}
}

// awaited resolves a promise of the page.
func awaited[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// clicking runs a statement in the page.
func clicking(line string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void]("void (" + line + ")")
}

func TestConsoleShowsAndEndsRequestsInBrowser(t *testing.T) {
	t.Parallel()
	opts := agents(
		access.Agent{Name: "root", Token: "token-root", Scopes: []access.Scope{access.Admin, access.ManageTokens}},
		access.Agent{Name: "bot", Token: "token-bot", Tenant: "team"},
	)
	opts.Trail = true
	w := newFixture(t, opts)
	first := w.call("token-bot", http.MethodPost, "/v1/requests", with(oneQuestion, `"responders":["slack:U0000001"]`)).want(t, http.StatusCreated).request(t)
	second := w.call("token-bot", http.MethodPost, "/v1/requests", strings.Replace(oneQuestion, "Which database?", "<img src=x onerror=alert(1)> Which region?", 1), "Idempotency-Key: k2").
		want(t, http.StatusCreated).request(t)
	w.act(platform.Interaction{
		Person: ask.Person{Platform: "slack", ID: "U0000009", Name: "Mallory <b>"}, Membership: ask.Member,
		Token: render.Token{Request: first.ID, Verb: render.Choose},
	})
	ctx, at, do := w.inBrowser(t)
	text := func() string { return evaluate[string](t, ctx, "document.body.innerText") }

	// A phone, before a token is entered.
	do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), chromedp.Navigate(at+"/console"), chromedp.WaitVisible(chromedp.CSS("#token")))
	accessible(t, ctx, "the token on a phone")
	if evaluate[bool](t, ctx, "document.getElementById('health').checkVisibility()") {
		t.Error("the page speaks of health before a token is shown")
	}
	picture(t, ctx, "phone-token")
	do(chromedp.SendKeys(chromedp.CSS("#token"), "token-root"), chromedp.Click(chromedp.CSS("#enter button")))
	showing(t, ctx, `document.querySelectorAll("ul.list > li").length === 2`)
	accessible(t, ctx, "open requests on a phone")
	picture(t, ctx, "phone-open")
	if wide := evaluate[float64](t, ctx, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
		t.Errorf("on a phone the page is %v too wide", wide)
	}
	if hidden := evaluate[[]string](t, ctx, `[...document.querySelectorAll("#views a")].filter((a) => a.getBoundingClientRect().right > innerWidth).map((a) => a.text)`); len(hidden) > 0 {
		t.Errorf("hidden views on a phone: %q", hidden)
	}
	do(chromedp.SendKeys(chromedp.CSS("#search"), "region"))
	showing(t, ctx, `document.querySelectorAll("ul.list > li").length === 1`)
	if shown := text(); !strings.Contains(shown, "<img src=x onerror=alert(1)> Which region?") {
		t.Errorf("what an agent wrote is shown as %s", shown)
	}

	// With the keyboard alone: down to the found request and into it.
	do(chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"))
	showing(t, ctx, `location.hash.startsWith("#/request/") && document.querySelector("ol.history") !== null`)

	// One request on a desktop, with its history.
	do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(at+"/console#/request/"+first.ID))
	showing(t, ctx, `document.querySelector("ol.history") !== null && document.body.innerText.includes("`+first.ID+`")`)
	do(clicking(`[...document.querySelectorAll("button")].find((b) => b.textContent === "Show history").click()`))
	showing(t, ctx, `document.querySelectorAll("ol.history li").length === 3`)
	if shown := text(); !strings.Contains(shown, "Mallory <b>") || !strings.Contains(shown, "forbidden") {
		t.Errorf("the history is %s", shown)
	}
	accessible(t, ctx, "a request on a desk")
	picture(t, ctx, "desk-request")
	do(clicking(`[...document.querySelectorAll("button")].find((b) => b.textContent === "Withdraw…").click()`), chromedp.WaitVisible(chromedp.CSS("#why")))
	do(chromedp.SendKeys(chromedp.CSS("#why"), "deployed by hand"), chromedp.Click(chromedp.CSS("form .bad, form button.bad")))
	showing(t, ctx, `document.body.innerText.includes("deployed by hand") && document.body.innerText.includes("cancelled")`)
	if r := w.call("token-bot", http.MethodGet, "/v1/requests/"+first.ID, "").want(t, http.StatusOK).request(t); r.Reason != "deployed by hand" {
		t.Errorf("request: %+v", r)
	}
	do(clicking(`location.hash = "#/ended"`))
	showing(t, ctx, `document.body.innerText.includes("Ended requests") && document.querySelectorAll("ul.list > li").length === 1`)
	accessible(t, ctx, "ended requests on a desk")
	picture(t, ctx, "desk-ended")
	choose := func(span string) {
		t.Helper()
		do(clicking(`(() => { const s = document.getElementById("span"); s.focus(); s.selectedIndex = [...s.options].findIndex((o) => o.text === "` + span + `"); s.dispatchEvent(new Event("change")); })()`))
	}
	do(clicking(`Date.now = () => new Date().getTime() + 2 * 3600e3`)) // Two hours later.
	choose("in the last hour")
	showing(t, ctx, `document.body.innerText.includes("No requests ended in this period.") && document.activeElement.id === "span"`)
	choose("at any time")
	showing(t, ctx, `document.querySelectorAll("ul.list > li").length === 1 && document.getElementById("span").selectedOptions[0].text === "at any time"`)

	w.call("token-root", http.MethodPost, "/v1/tokens", `{"name":"shop","expires_in":"never"}`).want(t, http.StatusCreated)
	do(clicking(`location.hash = "#/tokens"`))
	showing(t, ctx, `document.body.innerText.includes("shop")`)
	accessible(t, ctx, "tokens on a desk")
	picture(t, ctx, "desk-tokens")
	do(clicking(`document.querySelector("button.bad").click()`), clicking(`document.querySelector("button.bad").click()`))
	showing(t, ctx, `document.body.innerText.includes("revoked") && !document.body.innerText.includes("does not expire")`)
	do(chromedp.Click(chromedp.CSS("#leave")), chromedp.WaitVisible(chromedp.CSS("#token")))
	if shown := text(); strings.Contains(shown, "shop") || strings.Contains(shown, second.ID) {
		t.Errorf("still shown after sign-out: %s", shown)
	}
}

func TestConsoleContentSecurityPolicy(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		page := w.call("", http.MethodGet, "/console", "").want(t, http.StatusOK)
		if page.Header.Get("Content-Security-Policy") != docsPolicy || !strings.Contains(page.body, `data-tokens="optional"`) {
			t.Errorf("it is served with %v", page.Header)
		}
		for _, file := range []string{"console.js", "operate.js", "console.css", "icon.svg"} {
			w.call("", http.MethodGet, "/console/"+file, "").want(t, http.StatusOK)
		}
		w.call("", http.MethodGet, "/console/docs.js", "").want(t, http.StatusNotFound)
	})
}
