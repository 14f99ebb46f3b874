package page_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
)

func TestToolsInBrowser(t *testing.T) {
	t.Parallel()
	chrome := browser(t)
	for name, play := range map[string]func(*testing.T, context.Context){
		"a request is pasted, sent and answered":  playAsk,
		"a request with a mistake is sent":        playMistake,
		"a host's tool input is sent":             playHost,
		"the inspector shows a message":           playInspect,
		"the inspector shows a violated rule":     playBroken,
		"results for each host":                   playHostResults,
		"an active grant":                         playGrant,
		"injected faults":                         playFaults,
		"a reload leaves the events in order":     playReload,
		"an ephemeral message below the fold":     playBelow,
		"a tablet":                                playTablet,
		"an ephemeral message notifies no one":    playNote,
		"an error in a form shows no id":          playNames,
		"the page is accessible":                  playAccessible,
		"the gallery is accessible":               playAccessibleGallery,
		"workspaces are added and uninstalled":    playWorkspaces,
		"the tools can be used with the keyboard": playKeyboard,
	} {
		t.Run(name, func(t *testing.T) { play(t, chrome) })
	}
}

func playAsk(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	p := open(t, chrome, w.url, desktop)
	p.sees("#scene-hint", "Press Postgres.")
	p.shoot("tools agent")
	p.press("#send")
	p.tap("slack", "Postgres")
	p.sees("#exchanges", "“Which database?” → answered")
	p.press("#exchanges li:last-child summary")
	p.sees("#exchanges", `"agent": "deploy-bot"`)
	p.sees("#exchanges", `"state": "answered"`)
	p.do(chromedp.SendKeys(chromedp.CSS("#exchanges li:last-child .host-results select"), "Claude Code"))
	p.sees("#exchanges .host-results pre", "Postgres")
	p.shoot("tools agent answered")
	if all, _ := w.traffic.Since(0); len(all) != 1 || all[0].Took <= 0 {
		t.Errorf("the traffic is %+v", all)
	}
}

