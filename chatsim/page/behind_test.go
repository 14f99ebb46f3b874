package page_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// playBroken looks at a message whose update broke a rule: the rule is shown above the calls, with its link.
func playBroken(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	w.sim.Traffic().Keep(100)
	w.sim.Expect("section.text")
	ts := w.say("single.json", nil)
	w.post(w.sim.APIURL()+"chat.update", map[string]any{"channel": "C0000001", "ts": ts, "text": "x", "blocks": []any{
		map[string]any{"type": "section", "text": map[string]any{"type": "plain_text", "text": strings.Repeat("x", 3001)}},
	}})
	p := open(t, chrome, w.url, desktop)
	p.press(".message .inspect")
	p.sees("#inspected .broken", "section.text in chat.update")
	p.sees("#inspected .broken", "3001 characters")
	p.wait("document.querySelector('#inspected .broken a')?.href.startsWith('https://docs.slack.dev/')")
	p.sees("#inspected .wire", "chat.update")
	p.shoot("tools inspect broken")
}

// playHostResults reads the results for hosts, and the hints for hosts that repeat their own input.
func playHostResults(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	p := open(t, chrome, w.url, desktop)
	p.forgives = "409"
	p.press("#send")
	p.tap("slack", "Postgres")
	p.sees("#exchanges", "“Which database?” → answered")
	p.press("#exchanges li:last-child summary")
	p.do(chromedp.SendKeys(chromedp.CSS("#exchanges .host-results select"), "Codex"))
	p.sees("#exchanges .host-results", "Results for Codex repeat the tool input.")
}
