package page_test

import (
	"context"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// People open their inbox on the page, answer there and see it change.
func TestInboxInABrowser(t *testing.T) {
	t.Parallel()
	chrome := browser(t)
	for name, s := range map[string]size{"wide": {1200, 800, false}, "narrow": {400, 800, true}} {
		t.Run(name, func(t *testing.T) { playInbox(t, chrome, name, s) })
	}
}

func playInbox(t *testing.T, chrome context.Context, width string, s size) {
	t.Helper()
	w := settle(t, &askbridgetest.Options{
		Inbox: true, Slack: &slacksim.Options{Patience: time.Minute}, Discord: &discordsim.Options{Patience: time.Minute},
	})
	dana := []string{"slack:U0000001", "discord:" + danaOnDiscord}
	p := open(t, chrome, w.url, s)
	turn := func(platform string) {
		if s.phone {
			p.press(`#platforms [data-platform="` + platform + `"]`)
		}
	}
	shoot := func(view string) {
		t.Helper()
		if s.phone {
			p.thumbs(view)
		}
		p.shoot("inbox " + view + " " + width)
	}
	p.press(on("slack", `.channel[data-channel="home"]`))
	p.sees(on("slack", ".home"), "nothing waits for you")
	first := w.asks(ask.Request{Agent: "deploy-bot", Questions: oneQuestion, Responders: dana, Schedule: ask.Schedule{PassOn: true}})
	p.sees(on("slack", ".home"), "1 request waits for you")
	w.asks(ask.Request{
		Agent: "ops-bot", Questions: []ask.Question{{Text: "Drop the table?", Header: "Drop", Options: options("Yes", "No")}}, Responders: dana,
		Risk: ask.HighRisk, ExpiresIn: 30 * time.Minute, Voting: ask.Voting{Mode: ask.Quorum, Need: 1},
	})
	w.asks(ask.Request{Agent: "qa-bot", Questions: twoQuestions, Responders: dana})
	p.sees(on("slack", ".home"), "3 requests wait for you")
	shoot("01 home")
	p.accessible("the Home tab " + width)
	p.tap("slack", "Postgres")
	p.sees(on("slack", ".home"), "2 requests wait for you")
	p.sees(on("slack", ".home"), "You decided")
	if got := w.got(first); got == "" {
		t.Error("the agent got no answer")
	}
	shoot("02 answered")

	turn("discord")
	p.press(on("discord", `[data-command="askbridge inbox"]`))
	p.sees(on("discord", ".only-you"), "2 requests wait for you")
	shoot("03 discord")
	p.tap("discord", "Answer…")
	p.sees(on("discord", ".form"), "Which checks")
	p.tick("Smoke tests")
	p.tick("Postgres")
	p.press(on("discord", "[data-submit]"))
	p.sees(on("discord", ".only-you"), "1 request waits for you")
	shoot("04 discord answered")

	turn("slack")
	p.sees(on("slack", ".home"), "1 request waits for you")
	p.press(on("slack", `.channel[data-channel="C0000001"]`))
	p.press(on("slack", `[data-command="/askbridge"]`))
	p.sees(on("slack", ".only-you"), "1 request waits for you")
	shoot("05 command")
	p.press(on("slack", `.channel[data-channel="home"]`))
	p.press(`#people [data-person="Sam"]`)
	p.sees(on("slack", ".home"), "nothing waits for you")
	shoot("06 someone else")
}
