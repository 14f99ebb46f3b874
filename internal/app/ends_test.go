package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/internal/app/config"
)

func TestOnlyRespondersCanAnswer(t *testing.T) {
	t.Parallel()
	bothModes(t, func(t *testing.T, w *fixture) {
		ctx := t.Context()
		a := w.ask(ask.Request{Questions: []ask.Question{database}, Responders: []string{"slack:" + sam}})
		must(t, a.by(dana).Press(ctx, "Postgres"), a.by(dana).AwaitText(ctx, "not yours to answer", "@Sam"))
		must(t, a.by(sam).Press(ctx, "SQLite"))
		answered(t, a, sam, chosen{[]string{"SQLite"}, ""})

		must(t, a.by(sam).Await(ctx, func(sees string) bool { return !strings.Contains(sees, "[Postgres]") }))
	})
}

func TestAnyoneExcludesOtherWorkspaces(t *testing.T) {
	t.Parallel()
	w := start(t, "http", nil)
	a := w.ask(ask.Request{Questions: []ask.Question{database}})
	must(t, a.by(robin).Press(t.Context(), "Postgres"), a.by(robin).AwaitText(t.Context(), "Only people in this workspace"))
	must(t, a.by(dana).Press(t.Context(), "Postgres"))
	answered(t, a, dana, chosen{[]string{"Postgres"}, ""})
}

func TestGuestAnswersUnlessRefused(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"http", "socket"} {
		w := start(t, mode, nil)
		a := w.ask(ask.Request{Questions: []ask.Question{database}})
		must(t, a.by(gus).Press(t.Context(), "Postgres"))
		answered(t, a, gus, chosen{[]string{"Postgres"}, ""})

		w = start(t, mode, func(c *config.Config) { slackOf(c).Guests = "refuse" })
		a = w.ask(ask.Request{Questions: []ask.Question{database}})
		must(t, a.by(gus).Press(t.Context(), "Postgres"), a.by(gus).AwaitText(t.Context(), "Only people in this workspace"))
		must(t, a.by(dana).Press(t.Context(), "SQLite"))
		answered(t, a, dana, chosen{[]string{"SQLite"}, ""})

		a = w.ask(ask.Request{Questions: []ask.Question{database}, Responders: []string{"slack:" + gus}})
		must(t, a.by(gus).Press(t.Context(), "Postgres"))
		answered(t, a, gus, chosen{[]string{"Postgres"}, ""})
	}
}

func TestLateClickChangesNothing(t *testing.T) {
	t.Parallel()
	w := start(t, "http", nil)
	// Slack rejects the update, so the buttons stay.
	w.slack.Fault("chat.update", chatsim.Status(http.StatusInternalServerError).Always())
	a := w.ask(ask.Request{Questions: []ask.Question{database}, ExpiresIn: soon})
	if r := a.end(); r.State != ask.Expired || len(r.Answers) != 0 || r.Text != "" {
		t.Fatalf("ended as %+v", r)
	}
	must(t, a.by(dana).Press(t.Context(), "Postgres"), a.by(dana).AwaitText(t.Context(), "expired", "Nothing was recorded"))
	if r, err := w.agent.Get(t.Context(), a.ID); err != nil || r.State != ask.Expired || len(r.Answers) != 0 {
		t.Errorf("after the late click: %+v, %v", r, err)
	}
	w.slack.ClearFaults()
	must(t, a.by(dana).Await(t.Context(), func(sees string) bool { return !strings.Contains(sees, "[Postgres]") }))
}

func TestExpiredCardHasNoControls(t *testing.T) {
	t.Parallel()
	w := start(t, "socket", func(c *config.Config) { c.ExpiresIn = config.Expiry(soon) })
	a := w.ask(ask.Request{Questions: []ask.Question{database}})
	if r := a.end(); r.State != ask.Expired {
		t.Fatalf("ended as %+v", r)
	}
	must(t, a.by(dana).Await(t.Context(), func(sees string) bool {
		return strings.Contains(strings.ToLower(sees), "expired") && !strings.Contains(sees, "[Postgres]")
	}))
}

func TestAgentWithdrawsQuestion(t *testing.T) {
	t.Parallel()
	w := start(t, "http", nil)
	a := w.ask(ask.Request{Questions: []ask.Question{database}})
	if _, err := w.agent.Cancel(t.Context(), a.ID, "found it in the docs"); err != nil {
		t.Fatal(err)
	}
	if r := a.end(); r.State != ask.Cancelled || r.Reason != "found it in the docs" || r.By.ID != "" || len(r.Answers) != 0 {
		t.Errorf("ended as %+v", r)
	}
	must(t, a.by(dana).Await(t.Context(), func(sees string) bool { return !strings.Contains(sees, "[Postgres]") }))
}

func TestArchivedChannelFailsAtOnce(t *testing.T) {
	t.Parallel()
	w := start(t, "http", nil)
	w.slack.Archive("C0000002")
	a := w.ask(ask.Request{Questions: []ask.Question{database}, To: []ask.Place{{Platform: "slack", Channel: "C0000002"}}})
	if r := a.end(); r.State != ask.Failed || !strings.Contains(r.Reason, "is_archived") || len(r.Answers) != 0 {
		t.Errorf("ended as %+v", r)
	}
}

func TestFirstAnswerCountsInEveryChannel(t *testing.T) {
	t.Parallel()
	w := start(t, "http", func(c *config.Config) {
		c.Routes = map[string]config.Route{"both": {To: []config.Target{
			{Platform: "slack", Channel: "C0000001"}, {Platform: "slack", User: dana},
		}}}
		c.DefaultRoute = "both"
	})
	made := w.ask(ask.Request{Route: "both", Questions: []ask.Question{database}})
	must(t, w.slack.Seat(dana).In("D0000001").Press(t.Context(), "Postgres"))
	answered(t, made, dana, chosen{[]string{"Postgres"}, ""})
	must(t, w.slack.Seat(sam).In("C0000001").Await(t.Context(), func(sees string) bool {
		return strings.Contains(sees, "Postgres") && !strings.Contains(sees, "[Postgres]")
	}))
}

func TestSameToolCallAsksOnce(t *testing.T) {
	t.Parallel()
	w := start(t, "http", nil)
	r := ask.Request{ToolCallID: "toolu_01", Session: "s1", Questions: []ask.Question{database}}
	first, second := w.ask(r), w.ask(r)
	if first.ID != second.ID {
		t.Errorf("two requests: %s and %s", first.ID, second.ID)
	}
	if n := len(w.slack.Timeline().Events(chatsim.Posted)); n != 1 {
		t.Errorf("%d messages were posted", n)
	}
	must(t, first.by(dana).Press(t.Context(), "Postgres"))
	answered(t, first, dana, chosen{[]string{"Postgres"}, ""})
	answered(t, second, dana, chosen{[]string{"Postgres"}, ""})
}
