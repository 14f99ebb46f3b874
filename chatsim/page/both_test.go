package page_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/render/testdata/cases"
)

func TestBothInABrowser(t *testing.T) {
	t.Parallel()
	chrome := browser(t)
	for name, play := range map[string]func(*testing.T, context.Context){
		"an answer on Discord updates Slack":       playDiscordFirst,
		"an answer on Slack updates Discord":       playSlackFirst,
		"several questions on Discord":             playDraft,
		"a menu on Discord":                        playMenus,
		"forms and pages on Discord":               playForms,
		"an ephemeral message on Discord":          playPrivate,
		"a silent app on Discord":                  playFailed,
		"hostile markup on Discord":                playMarkdown,
		"both on a phone":                          playBothOnAPhone,
		"the gallery of both":                      playBothInTheGallery,
		"another person's half-filled form":        playDiscordSwitch,
		"the page shows the texts that seats read": playReading,
		"a form on Discord is corrected and sent":  playDiscordForm,
		"files can be downloaded":                  playFiles,
	} {
		t.Run(name, func(t *testing.T) { play(t, chrome) })
	}
}

func playDiscordFirst(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	p := open(t, chrome, w.url, desktop)
	p.shoot("both empty")
	r := w.asks(ask.Request{Questions: oneQuestion})
	p.sees(on("slack", ".message"), "Which database")
	p.sees(on("discord", ".message"), "Which database")
	p.shoot("both open")
	p.tap("discord", "Postgres")
	p.sees(on("discord", ".message"), "Answered by @Dana")
	p.sees(on("slack", ".message"), "Answered by Dana on Discord")
	p.lacks(on("discord", ".message .button"))
	p.lacks(on("slack", ".message .button"))
	if got, want := w.got(r), "discord:"+danaOnDiscord+"\nWhich database should the new ledger use?\nPostgres"; got != want {
		t.Errorf("the agent got %q, want %q", got, want)
	}
	p.sees("#events", "Discord: Dana pressed “Postgres”")
	p.sees("#exchanges", "“Which database should the new ledger use?” → answered")
	if hidden := js[bool](p, "document.getElementById('broken').hidden"); !hidden {
		t.Error("there are broken rules")
	}
	p.shoot("both answered")
}

func playSlackFirst(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	r := w.asks(ask.Request{Questions: oneQuestion})
	p := open(t, chrome, w.url+"#Sam", desktop)
	p.sees(on("discord", ".message"), "Which database")
	p.tap("slack", "SQLite")
	p.sees(on("slack", ".message"), "Answered by @Sam")
	p.sees(on("discord", ".message"), "on Slack")
	p.lacks(on("discord", ".message .button"))
	if got := w.got(r); !strings.HasPrefix(got, "slack:U0000002\n") || !strings.HasSuffix(got, "\nSQLite") {
		t.Errorf("the agent got %q", got)
	}
}

func playDraft(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	r := w.asks(ask.Request{Questions: twoQuestions})
	p := open(t, chrome, w.url, desktop)
	p.tap("discord", "Answer…")
	p.sees(on("discord", ".form h2"), "Answer 2 questions")
	p.tick("Smoke tests")
	p.shoot("both form of two")
	p.press(on("discord", "[data-submit]"))
	p.lacks(on("discord", ".form"))
	p.sees(on("discord", ".only-you"), "Only you can see this")
	p.sees(on("discord", ".only-you"), "Still missing: Database")
	p.shoot("both partly answered")
	p.press(`#people [data-person="Sam"]`)
	p.wait(`document.body.dataset.ready === "Sam"`)
	p.lacks(on("discord", ".only-you"))
	p.sees(on("discord", ".message"), "Chosen: Smoke tests")
	p.tap("discord", "Answer…")
	p.tick("Smoke tests")
	p.tick("Load test")
	p.tick("SQLite")
	p.press(on("discord", "[data-submit]"))
	p.sees(on("slack", ".message"), "Answered by Sam on Discord")
	if got := w.got(r); !strings.HasSuffix(got, "\nSQLite\n\nWhich checks should run against staging first?\n- Load test") {
		t.Errorf("the agent got %q", got)
	}
}

