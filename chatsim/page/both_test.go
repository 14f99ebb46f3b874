package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/door/httpapi"
)

const (
	danaOnDiscord    = "300000000000000001"
	deploysOnDiscord = "200000000000000001"
)

// town is a real bridge between both platforms, and the page that shows them.
type town struct {
	*askbridgetest.World

	t     *testing.T
	notes page.Log
	url   string
}

func newTown(t *testing.T) *town {
	t.Helper()
	w := &town{t: t, World: askbridgetest.Start(t, &askbridgetest.Options{Bridge: &bridge.Options{Rules: ask.Rules{MaxQuestions: 10}}})}
	srv := httptest.NewServer(page.Handler(&page.Options{Notes: &w.notes}, page.Slack(w.Slack), page.Discord(w.World.Discord)))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	w.url = srv.URL
	return w
}

// asks makes the agent ask.
func (w *town) asks(r ask.Request) *httpapi.Request {
	w.t.Helper()
	if r.Agent == "" {
		r.Agent, r.Context = "deploy-bot", "Release 4.2 of *billing* is built and its tests are green."
	}
	if raw, err := json.Marshal(r.Questions); err == nil {
		w.notes.Add(r.Agent, string(raw))
	}
	made, err := w.Client.Submit(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// got waits for the answer and returns it as the agent reads it.
func (w *town) got(r *httpapi.Request) string {
	w.t.Helper()
	ended, err := w.Client.Wait(w.t.Context(), r.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	w.notes.Add(r.Agent, ended.Text)
	return ended.By.Key() + "\n" + ended.Text
}

// on is the selector of something in a platform's pane.
func on(platform, selector string) string {
	parts := strings.Split(selector, ",")
	for i, part := range parts {
		parts[i] = ".pane." + platform + " " + strings.TrimSpace(part)
	}
	return strings.Join(parts, ", ")
}

// tap presses the button with a label in a platform's pane, the last one where there are several.
func (p *tab) tap(platform, label string) {
	p.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((b) => b.innerText.trim() === %q && !b.disabled).at(-1)`, on(platform, "button"), label)
	p.wait(fmt.Sprintf("Boolean(%s)", find))
	at := js[map[string]float64](p, fmt.Sprintf(`(() => { const b = %s; b.scrollIntoView({block: 'nearest'}); return b.getBoundingClientRect().toJSON(); })()`, find))
	p.do(chromedp.MouseClickXY(at["x"]+at["width"]/2, at["y"]+at["height"]/2))
}

func options(labels ...string) []ask.Option {
	var all []ask.Option
	for _, l := range labels {
		label, description, _ := strings.Cut(l, ": ")
		all = append(all, ask.Option{Label: label, Description: description})
	}
	return all
}

var (
	oneQuestion = []ask.Question{
		{Text: "Which database should the new ledger use?", Header: "Database", Options: options("Postgres: Managed, with nightly backups", "SQLite: Embedded, one file")},
	}
	twoQuestions = append(oneQuestion[:1:1], ask.Question{
		Text: "Which checks should run against staging first?", Header: "Checks", MultiSelect: true,
		Options: options("Smoke tests: Two minutes", "Load test: Half an hour", "Restore drill: From last night's backup"),
	})
)

func manyQuestions() []ask.Question {
	var all []ask.Question
	for n := range 7 {
		all = append(all, ask.Question{
			Text: fmt.Sprintf("What about part %d of the plan?", n+1), Header: fmt.Sprintf("Part %d", n+1), MultiSelect: n%2 == 1,
			Options: options("Keep: As it is", "Change: As proposed", "Drop"),
		})
	}
	return all
}

func TestBothInABrowser(t *testing.T) {
	t.Parallel()
	chrome := browser(t)
	for name, play := range map[string]func(*testing.T, context.Context){
		"an answer on Discord repaints Slack":       playDiscordFirst,
		"an answer on Slack repaints Discord":       playSlackFirst,
		"several questions on Discord":              playDraft,
		"menus and pages on Discord":                playMenus,
		"a word in private on Discord":              playPrivate,
		"a silent app on Discord":                   playFailed,
		"hostile markup on Discord":                 playMarkdown,
		"both on a phone":                           playBothOnAPhone,
		"the gallery of both":                       playBothInTheGallery,
		"somebody else's half-filled form":          playDiscordSwitch,
		"a form on Discord is mended and then sent": playDiscordForm,
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
	p.sees("#notes", "Postgres")
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
	p.tap("discord", "Smoke tests")
	p.sees(on("discord", ".button.success"), "Smoke tests")
	p.tap("discord", "Submit")
	p.sees(on("discord", ".only-you"), "Only you can see this")
	p.sees(on("discord", ".only-you"), "Still missing: Database")
	p.shoot("both partly answered")
	p.press(`#people [data-person="Sam"]`)
	p.wait(`document.body.dataset.ready === "Sam"`)
	p.lacks(on("discord", ".only-you"))
	p.sees(on("discord", ".button.success"), "Smoke tests")
	p.tap("discord", "Smoke tests")
	p.lacks(on("discord", ".button.success"))
	p.tap("discord", "Load test")
	p.tap("discord", "SQLite")
	p.wait(fmt.Sprintf("document.querySelectorAll(%q).length === 2", on("discord", ".button.success")))
	p.tap("discord", "Submit")
	p.sees(on("slack", ".message"), "Answered by Sam on Discord")
	if got := w.got(r); !strings.HasSuffix(got, "\nSQLite\n\nWhich checks should run against staging first?\n- Load test") {
		t.Errorf("the agent got %q", got)
	}
}

func playMenus(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	r := w.asks(ask.Request{Questions: manyQuestions()})
	p := open(t, chrome, w.url, desktop)
	head := func(n int) string {
		return fmt.Sprintf("%s:nth-of-type(1)", on("discord", fmt.Sprintf("[data-control$=\":p:%d:-1\"]", n)))
	}
	option := func(n int, value string) string {
		return on("discord", fmt.Sprintf(".menu:has([data-control$=\":p:%d:-1\"]) [data-option=%q]", n, value))
	}
	p.press(head(0))
	p.press(option(0, "1"))
	p.sees(head(0), "Change")
	p.press(head(1))
	p.press(option(1, "0"))
	p.press(option(1, "2"))
	p.shoot("both menu")
	if n := js[int](p, "document.querySelectorAll('.menu [aria-selected=true]').length"); n != 3 {
		t.Errorf("%d options are ticked", n)
	}
	p.press("#discord-messages .by")
	p.sees(head(1), "Keep")
	p.sees(head(1), "Drop")
	p.press(head(1))
	p.press(option(1, "0"))
	p.do(chromedp.KeyEvent("\u001b"))
	p.wait(fmt.Sprintf("document.querySelector(%q).innerText.trim() === 'Drop'", head(1)))
	for n := 2; n < 7; n++ {
		if js[bool](p, fmt.Sprintf("!document.querySelector(%q)", head(n))) {
			p.tap("discord", "Next ›")
		}
		p.do(chromedp.SendKeys(chromedp.CSS(head(n)), kb.ArrowDown, chromedp.NodeVisible)) // It opens and steps in.
		p.do(chromedp.KeyEvent("\r"))
		if n%2 == 1 {
			p.do(chromedp.KeyEvent("\u001b"))
		}
		p.wait(fmt.Sprintf("/Keep|Change/.test(document.querySelector(%q)?.innerText)", head(n)))
	}
	p.tap("discord", "Submit")
	p.sees(on("slack", ".message"), "Answered by Dana on Discord")
	if got := w.got(r); !strings.Contains(got, "part 1 of the plan?\nChange\n\nWhat about part 2 of the plan?\n- Drop\n") {
		t.Errorf("the agent got %q", got)
	}
}

func playPrivate(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: oneQuestion, Responders: []string{"slack:U0000001", "discord:" + danaOnDiscord, "discord-role:400000000000000001"}})
	p := open(t, chrome, w.url+"#Sam", desktop)
	p.tap("discord", "Postgres")
	p.sees(on("discord", ".only-you"), "This question is not yours to answer.")
	p.sees(on("discord", ".only-you .mention"), "@Dana")
	p.tap("slack", "Postgres")
	p.sees(on("slack", ".only-you"), "This question is not yours to answer.")
	p.shoot("both private")
	p.press(`#people [data-person="Kim"]`)
	p.wait(`document.body.dataset.ready === "Kim"`)
	p.lacks(".only-you")
	p.tap("discord", "Postgres")
	p.sees(on("slack", ".message"), "Answered by Kim on Discord")
}

func playFailed(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: oneQuestion})
	p := open(t, chrome, w.url, desktop)
	p.sees(on("discord", ".message"), "Which database")
	w.World.Discord.Fault(discordsim.Presses, chatsim.Drop())
	p.tap("discord", "Postgres")
	p.sees(on("discord", "[data-warning]"), "This interaction failed")
	p.sees("#events", "The app did not acknowledge what Dana did")
	w.World.Discord.Expect("content")
	w.say(http.StatusBadRequest, fmt.Sprintf(`{"content":%q,"nonce":"m1","enforce_nonce":true,"allowed_mentions":{"parse":[]}}`, strings.Repeat("x", 2001)))
	p.sees("#violations", "content")
	p.sees("#violations", "2000")
	p.shoot("both failed")
}

