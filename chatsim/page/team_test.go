package page_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

const (
	danaOnSlack  = "U0000001"
	samOnSlack   = "U0000002"
	samOnDiscord = "300000000000000002"
)

// moment is a card that several people see, or that says more than that it was answered, as it stands after play.
type moment struct {
	name string
	asks ask.Request
	play func(w *town, r *client.Request)
	// shows is what both cards show then.
	shows string
}

// does fails the test unless what somebody does works.
func (w *town) does(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// both is a press of a button on Slack by one person, and on Discord by another.
func (w *town) both(slack, discord string) {
	w.t.Helper()
	w.does(w.Slack.Seat(danaOnSlack).Press(w.t.Context(), slack))
	w.does(w.World.Discord.Seat(samOnDiscord).Press(w.t.Context(), discord))
}

func teamMoments() []moment {
	long := strings.Repeat("- `ledger` went down twice this week, and nobody knows why.\n", 60)
	context := "Staging is **green** again: see https://ci.example.com/builds/4711 and run `make deploy`."
	notes := ask.Question{Text: "Which region should it run in?", Header: "Region", Options: options("Frankfurt", "Dublin"), Optional: true, Notes: true}
	return []moment{
		{
			name: "asked back", shows: "It has been on staging since Monday.", asks: ask.Request{Questions: oneQuestion, AskBack: ask.AskBackStay},
			play: func(w *town, r *client.Request) {
				dana := w.Slack.Seat(danaOnSlack)
				w.does(dana.Press(w.t.Context(), "Ask…"))
				w.does(dana.AwaitText(w.t.Context(), "Ask the agent"))
				w.does(dana.Fill(w.t.Context(), "", "How long has it been on staging?"))
				w.does(dana.Submit(w.t.Context()))
				_, err := w.agent.Reply(w.t.Context(), r.ID, 1, "It has been on staging since Monday.")
				w.does(err)
			},
		},
		{
			name: "revised into a file", shows: "context-2.txt", asks: ask.Request{Questions: oneQuestion, Agent: "deploy-bot", Context: long},
			play: func(w *town, r *client.Request) {
				next := long + "It is the cable."
				_, err := w.agent.Revise(w.t.Context(), r.ID, ask.Revision{Context: &next})
				w.does(err)
			},
		},
		{
			name: "a context with links", shows: "Runbook", asks: ask.Request{
				Questions: oneQuestion, Agent: "deploy-bot", Context: context,
				Links: []ask.Link{{Label: "Runbook", URL: "https://wiki.example.com/runbooks/ledger"}, {Label: "Build 4711", URL: "https://ci.example.com/builds/4711"}},
			},
		},
		{
			name: "sealed poll", shows: "2 of", asks: ask.Request{
				Questions: oneQuestion, Voting: ask.Voting{Mode: ask.Poll, Show: ask.ShowSealed}, ExpiresIn: time.Hour,
				Responders: []string{"slack:" + danaOnSlack, "discord:" + samOnDiscord, "slack:U0000003"},
			},
			play: func(w *town, _ *client.Request) { w.both("Postgres", "SQLite") },
		},
		{
			name: "quorum", shows: "Postgres – 1", asks: ask.Request{Questions: oneQuestion, Voting: ask.Voting{Mode: ask.Quorum, Need: 3}},
			play: func(w *town, _ *client.Request) { w.both("Postgres", "SQLite") },
		},
		{
			name: "claimed and passed on", shows: "Passed on", asks: ask.Request{
				Questions: oneQuestion, Responders: []string{"slack:" + danaOnSlack, "discord:" + danaOnDiscord},
				Schedule: ask.Schedule{PassOn: true, ClaimFor: time.Hour, Steps: []ask.Step{{After: 2 * time.Hour, Do: ask.Remind}, {After: 5 * time.Hour, Do: ask.Add, Responders: []string{"slack:" + samOnSlack}}}},
			},
			play: func(w *town, _ *client.Request) {
				w.does(w.World.Discord.Seat(danaOnDiscord).Press(w.t.Context(), "I'm on it"))
				dana := w.Slack.Seat(danaOnSlack)
				w.does(dana.Press(w.t.Context(), "Pass to…"))
				w.does(dana.AwaitText(w.t.Context(), "Who answers in your place"))
				w.does(dana.Pick(w.t.Context(), "", "Sam"))
				w.does(dana.Submit(w.t.Context()))
			},
		},
		{
			name: "can be undone", shows: "Undo", asks: ask.Request{Questions: oneQuestion, Hold: ask.MaxHold},
			play: func(w *town, _ *client.Request) {
				w.does(w.Slack.Seat(danaOnSlack).Press(w.t.Context(), "Postgres"))
			},
		},
		{
			name: "may be left", shows: "Region", asks: ask.Request{Questions: []ask.Question{notes, twoQuestions[1]}},
			play: func(w *town, _ *client.Request) {
				w.does(w.World.Discord.Seat(danaOnDiscord).Press(w.t.Context(), "Frankfurt"))
			},
		},
		{
			name: "skipped with a note", shows: "Skip", asks: ask.Request{Questions: []ask.Question{notes}},
			play: func(w *town, _ *client.Request) {
				w.does(w.Slack.Seat(danaOnSlack).Press(w.t.Context(), "Note…"))
			},
		},
		{
			name: "withdrawn", shows: "Withdrawn", asks: ask.Request{Questions: twoQuestions},
			play: func(w *town, r *client.Request) {
				_, err := w.agent.Cancel(w.t.Context(), r.ID, "The release was called off.")
				w.does(err)
			},
		},
	}
}

// Nothing that a team sees sticks out of its place, on a phone and on a desk; "make shots" writes each in the light and
// in the dark, to be looked at.
func TestEveryMomentOfATeam(t *testing.T) {
	t.Parallel()
	chrome := browser(t)
	for n, m := range teamMoments() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			playMoment(t, chrome, fmt.Sprintf("%d %s", 20+n, m.name), m)
		})
	}
}

func playMoment(t *testing.T, chrome context.Context, name string, m moment) {
	t.Helper()
	w := newTown(t)
	p := open(t, chrome, w.url, size{1280, 1100, false})
	r := w.asks(m.asks)
	platforms := []string{"slack", "discord"}
	for _, platform := range platforms {
		p.sees(on(platform, ".message"), "can answer")
	}
	if m.play != nil {
		m.play(w, r)
	}
	for _, platform := range platforms {
		p.sees("#"+platform+"-messages", m.shows)
	}
	p.shoot(name + " desktop")
	p = open(t, chrome, w.url, phone)
	for _, platform := range platforms {
		p.press(fmt.Sprintf("#platforms [data-platform=%q]", platform))
		p.shoot(name + " " + platform + " phone")
	}
}