func playMenus(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	vote := ask.Voting{Mode: ask.Quorum, Need: 1}
	r := w.asks(ask.Request{Questions: twoQuestions[1:], Voting: vote}) // A vote on several options is a menu.
	p := open(t, chrome, w.url, desktop)
	head := on("discord", "[data-control$=\":p:0:-1\"]") + ":nth-of-type(1)"
	option := func(value string) string {
		return on("discord", fmt.Sprintf(".menu:has([data-control$=\":p:0:-1\"]) [data-option=%q]", value))
	}
	p.wait(fmt.Sprintf("document.querySelector(%q)?.disabled === false", head))
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).focus()", head)))
	p.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent("\r"), chromedp.KeyEvent("\u001b")) // The arrow opens it and steps in.
	p.sees(head, "Smoke tests")
	p.press(head)
	p.press(option("2"))
	p.shoot("both menu")
	p.accessible("an open menu")
	if n := js[int](p, "document.querySelectorAll('.menu [aria-selected=true]').length"); n != 2 {
		t.Errorf("%d options are ticked", n)
	}
	p.press("#discord-messages .by")
	p.lacks(".menu-list:not([hidden])")
	p.sees(head, "Smoke tests")
	p.press(head)
	if !js[bool](p, "document.getElementById('discord-messages').focus(), !document.querySelector('.menu-list:not([hidden])')") {
		t.Error("a list that lost focus can be redrawn before it closes, and then stays open")
	}
	p.sees(head, "Restore drill")
	p.press(head)
	p.press(option("0"))
	p.do(chromedp.KeyEvent("\u001b"))
	p.wait(fmt.Sprintf("document.querySelector(%q).innerText.trim() === 'Restore drill'", head))
	p.tap("discord", "Submit")
	p.sees(on("slack", ".message"), "Decided by vote")
	if got := w.got(r); !strings.HasSuffix(got, "\n- Restore drill") {
		t.Errorf("the agent got %q", got)
	}
}

func playForms(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	r := w.asks(ask.Request{Questions: manyQuestions()})
	p := open(t, chrome, w.url, desktop)
	pick := func(n int, value string) {
		p.press(on("discord", fmt.Sprintf(".form [id$=\":p:%d:-1-%s\"]", n, value)))
	}
	p.tap("discord", "Answer…")
	p.sees(on("discord", ".form h2"), "Answer questions 1–5")
	for n := range 5 {
		pick(n, "1")
	}
	p.shoot("both form of five")
	p.press(on("discord", "[data-submit]"))
	p.sees(on("discord", ".message"), "page 2 of 2 · 5 answered")
	p.tap("discord", "Answer…")
	p.sees(on("discord", ".form h2"), "Answer questions 6–7")
	p.write(on("discord", ".form .field"), "Ask Kim")
	pick(6, "2")
	p.press(on("discord", "[data-submit]"))
	p.sees(on("slack", ".message"), "Answered by Dana on Discord")
	if got := w.got(r); !strings.Contains(got, "part 5 of the plan?\nChange\n\nWhat about part 6 of the plan?\nAsk Kim") {
		t.Errorf("the agent got %q", got)
	}
}

// tick chooses an option in the form that is open on Discord.
func (p *tab) tick(label string) {
	p.t.Helper()
	at := fmt.Sprintf("[...document.querySelectorAll(%q)].find((e) => e.innerText.startsWith(%q))", on("discord", ".form .choice"), label)
	p.wait("Boolean(" + at + ")")
	was := js[bool](p, at+".querySelector('input').checked")
	p.do(chromedp.Evaluate[chromedp.Void](at + ".querySelector('input').click()"))
	p.wait(fmt.Sprintf("%s?.querySelector('input').checked === %t", at, !was))
}

