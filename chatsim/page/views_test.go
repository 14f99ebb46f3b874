package page_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

// widths are those every view is looked at in: "make shots" writes each in the light and in the dark.
var widths = map[string]size{
	"phone":   {390, 844, true},
	"tablet":  {820, 1180, false},
	"desktop": {1440, 900, false},
}

// Nothing of any view sticks out of the screen or of its place, whatever the width.
func TestEveryViewAtThreeWidths(t *testing.T) {
	t.Parallel()
	chrome := browser(t)
	for name, s := range widths {
		t.Run(name, func(t *testing.T) {
			playEveryView(t, chrome, name, s)
			playEveryCard(t, chrome, name, s)
		})
	}
}

func playEveryView(t *testing.T, chrome context.Context, width string, s size) {
	t.Helper()
	w := newTown(t)
	p := open(t, chrome, w.url, s)
	shoot := func(view string) {
		t.Helper()
		if s.phone {
			p.thumbs(view)
		}
		p.shoot(view + " " + width)
	}
	// turn goes to a platform, where there is one at a time.
	turn := func(platform string) {
		if s.phone {
			p.press(fmt.Sprintf("#platforms [data-platform=%q]", platform))
		}
	}
	p.sees("#slack-messages", "No messages yet")
	shoot("01 nothing yet")
	w.asks(ask.Request{Questions: twoQuestions})
	p.sees(on("slack", ".message"), "Which checks")
	shoot("02 a question")
	turn("discord")
	p.tap("discord", "Answer…")
	p.tick("Smoke tests")
	p.press(on("discord", "[data-submit]"))
	p.sees(on("discord", ".message"), "Chosen: Smoke tests")
	shoot("03 a draft on Discord")
	p.tap("discord", "Answer…")
	p.tick("Postgres")
	shoot("04 a form on Discord")
	p.press(on("discord", "[data-submit]"))
	p.sees(on("discord", ".closed"), "Closed")
	shoot("05 answered on Discord")
	turn("slack")
	p.sees(on("slack", ".closed"), "Closed")
	shoot("06 answered, on Slack")
	w.asks(ask.Request{Questions: manyQuestions()[:4], Responders: []string{"slack:U0000002", "discord:300000000000000002"}})
	p.sees(on("slack", ".message:last-child"), "What about part 4")
	shoot("07 four questions")
	p.tap("slack", "Submit")
	p.sees(on("slack", ".only-you"), "not yours")
	shoot("08 refused in private")
	p.press(`#people [data-person="Sam"]`)
	p.wait(`document.body.dataset.ready === "Sam"`)
	p.tap("slack", "Other…")
	p.sees(on("slack", ".form"), "Other answer")
	p.press(on("slack", "[data-submit]"))
	p.sees(on("slack", ".form .error"), "required")
	shoot("09 a form on Slack")
	p.press(on("slack", "[data-close]"))
	p.lacks(on("slack", ".form"))
	p.look("agent")
	p.press("#exchanges li:first-child summary")
	p.sees("#exchanges", "Copy as")
	shoot("10 the agent's side")
	p.look("events")
	p.sees("#events", "Dana pressed")
	shoot("11 the timeline")
	p.look("faults")
	p.sees("#faults", "Rate limit")
	p.press("#fault-slack-error")
	p.sees("#toast", "Server error: pending on Slack.")
	p.sees("#faults", "Pending on Slack: Server error")
	shoot("12 faults")
	p.press("#panel-close")
	p.press(on("slack", ".message:last-child .inspect"))
	p.sees("#inspected", "app → Slack")
	p.press("#inspected li:nth-child(1) summary")
	shoot("13 behind a message")
}

func playEveryCard(t *testing.T, chrome context.Context, width string, s size) {
	t.Helper()
	p := openGallery(t, chrome, s)
	p.shoot("14 gallery " + width)
	p.write("#search", "ten questions")
	p.wait("[...document.querySelectorAll('.case')].filter((e) => e.checkVisibility()).length < 10")
	p.press("#ten_questions .case-behind summary")
	p.sees("#ten_questions .case-json", `"components": [`)
	if s.phone {
		p.thumbs("15 gallery, searched")
	}
	p.shoot("15 gallery, searched " + width)
	shootCards(t, chrome, width, s)
}
