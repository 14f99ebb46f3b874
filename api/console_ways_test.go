package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
)

// onlooker is a person with a token at the console. The page refreshes when tick is called instead of by a timer.
type onlooker struct {
	t       *testing.T
	ctx     context.Context
	w       *fixture
	request *client.Request
	lists   atomic.Pointer[http.HandlerFunc] // in place of the API's list, where it is set
}

func sit(t *testing.T) *onlooker {
	t.Helper()
	opts := agents(
		access.Agent{Name: "root", Token: "token-root", Scopes: []access.Scope{access.Admin}},
		access.Agent{Name: "bot", Token: "token-bot", Tenant: "team"},
	)
	opts.Trail = true
	d := &onlooker{t: t, w: newFixture(t, opts)}
	d.request = d.w.call("token-bot", http.MethodPost, "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if other := d.lists.Load(); other != nil && r.URL.Path == "/v1/requests" {
			(*other)(w, r)
			return
		}
		d.w.handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	ctx, cancel := context.WithTimeout(browse(t), 2*time.Minute)
	t.Cleanup(cancel)
	d.ctx = ctx
	const byHand = "window.setInterval = (look) => { window.tick = look; }"
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: byHand}); err != nil {
		t.Fatal(err)
	}
	d.do(chromedp.Navigate(s.URL+"/console"), chromedp.WaitVisible(chromedp.CSS("#token")))
	d.do(chromedp.SendKeys(chromedp.CSS("#token"), "token-root"), chromedp.Click(chromedp.CSS("#enter button")))
	showing(t, ctx, `document.querySelectorAll("ul.list > li").length === 1`)
	return d
}

func (d *onlooker) do(what ...chromedp.Action[chromedp.Void]) {
	d.t.Helper()
	if err := chromedp.Do(d.ctx, what...); err != nil {
		d.t.Fatal(err)
	}
}

func (d *onlooker) shown() string {
	d.t.Helper()
	return evaluate[string](d.t, d.ctx, "document.body.innerText")
}

func TestConsoleDropsPendingDataWithToken(t *testing.T) {
	t.Parallel()
	d := sit(t)
	asked, answer, answered := make(chan struct{}), make(chan struct{}), make(chan struct{})
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-answer
		d.w.handler.ServeHTTP(w, r)
		close(answered)
	})
	d.lists.Store(&slow)
	d.do(clicking(`fetch = ((ask) => async (...what) => {
		const reply = await ask(...what);
		setTimeout(() => { window.timedOut = true; }, 50);
		return reply;
	})(fetch)`))
	d.do(clicking("tick()"))
	<-asked
	d.do(chromedp.Click(chromedp.CSS("#leave")), chromedp.WaitVisible(chromedp.CSS("#token")), clicking("window.timedOut = false"))
	close(answer)
	<-answered
	showing(t, d.ctx, "window.timedOut")
	if shown := d.shown(); strings.Contains(shown, "Which database?") {
		t.Errorf("data of the forgotten token is shown below the form: %s", shown)
	}
}