func playPrivate(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: oneQuestion, Responders: []string{"slack:U0000001", "discord:" + danaOnDiscord, "discord-role:400000000000000001"}})
	p := open(t, chrome, w.url+"#Sam", desktop)
	p.tap("discord", "Postgres")
	p.sees(on("discord", ".only-you"), "This is not yours to answer.")
	p.sees(on("discord", ".only-you .mention"), "@Dana")
	p.tap("slack", "Postgres")
	p.sees(on("slack", ".only-you"), "This is not yours to answer.")
	p.shoot("both private")
	p.press(`#people [data-person="Kim"]`)
	p.wait(`document.body.dataset.ready === "Kim"`)
	p.lacks(".only-you")
	p.tap("discord", "Postgres")
	p.sees(on("slack", ".message"), "Answered by Kim on Discord")
}

func playFailed(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTownOf(t, 3*time.Second)
	w.asks(ask.Request{Questions: oneQuestion})
	p := open(t, chrome, w.url, desktop)
	p.sees(on("discord", ".message"), "Which database")
	w.World.Discord.Fault(discordsim.Presses, chatsim.Drop())
	p.tap("discord", "Postgres")
	p.sees(on("discord", "[data-warning]"), "This interaction failed")
	p.sees("#events", "The app did not acknowledge the action of Dana")
	w.World.Discord.Expect("content")
	w.say(http.StatusBadRequest, fmt.Sprintf(`{"content":%q,"nonce":"m1","enforce_nonce":true,"allowed_mentions":{"parse":[]}}`, strings.Repeat("x", 2001)))
	p.sees("#violations", "content")
	p.sees("#violations", "2000")
	p.shoot("both failed")
}

func playMarkdown(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.say(http.StatusOK, raw(t, "markdown.json"))
	p := open(t, chrome, w.url, desktop)
	for selector, want := range map[string]string{
		"h3": "Heading", ".md-small": "small", "strong": "bold", "em": "slanted", "u": "under", "del": "gone", "strong em": "both",
		"code": "go test", "pre": "rm -rf build/*\n<b>no</b>", "blockquote": "quoted\nagain", "li": "one", ".spoiler": "hidden",
		".mention": "@Dana", "a": "the plan", ".section .button": "Look", ".separator": "",
	} {
		p.sees(on("discord", ".box "+selector), want)
	}
	text := p.text(on("discord", ".message .text"))
	for _, want := range []string{"snake_case_name", "*not slanted*", "<script>alert(1)</script>", "[no](javascript:alert)"} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in:\n%s", want, text)
		}
	}
	if n := js[int](p, "document.querySelectorAll('.messages script, .messages img, .messages b').length"); n != 0 {
		t.Errorf("text became %d elements", n)
	}
	if on := js[string](p, "document.querySelector('.discord time[datetime=\"2026-03-15T16:00:00.000Z\"]')?.innerText || ''"); on == "" {
		t.Error("the date is not shown in the reader's own time")
	}
	p.shoot("both markup")
}

func playBothOnAPhone(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: twoQuestions})
	p := open(t, chrome, w.url, phone)
	p.sees(on("slack", ".message"), "Which checks")
	p.shoot("phone slack")
	p.press(`#platforms [data-platform="discord"]`)
	p.sees(on("discord", ".message"), "Which checks")
	p.shoot("phone discord")
	p.thumbs("both, on a phone")
	p.tap("discord", "Answer…")
	p.sees(on("discord", ".form h2"), "Answer 2 questions")
	p.tick("Load test")
	p.tick("Postgres")
	p.shoot("phone discord form")
	p.press(on("discord", "[data-submit]"))
	p.sees(on("discord", ".message"), "Answered by @Dana")
	p.wait("document.querySelector('#platforms [data-platform=slack]').classList.contains('news')")
	p.shoot("phone discord answered")
	p.press(`#platforms [data-platform="slack"]`)
	p.sees(on("slack", ".message"), "Answered by Dana on Discord")
	p.lacks("#platforms .news")
}