// say posts a message as the bot of the guild.
func (w *town) say(status int, message string) {
	w.t.Helper()
	url := w.World.Discord.APIURL() + "/v10/channels/" + deploysOnDiscord + "/messages"
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, url, bytes.NewReader([]byte(message)))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bot discord-sim-token")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "DiscordBot (https://example.com, 1)")
	answer, err := w.World.Discord.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != status {
		w.t.Fatalf("create message: %s, want %d", answer.Status, status)
	}
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
			t.Errorf("%q does not stand in:\n%s", want, text)
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
	p.tap("discord", "Load test")
	p.sees(on("discord", ".button.success"), "Load test")
	p.shoot("phone discord")
	small := js[[]string](p, `[...document.querySelectorAll('.discord .message .button, #platforms button')]
		.filter((e) => e.getBoundingClientRect().height < 38).map((e) => e.innerText)`)
	if len(small) > 0 {
		t.Errorf("too small for a thumb: %q", small)
	}
	p.tap("discord", "Other…")
	p.sees(on("discord", ".form h2"), "Other answer")
	p.shoot("phone discord form")
	p.press(on("discord", "[data-close]"))
	p.lacks(on("discord", ".form"))
	p.tap("discord", "Postgres")
	p.tap("discord", "Submit")
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
	srv := httptest.NewServer(page.Handler(&page.Options{Cases: os.DirFS(dir)}))
	t.Cleanup(srv.Close)
	for _, s := range []size{desktop, phone} {
		p := open(t, chrome, srv.URL+"/gallery", s)
		for _, what := range []string{".case-card.slack .message", ".case-card.discord .message .box", ".case-card.discord .form", ".case-card.discord .menu"} {
			p.wait(fmt.Sprintf("document.querySelectorAll(%q).length > 5", what))
		}
		p.lacks(".unknown")
		wide := js[[]string](p, `[...document.querySelectorAll('.case-card')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.parentElement.parentElement.id)`)
		if len(wide) > 0 {
			t.Errorf("wider than their place: %q", wide)
		}
		p.shoot(fmt.Sprintf("both gallery %d", s.width))
	}
}

func playDiscordSwitch(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: twoQuestions})
	p := open(t, chrome, w.url, desktop)
	p.tap("discord", "Other…")
	p.sees(on("discord", ".form h2"), "Other answer")
	p.write(on("discord", ".form .field"), "half a sen")
	p.press(`#people [data-person="Kim"]`)
	p.lacks(on("discord", ".form"))
	p.tap("discord", "Postgres")
	p.press(`#people [data-person="Dana"]`)
	p.sees(on("discord", ".form h2"), "Other answer")
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
