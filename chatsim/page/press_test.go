package page_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"testing"
	"testing/fstest"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/chatsim/page"
)

// control is the selector of a control by its name.
func control(name string) string { return fmt.Sprintf("[data-control=%q]", name) }

// choose is the selector of an option.
func choose(name, value string) string {
	return fmt.Sprintf("[data-control=%q] [data-option=%q]", name, value)
}

const (
	token    = "1:p01r3v7k2m9qxw:"
	database = "q0/" + token + "p:0:-1"
	checks   = "q1/" + token + "p:1:-1"
	other    = "q0.other/" + token + "w:0:-1"
	submit   = "end/" + token + "s:-1:-1"
	words    = "q0/" + token + "W:0:-1"
	postgres = "q0/" + token + "c:0:0"
)

func TestInABrowser(t *testing.T) {
	t.Parallel()
	chrome := browser(t)
	for name, play := range map[string]func(*testing.T, context.Context){
		"a press reaches the app and the update reaches the page": playPress,
		"selections are submitted together":                       playSubmit,
		"a form is corrected and sent":                            playForm,
		"a form closes with escape":                               playEscape,
		"a silent app leaves a warning":                           playSilence,
		"two people at once":                                      playTwo,
		"threads and hostile text":                                playThread,
		"a phone":                                                 playPhone,
		"a confirmation dialog and a menu":                        playDialog,
		"another person looks while a form is open":               playSwitch,
		"the page reconnects by itself":                           playReturn,
		"an update does not move a pressed button":                playHold,
		"the gallery":                                             playGallery,
	} {
		t.Run(name, func(t *testing.T) { play(t, chrome) })
	}
}

func playPress(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	p := open(t, chrome, w.url, desktop)
	p.sees("#slack-messages", "No messages yet")
	w.say("single.json", nil)
	p.sees(".message", "Which database should the new service use?")
	p.shoot("single")
	p.press(control(postgres))
	p.sees(".message", "Answered by")
	p.lacks(".message .button")
	if got := w.last(); got.Type != "block_actions" || got.User.ID != "U0000001" || got.Actions[0].ID != token+"c:0:0" {
		t.Errorf("the app received %+v", got)
	}
	p.look("events")
	p.sees("#events", "Dana pressed “Postgres”")
	p.sees("#events", "The app acknowledged in")
	if hidden := js[bool](p, "document.getElementById('broken').hidden"); !hidden {
		t.Error("there are broken rules")
	}
	p.shoot("answered")
}

func playSubmit(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	w.say("several.json", nil)
	p := open(t, chrome, w.url, desktop)
	p.press(choose(checks, "0"))
	p.sees("#events", "Dana picked “Unit tests”")
	p.press(choose(checks, "2"))
	p.sees("#events", "Dana picked “Licence scan”")
	p.press(control(submit))
	p.sees(".only-you", "Only visible to you")
	p.sees(".only-you", "Still open: Database")
	p.press(`#people [data-person="Sam"]`)
	p.wait(`document.body.dataset.ready === "Sam"`)
	p.lacks(".only-you")
	if ticked := js[int](p, "document.querySelectorAll('.message input:checked').length"); ticked != 0 {
		t.Errorf("Sam sees %d of Dana's ticks", ticked)
	}
	p.press(`#people [data-person="Dana"]`)
	p.wait("document.querySelectorAll('.message input:checked').length === 2")
	p.press(choose(database, "1"))
	p.sees("#events", "Dana picked “SQLite”")
	p.shoot("several")
	p.press(control(submit))
	p.sees(".message", "Answered by")
	held := w.last().State.Values
	if got := held["q1"][token+"p:1:-1"].Several; len(got) != 2 || got[0].Value != "0" || got[1].Value != "2" {
		t.Errorf("the app received the checks %v", got)
	}
	if got := held["q0"][token+"p:0:-1"].Selected; got == nil || got.Value != "1" {
		t.Errorf("the app received the database %v", got)
	}
}