func TestConsoleKeepsKeyboardFocus(t *testing.T) {
	t.Parallel()
	d := sit(t)
	focus := func(want string) {
		t.Helper()
		showing(t, d.ctx, "document.activeElement.id === '"+want+"'")
	}
	look := func() {
		t.Helper()
		d.do(clicking("(window.before = document.querySelector('ul.list > li'), Date.now = ((now) => () => now() + 3600e3)(Date.now), tick())"))
		showing(t, d.ctx, "document.querySelector('ul.list > li') !== window.before")
	}
	d.do(clicking(`document.querySelector("ul.list a").focus()`))
	look()
	focus("to-" + d.request.ID)
	d.do(chromedp.SendKeys(chromedp.CSS("#search"), "database"), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	look()
	focus("search")
	if at := evaluate[int](t, d.ctx, "document.activeElement.selectionStart"); at != len("databa") {
		t.Errorf("the cursor moved to position %d", at)
	}

	// The link to the list is not a view address, so a person stays on the request they read.
	d.do(clicking(`document.querySelector("ul.list a").focus()`), chromedp.KeyEvent(kb.Enter))
	showing(t, d.ctx, `document.querySelector("ol.history") !== null`)
	focus("main")
	d.do(clicking(`document.querySelector(".skip").focus()`), chromedp.KeyEvent(kb.Enter))
	focus("main")
	if at := evaluate[string](t, d.ctx, "location.hash"); at != "#/request/"+d.request.ID {
		t.Errorf("the link to the list leads to %s", at)
	}
	d.do(clicking(`(window.before = document.querySelector("ol.history"), document.getElementById("resend")?.focus())`), chromedp.KeyEvent(kb.Enter))
	showing(t, d.ctx, `document.querySelector("ol.history") !== window.before`)
	focus("resend")
	d.do(clicking(`[...document.querySelectorAll("button")].find((b) => b.textContent === "Show history").focus()`), chromedp.KeyEvent(kb.Enter))
	showing(t, d.ctx, `document.activeElement === document.querySelector("ol.history") && document.activeElement.children.length > 0`)
}

func TestConsoleDoublePressActsOnce(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.do(clicking(`document.querySelector("ul.list a").click()`))
	showing(t, d.ctx, `document.getElementById("resend") !== null`)
	d.do(clicking(`(window.calls = 0, window.fetch = ((ask) => (path, ...more) => {
		window.calls += path.endsWith("/resend");
		return ask(path, ...more);
	})(fetch), window.before = document.getElementById("resend"), before.click(), before.click())`))
	showing(t, d.ctx, `document.getElementById("resend") !== window.before`)
	if calls := evaluate[int](t, d.ctx, "window.calls"); calls != 1 {
		t.Errorf("two presses made %d calls", calls)
	}
}

func TestConsoleClearsListError(t *testing.T) {
	t.Parallel()
	d := sit(t)
	broken := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) })
	d.lists.Store(&broken)
	d.do(clicking("tick()"))
	showing(t, d.ctx, "!document.getElementById('message').hidden")
	d.lists.Store(nil)
	d.do(clicking("tick()"))
	showing(t, d.ctx, "document.getElementById('message').hidden")
}

// The request shown before stayed under "there is no such request", with its cancel button.
func TestConsoleClearsStaleViewOnError(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.do(clicking(`location.hash = "#/request/` + d.request.ID + `"`))
	showing(t, d.ctx, `document.querySelector("ol.history") !== null`)
	d.do(clicking(`(window.ask = fetch, fetch = async () => new Response('{"detail": "there is no such request"}', {status: 404}), location.hash = "#/request/nope")`))
	showing(t, d.ctx, "!document.getElementById('message').hidden")
	if left := evaluate[string](t, d.ctx, "document.getElementById('view').textContent"); left != "" {
		t.Errorf("stale content below the error: %q", left)
	}
	d.do(clicking(`(fetch = window.ask, location.hash = "#/request/` + d.request.ID + `")`))
	showing(t, d.ctx, `document.querySelector("ol.history") !== null && document.getElementById('message').hidden`)
}

func TestConsoleTabsDoNotMove(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.do(chromedp.EmulateViewport(1280, 800))
	const lefts = `[...document.querySelectorAll("#views a, header > :first-child, main")].map((e) => e.getBoundingClientRect().left.toFixed()).join(" ")`
	before := evaluate[string](t, d.ctx, lefts)
	d.do(clicking(`location.hash = "#/dead"`))
	showing(t, d.ctx, `document.querySelector("#view h1").textContent === "Dead letters"`)
	if after := evaluate[string](t, d.ctx, lefts); after != before {
		t.Errorf("they stood at %s, and then at %s", before, after)
	}
	if brand, list := evaluate[int](t, d.ctx, `document.querySelector("header > :first-child").getBoundingClientRect().left`), evaluate[int](t, d.ctx, `document.querySelector("#view h1").getBoundingClientRect().left`); brand != list {
		t.Errorf("the bar starts at %d, the content below at %d", brand, list)
	}
}
