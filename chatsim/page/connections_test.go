package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
)

// background puts a tab behind others, and brings it back.
func (p *tab) background(is bool) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (Object.defineProperty(document, 'hidden', {value: %t, configurable: true}),
		document.dispatchEvent(new Event('visibilitychange')))`, is)))
}

// A browser holds six connections to one host, and no more.
func TestPageWithManyOpenRequests(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	p := open(t, browser(t), w.url, desktop)
	const requests = 8
	for n := range requests {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.getElementById('body').value = '{"questions":[{"question":"Number %d?","options":["Yes %d","No"]}]}'`, n, n)))
		p.press("#send")
		p.sees("#slack-messages", fmt.Sprintf("Number %d?", n))
	}
	all, _ := w.traffic.Since(0)
	waiting := slices.DeleteFunc(all, func(e chatsim.Exchange) bool { return !e.Open || !strings.Contains(e.Path, "wait=30s") })
	if len(waiting) > 1 {
		t.Errorf("%d requests hold a connection each while they wait", len(waiting))
	}
	for n := range requests {
		p.tap("slack", fmt.Sprintf("Yes %d", n))
		p.sees("#exchanges", fmt.Sprintf("“Number %d?” → answered", n))
	}
}

func TestPageInManyTabs(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	chrome := browser(t)
	var tabs []*tab
	for range 8 {
		p := open(t, chrome, w.url, desktop)
		tabs = append(tabs, p)
		p.background(true)
	}
	w.asks(ask.Request{Questions: oneQuestion})
	first := tabs[0]
	if shown := first.text("#slack-messages"); strings.Contains(shown, "Postgres") {
		t.Errorf("a page in the background listens: %s", shown)
	}
	first.background(false)
	first.tap("slack", "Postgres")
	first.sees("#slack-messages", "Answered by")
}

func TestPageReportsFailedFault(t *testing.T) {
	t.Parallel()
	p := open(t, browser(t), newWorld(t).url, desktop)
	p.forgives = "Uncaught (in promise)"
	p.look("faults")
	p.sees("#faults", "Rate limit")
	p.do(chromedp.Evaluate[chromedp.Void]("void (window.fetch = () => Promise.reject(new TypeError('connection refused')))"))
	p.press("#fault-slack-rate")
	p.sees("#toast", "Failed: connection refused")
}

func TestUnknownPersonInURL(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	p := open(t, browser(t), w.url+"/#%zz", desktop)
	p.wait("document.body.dataset.ready === 'Dana'")
}