func playForm(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	w.say("several.json", nil)
	p := open(t, chrome, w.url, desktop)
	p.press(control(other))
	p.sees(".form h2", "Other answer")
	if on := js[string](p, "document.activeElement.dataset.control || ''"); on != words {
		t.Errorf("the focus is on %q, want the field", on)
	}
	p.press("[data-submit]")
	p.sees(".form .error", "Please complete this required field.")
	p.write(control(words), "nothing")
	p.press("[data-submit]")
	p.sees(".form .error", "Please say a little more.")
	if kept := js[string](p, fmt.Sprintf("document.querySelector(%q).value", control(words))); kept != "nothing" {
		t.Errorf("the field holds %q after it was refused", kept)
	}
	p.shoot("form with an error")
	p.write(control(words), " but CockroachDB")
	w.say("single.json", map[string]any{"channel": "C0000002"})
	p.wait(`document.querySelector('[data-channel="C0000002"] .count')?.innerText === '1'`)
	if kept := js[string](p, fmt.Sprintf("document.querySelector(%q).value", control(words))); kept != "nothing but CockroachDB" {
		t.Errorf("the field holds %q after news came in", kept)
	}
	p.press("[data-submit]")
	p.lacks(".form")
	if got := w.last(); got.Type != "view_submission" || got.View.State.Values["q0"][token+"W:0:-1"].Value != "nothing but CockroachDB" {
		t.Errorf("the app received %+v", got)
	}
	if on := js[string](p, "document.activeElement.dataset.control || ''"); on != other {
		t.Errorf("after the form the focus is on %q, want the button that opened it", on)
	}
}

func playEscape(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	w.say("several.json", nil)
	p := open(t, chrome, w.url, desktop)
	p.press(control(other))
	p.sees(".form h2", "Other answer")
	p.write(control(words), "\u001b")
	p.lacks(".form")
	p.sees("#events", "Dana closed the form")
	p.press(control(other))
	p.write(control(words), "CockroachDB")
	p.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.lacks(".form")
	if got := w.last().View.State.Values["q0"][token+"W:0:-1"].Value; got != "CockroachDB" {
		t.Errorf("after Ctrl+Enter the app received %q", got)
	}
}

func playSilence(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	w.sim.Expect("ack.status")
	w.say("single.json", nil)
	w.die(true)
	p := open(t, chrome, w.url, desktop)
	p.press(control(postgres))
	p.sees(`[data-warning="q0"]`, "Something went wrong. Try again.")
	p.sees("#violations", "ack.status")
	p.shoot("warning")
	w.die(false)
	p.press(control(postgres))
	p.sees(".message", "Answered by")
	p.lacks("[data-warning]")
}

func playTwo(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	w.say("single.json", nil)
	dana := open(t, chrome, w.url+"#Dana", desktop)
	sam := open(t, chrome, w.url+"#Sam", desktop)
	sam.sees(`#people [aria-pressed="true"]`, "Sam")
	dana.sees(".message", "Which database")
	sam.press(control(postgres))
	dana.sees(".message", "Answered by")
	sam.sees(".message", "Answered by")
	if got := w.last().User.ID; got != "U0000002" {
		t.Errorf("the press came from %s, want Sam", got)
	}
	if n := len(w.received()); n != 1 {
		t.Errorf("the app received %d interactions", n)
	}
}

func playThread(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	ts, err := w.sim.Seat("U0000003").Say("C0000001", "", "Deploying 4.2 now, *careful*")
	if err != nil {
		t.Fatal(err)
	}
	w.say("markup.json", map[string]any{"thread_ts": ts})
	w.call("chat.postEphemeral", map[string]any{"channel": "C0000001", "user": "U0000001", "text": "Only <@U0000002> may answer.", "thread_ts": ts})
	p := open(t, chrome, w.url, desktop)
	p.sees(".thread-head", "2 replies")
	for selector, want := range map[string]string{
		".message strong": "Kim", ".reply pre": "rm -rf build/*\nls <b>", ".reply blockquote": "quoted\nagain", ".reply .mention": "@Dana",
		".reply em": "often", ".reply del": "never", ".reply a": "the plan", ".reply .text code": "go test", ".only-you .mention": "@Sam",
		".reply h3": "Which way?", ".reply .fields": "Left", ".reply ul": "one",
	} {
		p.sees(selector, want)
	}
	if n := js[int](p, "document.querySelectorAll('.messages script, .messages img, .messages b').length"); n != 0 {
		t.Errorf("text became %d elements", n)
	}
	if on := js[string](p, "document.querySelector('.reply time[datetime=\"2026-03-15T16:00:00.000Z\"]')?.innerText || ''"); on == "" {
		t.Error("the date is not shown in the reader's own time")
	}
	p.shoot("thread")
}

