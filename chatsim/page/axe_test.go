package page_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim/page"
)

// axe is what looks for mistakes of accessibility: https://github.com/dequelabs/axe-core
const axe = "testdata/axe/node_modules/axe-core/axe.min.js"

// findMistakes looks for mistakes in the page. Style sheets are not loaded once more, which only a rule about turned phones needs.
const findMistakes = `axe.run(document, {resultTypes: ['violations'], preload: false, %s}).then(({violations}) => violations.map(
	({id, help, nodes}) => id + ': ' + help + ', at ' + nodes.length + ' places such as ' + nodes[0].target.join(' ') + ' ' + (nodes[0].any[0]?.message || '')))`

// accessible looks for mistakes in what the page shows now: all of them in the light, and in the dark, where nothing differs
// but colours, for those of contrast.
func (p *tab) accessible(view string) {
	p.t.Helper()
	if !js[bool](p, "typeof axe === 'object'") {
		source, err := os.ReadFile(axe)
		if err != nil {
			p.t.Fatalf("%v\ninstall it with \"make setup\"", err)
		}
		p.do(chromedp.Evaluate[chromedp.Void](string(source) + ";undefined"))
	}
	for scheme, only := range map[string]string{"light": "", "dark": "runOnly: {type: 'rule', values: ['color-contrast']}"} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}}
		if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
			p.t.Fatal(err)
		}
		if moving := js[[]string](p, "document.getAnimations().map((one) => one.animationName).filter((name) => name !== 'turn')"); len(moving) > 0 {
			p.t.Errorf("%s: animated despite prefers-reduced-motion: %q", view, moving)
		}
		for _, mistake := range awaited[[]string](p, fmt.Sprintf(findMistakes, only)) {
			p.t.Errorf("%s, %s: %s", view, scheme, mistake)
		}
	}
}

func playAccessible(t *testing.T, chrome context.Context) {
	t.Helper()
	for _, s := range []size{desktop, tablet, phone} {
		w := newTown(t)
		w.asks(ask.Request{Questions: oneQuestion})
		made := w.asks(ask.Request{Questions: twoQuestions, Responders: []string{"slack:U0000002", "discord:300000000000000002"}})
		p := open(t, chrome, w.url, s)
		p.sees(on("slack", ".message:last-child"), "Which checks")
		p.tap("slack", "Submit")
		p.sees(on("slack", ".only-you"), "not yours")
		p.accessible("the chat")
		p.press(`#people [data-person="Sam"]`)
		p.wait(`document.body.dataset.ready === "Sam"`)
		p.tap("slack", "More…")
		p.tap("slack", "Answer with my own text…")
		p.sees(on("slack", ".form"), "Your reply")
		p.press(on("slack", "[data-submit]"))
		p.sees(on("slack", ".form .error"), "required")
		p.accessible("a form on Slack")
		p.press(on("slack", "[data-close]"))
		p.lacks(on("slack", ".form"))
		if s.phone {
			p.press(`#platforms [data-platform="discord"]`)
		}
		p.tap("discord", "More…")
		p.tap("discord", "Answer with my own text…")
		p.sees(on("discord", ".form"), "Your reply")
		p.accessible("a form on Discord")
		p.press(on("discord", "[data-close]"))
		if _, err := w.agent.Cancel(t.Context(), made.ID, "found out"); err != nil {
			t.Fatal(err)
		}
		p.sees(on("discord", ".closed"), "Closed")
		p.look("agent")
		p.press("#exchanges li:first-child summary")
		p.accessible("the agent's side")
		for _, tool := range []string{"events", "faults"} {
			p.look(tool)
			p.accessible("the tool " + tool)
		}
		p.press("#panel-close")
		p.press(on("discord", ".inspect"))
		p.sees("#inspected", "app → Discord")
		p.accessible("the inspector")
	}
}

func playAccessibleGallery(t *testing.T, chrome context.Context) {
	t.Helper()
	srv := httptest.NewServer(page.Handler(&page.Options{Cases: os.DirFS("../../render/testdata/cases")}))
	t.Cleanup(srv.Close)
	for _, s := range []size{desktop, phone} {
		p := open(t, chrome, srv.URL+"/gallery?q=several", s)
		p.wait("document.querySelectorAll('.case-card').length > 1")
		p.do(chromedp.Evaluate[chromedp.Void]("document.querySelectorAll('.case').forEach((e) => e.checkVisibility() || e.remove())"))
		p.accessible("the gallery")
	}
}
