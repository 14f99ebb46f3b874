package api

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/client"
)

// numbered is an auditor with fixed numbers.
type numbered struct{ Auditor }

func (numbered) Stats(_ context.Context, q client.StatsQuery) (*client.Stats, error) {
	deploys := client.Numbers{
		Asked: 230, Open: 1, Answered: 204, Granted: 96, Dismissed: 12, Expired: 12, Withdrawn: 1, Reminders: 31,
		ToFirstAct: client.Times{Count: 130, Median: 40, P90: 900}, ToEnd: client.Times{Count: 120, Median: 55.4, P90: 90000},
	}
	return &client.Stats{
		Since: q.Since, Until: q.Until, Total: deploys,
		Routes: []client.Share{{Name: "deploys", Numbers: deploys}}, Agents: []client.Share{{Name: "deploy-bot-of-the-payments-team", Numbers: deploys}},
		Installations: []client.Share{{Name: "T0000001", Numbers: deploys}},
		People:        []client.PersonNumbers{{Person: "slack:U0000001", Acted: 20, Decided: 12, ToFirstAct: client.Times{Count: 20, Median: 61, P90: 3600}}},
	}, nil
}

func TestConsoleShowsNumbers(t *testing.T) {
	t.Parallel()
	opts := granting()
	opts.Audit = numbered{}
	w := newFixture(t, opts)
	ctx, at, do := w.inBrowser(t)
	do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), chromedp.Navigate(at+"/console"), chromedp.WaitVisible(chromedp.CSS("#token")),
		chromedp.SendKeys(chromedp.CSS("#token"), "token-root"), chromedp.Click(chromedp.CSS("#enter button")), chromedp.Click(chromedp.CSS(`a[href="#/numbers"]`)))
	showing(t, ctx, `document.querySelectorAll('#view table').length === 5`)
	picture(t, ctx, "numbers")
	accessible(t, ctx, "numbers")
	got := evaluate[string](t, ctx, `[...document.querySelectorAll('#view tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent).join(' ')).join('\n')`)
	const row = "230 1 204 96 12 12 1 31 40s / 15m 55s / 1d"
	if want := "All " + row + "\ndeploys " + row + "\ndeploy-bot-of-the-payments-team " + row + "\nT0000001 " + row + "\nslack:U0000001 20 12 1m / 1h"; got != want {
		t.Errorf("tables\n%s\nwant\n%s", got, want)
	}
	if evaluate[bool](t, ctx, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the page scrolls sideways on a phone")
	}
	do(chromedp.Evaluate[chromedp.Void](`document.getElementById('period').value = '30'; document.getElementById('period').dispatchEvent(new Event('change')); undefined`))
	showing(t, ctx, `document.getElementById('period').value === '30' && document.querySelectorAll('#view table').length === 5`)
}