func playBothInTheGallery(t *testing.T, chrome context.Context) {
	t.Helper()
	dir := "../../render/testdata/cases"
	if *gallery != "" {
		dir = *gallery
	}
	srv := httptest.NewServer(page.Handler(&page.Options{Cases: os.DirFS(dir), Names: cases.Names}))
	t.Cleanup(srv.Close)
	for _, s := range []size{desktop, phone} {
		p := open(t, chrome, srv.URL+"/gallery", s)
		for _, what := range []string{".case-card.slack .message", ".case-card.discord .message .box", ".case-card.discord .form", ".case-card.discord .menu"} {
			p.wait(fmt.Sprintf("document.querySelectorAll(%q).length > 5", what))
		}
		p.lacks(".unknown")
		if ids := js[[]string](p, `[...document.querySelectorAll('.case-card .mention')].map((e) => e.textContent).filter((text) => /\d{6}/.test(text))`); len(ids) > 0 {
			t.Errorf("people are shown ids: %q", ids)
		}
		wide := js[[]string](p, `[...document.querySelectorAll('.case-card')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.parentElement.parentElement.id)`)
		if len(wide) > 0 {
			t.Errorf("wider than their place: %q", wide)
		}
		p.shoot(fmt.Sprintf("both gallery %d", s.width))
		p.write("#search", "ten questions")
		p.sees("#found", " of ")
		p.wait("[...document.querySelectorAll('.case')].filter((e) => e.checkVisibility()).length < 10")
		p.press("#ten_questions .case-behind summary")
		p.sees("#ten_questions .case-json", `"blocks": [`)
		p.sees("#ten_questions .case-json", `"components": [`)
		p.shoot(fmt.Sprintf("both gallery found %d", s.width))
		p.write("#search", " and elephants")
		p.sees("#cases", "No matching cards.")
		p.shoot(fmt.Sprintf("both gallery found nothing %d", s.width))
	}
}

func playDiscordSwitch(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: twoQuestions})
	p := open(t, chrome, w.url, desktop)
	p.tap("discord", "Answer…")
	p.sees(on("discord", ".form h2"), "Answer 2 questions")
	p.write(on("discord", ".form .field"), "half a sen")
	p.press(`#people [data-person="Kim"]`)
	p.lacks(on("discord", ".form"))
	p.tap("discord", "Answer…")
	p.tick("Postgres")
	p.press(on("discord", "[data-submit]"))
	p.lacks(on("discord", ".form"))
	p.press(`#people [data-person="Dana"]`)
	p.sees(on("discord", ".form h2"), "Answer 2 questions")
	if kept := js[string](p, "document.querySelector('.discord .form .field').value"); kept != "half a sen" {
		t.Errorf("the field holds %q when Dana is back", kept)
	}
	p.do(chromedp.KeyEvent("\u001b"))
	p.lacks(on("discord", ".form"))
	p.sees("#events", "Discord: Dana closed the form")
}

func playDiscordForm(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	r := w.asks(ask.Request{Questions: []ask.Question{{Text: "What should customers know about the new invoice numbers?", Header: "Notes"}}})
	p := open(t, chrome, w.url, desktop)
	p.tap("discord", "Answer…")
	p.sees(on("discord", ".form .label"), "Your answer")
	if on := js[bool](p, "document.activeElement.matches('.discord .field')"); !on {
		t.Error("the focus is not on the field")
	}
	p.press(on("discord", "[data-submit]"))
	p.sees(on("discord", ".form .error"), "This field is required.")
	p.shoot("both form with an error")
	p.write(on("discord", ".form .field"), "They begin with a B.")
	p.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.lacks(on("discord", ".form"))
	p.sees(on("slack", ".message"), "Answered by Dana on Discord")
	if got := w.got(r); !strings.HasSuffix(got, "\nThey begin with a B.") {
		t.Errorf("the agent got %q", got)
	}
}
