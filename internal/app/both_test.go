package app_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func atBoth() []ask.Place { return []ask.Place{slackPlace, discordPlace} }

func TestAnswerClosesCardOnOtherPlatform(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{"slack", "discord"} {
		t.Run("answered on "+platform, func(t *testing.T) {
			t.Parallel()
			w := start(t, "both", nil)
			a := w.ask(ask.Request{Questions: []ask.Question{database, checks}, To: atBoth()})
			there := map[string]*hand{"slack": w.sit(t, a, "slack", dana), "discord": w.sit(t, a, "discord", dana)}
			h := there[platform]
			h.choose(0, "SQLite")
			h.choose(1, "Load")
			if n := len(w.slack.Calls("chat.update")) + len(w.discord.Calls("edit message")); n != 0 {
				t.Errorf("%d cards were updated for picks on the other platform", n)
			}
			h.press("Submit")
			end := a.end()
			if end.State != ask.Answered || end.By.Platform != platform || end.Text != "Which database?\nSQLite\n\nWhich checks?\n- Load" {
				t.Errorf("ended as %s by %s with %q", end.State, end.By.Key(), end.Text)
			}
			for name, h := range there {
				h.closed()
				h.sees("SQLite", "Load", "Dana")
				if name != platform {
					h.sees(strings.ToUpper(platform[:1]) + platform[1:])
				}
			}
		})
	}
}

func TestOneOfTwoPlatformsIsEnough(t *testing.T) {
	t.Parallel()
	w := start(t, "both", nil)
	gone := ask.Place{Platform: "discord", Channel: "299999999999999999"}
	a := w.ask(ask.Request{Questions: []ask.Question{database}, To: []ask.Place{gone, slackPlace}})
	w.sit(t, a, "slack", dana).choose(0, "SQLite")
	end := a.end()
	if end.State != ask.Answered || end.Delivery[0].State != "failed" || end.Delivery[0].Detail == "" || end.Delivery[1].State != "posted" {
		t.Errorf("ended as %s, delivered as %+v", end.State, end.Delivery)
	}
}

func TestRequestFailsWhenBothPlatformsFail(t *testing.T) {
	t.Parallel()
	w := start(t, "both", nil)
	w.slack.Archive("C0000002")
	a := w.ask(ask.Request{Questions: []ask.Question{database}, To: []ask.Place{
		{Platform: "discord", Channel: "299999999999999999"}, {Platform: "slack", Channel: "C0000002"},
	}})
	if end := a.end(); end.State != ask.Failed || !strings.Contains(end.Reason, "is_archived") || !strings.Contains(end.Reason, "discord") {
		t.Errorf("ended as %s: %s", end.State, end.Reason)
	}
}

func TestTwoPeopleOnTwoPlatformsAtOnce(t *testing.T) {
	t.Parallel()
	w := start(t, "both", nil)
	a := w.ask(ask.Request{Questions: []ask.Question{database}, To: atBoth()})
	one, two := w.sit(t, a, "slack", dana), w.sit(t, a, "discord", sam)
	var both sync.WaitGroup
	for h, label := range map[*hand]string{one: "Postgres", two: "SQLite"} {
		both.Go(func() { _ = h.Press(t.Context(), label) })
	}
	both.Wait()
	end := a.end()
	if end.State != ask.Answered || len(end.Answers) != 1 {
		t.Fatalf("ended as %+v", end)
	}
	for _, h := range []*hand{one, two} {
		h.closed()
		h.sees(end.Answers[0].Selected[0])
	}
}

func TestDiscordRoleAnswers(t *testing.T) {
	t.Parallel()
	w := start(t, "discord http", nil)
	w.discord.SetRoles(onDiscord[sam], "400000000000000001")
	a := w.ask(ask.Request{
		Questions: []ask.Question{database}, To: []ask.Place{discordPlace}, Responders: []string{"discord-role:400000000000000001"},
	})
	dana, sam := w.sit(t, a, "discord", dana), w.sit(t, a, "discord", sam)
	dana.press("Postgres")
	dana.sees("not yours to answer", "@deployers")
	sam.choose(0, "SQLite")
	if end := a.end(); end.State != ask.Answered || end.Text != "Which database?\nSQLite" {
		t.Errorf("ended as %s with %q", end.State, end.Text)
	}
}