func playMistake(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	p := open(t, chrome, w.url, desktop)
	p.forgives = "422"
	p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById('body').value = '{"questions":[{"question":""}]}'`))
	p.press("#send")
	p.sees("#refusal li", "questions[0].question")
	p.sees("#exchanges .status", "422")
	p.shoot("tools agent refused")
	p.accessible("a request that was refused")
}

func playHost(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	p := open(t, chrome, w.url, desktop)
	p.do(chromedp.SendKeys(chromedp.CSS("#scene"), "A host"))
	p.sees("#form-hint", "The input of AskUserQuestion.")
	p.press("#send")
	p.tap("discord", "Yes")
	p.sees("#exchanges", "/v1/ask/claude")
	p.wait("document.querySelector('#exchanges .status').innerText === '200'")
	p.press("#exchanges li:last-child summary")
	p.sees("#exchanges", "Yes")
}

func playGrant(t *testing.T, chrome context.Context) {
	t.Helper()
	grants := ask.Grants{Scope: ask.SameSession, For: 8 * time.Hour}
	w := newTownOf(t, time.Minute, access.Agent{Name: "claude-code", Token: "secret", Grants: grants})
	p := open(t, chrome, w.url, desktop)
	p.look("agent")
	p.do(chromedp.SendKeys(chromedp.CSS("#scene"), "Prompt"))
	p.press("#send")
	p.tap("discord", "Allow for 8 h")
	p.sees("#grants", "Bash: npm test")
	p.sees("#grants", "Allowed by Dana until")
	p.sees("#grants", "not used yet")
	p.sees("#exchanges", "Bash: npm test → allow")
	for _, times := range []string{"used once", "used 2 times"} {
		p.press("#send")
		p.sees("#toast", "Approved automatically by an active grant from Dana.")
		p.sees("#grants", times)
	}
	if n := js[int](p, "document.querySelectorAll('.pane.slack .message').length"); n != 1 {
		t.Errorf("there are %d cards for three calls", n)
	}
	p.shoot("active grant")
	p.accessible("the grants")
	p.do(resize(phone))
	p.shoot("active grant on a phone")
	p.do(resize(desktop))
	p.press("#grants button")
	p.sees("#toast", "Revoked. The next call needs approval again.")
	p.wait("document.getElementById('grants').hidden")
	p.press("#send")
	p.wait("document.querySelectorAll('.pane.slack .message').length === 2")
	p.sees(on("slack", ".message:last-of-type"), "Allow for 8 h")
}

func playInspect(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: oneQuestion})
	p := open(t, chrome, w.url, desktop)
	p.tap("discord", "Other…")
	p.sees(on("discord", ".form h2"), "Other answer")
	p.press(on("discord", "[data-close]"))
	p.tap("slack", "Postgres")
	p.sees(on("discord", ".message"), "Answered by Dana on Slack")
	p.sees(on("slack", ".closed"), "Closed")
	p.press(on("slack", ".inspect"))
	p.sees("#inspected", "app → Slack")
	p.sees("#inspected", "chat.postMessage")
	p.sees("#inspected", "block_actions")
	p.sees("#inspected", `"blocks": [`)
	p.press("#inspected li:nth-child(2) summary")
	p.sees("#inspected li:nth-child(2) pre", `"trigger_id"`)
	p.shoot("tools inspect")
	p.look("events")
	p.click(`[...document.querySelectorAll('#events button')].find((b) => b.innerText === 'Discord: Dana pressed “Other…”')`)
	p.sees("#inspected", "message component")
	p.sees("#inspected details[open] pre", `"custom_id"`)
}

func playFaults(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: oneQuestion})
	p := open(t, chrome, w.url, desktop)
	p.look("faults")
	p.sees("#faults", "Rate limit")
	p.shoot("tools faults")
	p.press("#fault-slack-error")
	p.sees("#faults", "Pending on Slack: Server error")
	p.press("#clear-slack")
	p.wait("!document.getElementById('clear-slack')")
	p.press("#fault-slack-twice")
	p.sees("#faults", "Pending on Slack: Double delivery")
	p.tap("slack", "Postgres")
	p.wait("!document.getElementById('clear-slack')")
	p.sees(on("slack", ".message"), "Answered by")
	p.press("#control-wave")
	p.sees("#toast", "Hello.")
	if js[bool](p, "!!document.querySelector('#faults #control-hour')") {
		t.Error("the faults include skipping ahead")
	}
	p.look("agent")
	p.press("#skips #control-hour")
	p.sees("#toast", "It is later.")
	if faulted := w.Slack.Timeline().Events(chatsim.Faulted); len(faulted) != 1 || faulted[0].Text != "twice" {
		t.Errorf("what went wrong is %v", faulted)
	}
}

func playReload(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	for range 2 {
		w.asks(ask.Request{Questions: oneQuestion})
		for _, platform := range []string{"slack", "discord"} {
			w.must(w.Discord.Await(t.Context(), func() bool { return strings.Contains(w.Discord.Seat(danaOnDiscord).Sees(), "Postgres") }))
			w.must(w.Slack.Await(t.Context(), func() bool { return strings.Contains(w.Slack.Seat("U0000001").Sees(), "Postgres") }))
			if platform == "slack" {
				w.must(w.Slack.Seat("U0000001").Press(t.Context(), "Postgres"))
			}
		}
	}
	p := open(t, chrome, w.url, desktop)
	times := js[[]string](p, "[...document.querySelectorAll('#events time')].map((e) => e.dateTime.slice(0, 23).padEnd(23, '0'))")
	if len(times) < 8 || !slices.IsSorted(times) {
		t.Errorf("the events are in the order of %q", times)
	}
}

func (w *town) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func playBelow(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: manyQuestions()[:4], Responders: []string{"slack:U0000002", "discord:300000000000000002"}})
	p := open(t, chrome, w.url, size{1280, 500, false})
	p.sees(on("slack", ".message"), "What about part 1")
	p.do(chromedp.Evaluate[chromedp.Void]("document.getElementById('slack-messages').scrollTop = 0"))
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.slack .message input').click()`))
	p.sees(on("slack", ".jump"), "Only you: This is not yours to answer.")
	p.shoot("below the fold")
	p.press(on("slack", ".jump"))
	p.wait("document.querySelector('.slack .jump').hidden")
	p.wait("document.querySelector('.slack .only-you').getBoundingClientRect().bottom <= innerHeight")
}