func playPhone(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	w.say("several.json", nil)
	p := open(t, chrome, w.url, phone)
	p.sees(".message", "Which checks should run first?")
	p.shoot("phone")
	p.thumbs("the chat")
	p.press(control(other))
	p.sees(".form h2", "Other answer")
	p.shoot("phone form")
	p.press("[data-close]")
	p.lacks(".form")
	p.press(`.channel[data-channel="C0000002"]`)
	p.sees("#slack-messages", "No messages yet")
	p.look("events")
	p.sees("#events", "Dana closed the form")
	p.shoot("phone timeline")
	p.press("#panel-close")
	p.wait("!document.body.classList.contains('panel-open')")
}

func playDialog(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	w.say("markup.json", nil)
	p := open(t, chrome, w.url, desktop)
	p.do(chromedp.SendKeys(chromedp.CSS(".message select"), "Production"))
	p.sees("#events", "Dana picked “Production”")
	p.wait("document.querySelector('.message select').value === '1'")
	p.press(".message .danger")
	p.sees(".confirm", "It cannot be undone.")
	p.shoot("dialog")
	p.accessible("a dialog")
	p.press(".confirm [data-escape]")
	p.lacks(".confirm")
	if n := len(w.received()); n != 1 {
		t.Errorf("the app received %d interactions, want only the pick", n)
	}
	p.press(".message .danger")
	p.press(".confirm .danger")
	p.sees("#events", "Dana pressed “Delete”")
	p.lacks(".confirm")
}

func playSwitch(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	w.say("several.json", nil)
	p := open(t, chrome, w.url, desktop)
	p.press(control(other))
	p.write(control(words), "half a sen")
	p.press(`#people [data-person="Kim"]`)
	p.lacks(".form")
	p.press(choose(database, "0"))
	p.wait("document.querySelectorAll('.message input:checked').length === 1")
	p.press(`#people [data-person="Dana"]`)
	p.sees(".form h2", "Other answer")
	if kept := js[string](p, fmt.Sprintf("document.querySelector(%q).value", control(words))); kept != "half a sen" {
		t.Errorf("the field holds %q when Dana is back", kept)
	}
}

func playHold(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	ts := w.say("single.json", nil)
	p := open(t, chrome, w.url, desktop)
	box := js[map[string]float64](p, fmt.Sprintf("document.querySelector(%q).getBoundingClientRect().toJSON()", control(postgres)))
	x, y := box["x"]+5, box["y"]+5
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	c := card(t, "single.json")
	w.call("chat.update", map[string]any{"channel": "C0000001", "ts": ts, "text": "Asked again", "blocks": c["blocks"]})
	p.sees("#events", "Asked again")
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	p.sees(".message", "Answered by")
}

func playReturn(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newWorld(t)
	w.say("single.json", nil)
	p := open(t, chrome, w.url, desktop)
	p.forgives = "ERR_"
	p.sees(".message", "Which database")
	w.server.CloseClientConnections()
	p.wait("!document.getElementById('offline').hidden")
	w.say("several.json", map[string]any{"channel": "C0000001"})
	p.sees("#slack-messages", "Which checks should run first?")
	p.wait("document.getElementById('offline').hidden")
	if n := js[int](p, "document.querySelectorAll('#events li').length"); n != 2 {
		t.Errorf("what happened has %d lines, want one for each message", n)
	}
}

func playGallery(t *testing.T, chrome context.Context) {
	t.Helper()
	cases := fstest.MapFS{"markup.txtar": &fstest.MapFile{Data: []byte("Every kind of block.\n-- slack.json --\n" + raw(t, "markup.json"))}}
	form := fmt.Sprintf(`{"text":"t","blocks":[],"forms":{"write 0":%s}}`, raw(t, "other.json"))
	cases["form.txtar"] = &fstest.MapFile{Data: []byte("A form.\n-- slack.json --\n" + form)}
	opts := &page.Options{Cases: cases}
	if *gallery != "" {
		opts.Cases = os.DirFS(*gallery)
	}
	srv := httptest.NewServer(page.Handler(opts))
	t.Cleanup(srv.Close)
	p := open(t, chrome, srv.URL+"/gallery", desktop)
	p.wait("document.querySelectorAll('.case').length > 1 && document.querySelectorAll('.case .form').length > 0")
	p.shoot("gallery")
}
