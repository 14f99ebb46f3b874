package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
)

func TestConsoleOperates(t *testing.T) {
	t.Parallel()
	opts := agents(access.Agent{Name: "root", Token: "token-root", Scopes: []access.Scope{access.Admin, access.ManageTokens}})
	opts.Reload = func(string) ([]string, error) { return []string{"agents"}, nil }
	opts.Erase = func(_ context.Context, e client.Erase, _ string) (*client.Erased, error) {
		switch {
		case e.Person != "slack:U0000001" || e.Request != "" || e.EndedBefore.IsZero():
			return nil, errors.New("another selection")
		case e.Cursor == "":
			return &client.Erased{Erased: 2, Next: "more"}, nil
		}
		return &client.Erased{Erased: 1, Lines: 4}, nil
	}
	w := newFixture(t, opts)
	ctx, at, do := w.inBrowser(t)
	press := func(label string) {
		t.Helper()
		do(clicking(`[...document.querySelectorAll("button")].find((b) => b.textContent === "` + label + `").click()`))
	}
	shows := func(text string) {
		t.Helper()
		showing(t, ctx, `document.body.innerText.includes("`+text+`")`)
	}
	do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), chromedp.Navigate(at+"/console"), chromedp.WaitVisible(chromedp.CSS("#token")))
	do(chromedp.SendKeys(chromedp.CSS("#token"), "token-root"), chromedp.Click(chromedp.CSS("#enter button")))
	do(clicking(`location.hash = "#/tokens"`), chromedp.WaitVisible(chromedp.CSS("#make")))
	press("Create a token…")
	do(chromedp.SendKeys(chromedp.CSS("#name"), "shop"))
	accessible(t, ctx, "a new token on a phone")
	picture(t, ctx, "phone-new-token")
	press("Create it")
	do(chromedp.WaitVisible(chromedp.CSS("#secret")))
	accessible(t, ctx, "a token that was made")
	picture(t, ctx, "phone-token-made")
	first := evaluate[string](t, ctx, `document.getElementById("secret").textContent`)
	w.call(first, http.MethodGet, "/v1/requests", "").want(t, http.StatusOK)
	press("Replace…")
	press("Yes, replace it")
	showing(t, ctx, `document.getElementById("secret").textContent !== "`+first+`"`)
	do(clicking(`location.hash = "#/operate"`), chromedp.WaitVisible(chromedp.CSS("#reload")))
	if shown := evaluate[string](t, ctx, "document.body.innerText"); strings.Contains(shown, "abk_") {
		t.Errorf("the token is still shown: %s", shown)
	}
	press("Reload the configuration")
	shows("Changed: agents.")
	do(chromedp.SendKeys(chromedp.CSS("#person"), "slack:U0000001"), chromedp.SendKeys(chromedp.CSS("#days"), "30"))
	press("Count them")
	shows("It would erase texts of 3 requests and 4 events")
	press("Erase…")
	accessible(t, ctx, "an erasure on a phone")
	picture(t, ctx, "phone-erase")
	press("Yes, erase them")
	shows("Erased texts of 3 requests and 4 events")
}