func playTablet(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: twoQuestions})
	p := open(t, chrome, w.url, tablet)
	p.sees(on("discord", ".message"), "Which checks")
	p.shoot("tablet")
	narrow := js[[]float64](p, "[...document.querySelectorAll('.chat')].map((e) => e.getBoundingClientRect().width).filter((w) => w < 400)")
	if len(narrow) > 0 {
		t.Errorf("chats are squeezed to %v pixels", narrow)
	}
	hidden := js[[]string](p, `[...document.querySelectorAll('.channel')].filter((e) => !e.checkVisibility() || e.getBoundingClientRect().width < 20).map((e) => e.innerText)`)
	if len(hidden) > 0 {
		t.Errorf("channels are hidden: %q", hidden)
	}
	p.look("agent")
	p.shoot("tablet tools")
	p.do(chromedp.KeyEvent("\u001b"))
	p.wait("!document.body.classList.contains('panel-open')")
}

func playNote(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: oneQuestion, Responders: []string{"slack:U0000002", "discord:300000000000000002"}})
	p := open(t, chrome, w.url, desktop)
	p.sees("#events", "Slack: The app posted")
	before := strings.Count(p.text("#events"), "notified") // The card itself mentions its responders.
	for _, platform := range []string{"slack", "discord"} {
		p.tap(platform, "Postgres")
		p.sees(on(platform, ".only-you"), "@Sam")
	}
	p.sees("#events", "The app sent a message that only Dana can see: This is not yours to answer.")
	if shown := p.text("#events"); strings.Count(shown, "notified") != before {
		t.Errorf("timeline:\n%s", shown)
	}
}

func playNames(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: []ask.Question{{Text: "What should customers know?", Header: "Notes"}}})
	p := open(t, chrome, w.url, desktop)
	for _, platform := range []string{"slack", "discord"} {
		p.tap(platform, "Answer…")
		p.sees(on(platform, ".form .label"), "Your answer")
		p.press(on(platform, "[data-submit]"))
		p.sees(on(platform, ".form .error"), "required")
		p.press(on(platform, "[data-close]"))
		p.lacks(on(platform, ".form"))
	}
	p.sees("#events", "Slack: The form of Dana was rejected: Your answer: Please complete this required field.")
	p.sees("#events", "Notes · What should customers know?")
	p.sees("#events", "Discord: The form of Dana was rejected: Your answer: This field is required.")
	p.look("events")
	p.shoot("tools timeline")
	if shown := p.text("#events"); strings.Contains(shown, "q0") {
		t.Errorf("timeline:\n%s", shown)
	}
}

func playKeyboard(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	p := open(t, chrome, w.url, desktop)
	p.do(chromedp.Evaluate[chromedp.Void]("document.getElementById('tab-agent').focus()"))
	for _, tool := range []string{"events", "inspect", "faults", "agent"} {
		p.do(chromedp.KeyEvent(kb.ArrowRight))
		p.wait(fmt.Sprintf("document.activeElement.id === 'tab-%s' && !document.getElementById('%s-panel').hidden", tool, tool))
	}
}

func TestInspectMissingMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, want := range map[string]int{
		"/api/inspect": 404, "/api/inspect?platform=irc&message=1": 404, "/api/inspect?platform=slack": 404, "/api/inspect?platform=slack&message=1.2": 200,
	} {
		rec := httptest.NewRecorder()
		w.server.Config.Handler.ServeHTTP(rec, local(t, http.MethodGet, path, ""))
		if rec.Code != want {
			t.Errorf("%s: %d, want %d", path, rec.Code, want)
		}
	}
	for body, want := range map[string]int{
		`{"platform":"slack","fault":"rate"}`: 200, `{"platform":"slack","fault":"sockets"}`: 200,
		`{"platform":"slack","fault":"fire"}`: 404, `{"platform":"irc","fault":"rate"}`: 404, `{"control":"wave"}`: 404, `{}`: 404, `[]`: 400,
	} {
		rec := httptest.NewRecorder()
		w.server.Config.Handler.ServeHTTP(rec, local(t, http.MethodPost, "/api/faults", body))
		if rec.Code != want {
			t.Errorf("%s: %d, want %d", body, rec.Code, want)
		}
	}
}
