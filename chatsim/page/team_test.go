package page_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
)

const (
	danaOnSlack  = "U0000001"
	samOnSlack   = "U0000002"
	samOnDiscord = "300000000000000002"
)

// moment is a card that several people see, or one with more than an answer, after its play.
type moment struct {
	name string
	asks ask.Request
	play func(w *town, r *client.Request)
	// shows is what both cards show then.
	shows string
}

// does fails the test if an act of a person fails.
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
				w.does((chatsim.Hand{Seat: dana}).Rare(w.t.Context(), "Ask the agent…"))
				w.does(dana.AwaitText(w.t.Context(), "Your question"))
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
			name: "quorum", shows: "Postgres 1 of 3", asks: ask.Request{Questions: oneQuestion, Voting: ask.Voting{Mode: ask.Quorum, Need: 3}},
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
				w.does((chatsim.Hand{Seat: dana}).Rare(w.t.Context(), "Pass to…"))
				w.does(dana.AwaitText(w.t.Context(), "Person to answer instead"))
				w.does(dana.Pick(w.t.Context(), "", "Sam"))
				w.does(dana.Submit(w.t.Context()))
				w.does(w.World.Discord.Seat(danaOnDiscord).AwaitText(w.t.Context(), "→ Sam (Slack)"))
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
				w.does((chatsim.Hand{Seat: w.Slack.Seat(danaOnSlack)}).Rare(w.t.Context(), "Add a note…"))
			},
		},
		{
			name: "withdrawn", shows: "Withdrawn", asks: ask.Request{Questions: twoQuestions},
			play: func(w *town, r *client.Request) {
				_, err := w.agent.Cancel(w.t.Context(), r.ID, "The release was called off.")
				w.does(err)
			},
		},
		{
			name: "written in reply", shows: "Answered by", asks: ask.Request{Questions: oneQuestion, Replies: ask.Replies{Mode: ask.RepliesText}},
			play: func(w *town, _ *client.Request) {
				w.does(w.Slack.Seat(danaOnSlack).Answer("maybe 2"))
				w.does(w.Slack.Seat(danaOnSlack).AwaitText(w.t.Context(), "That was not taken as an answer."))
				w.does(w.World.Discord.Seat(danaOnDiscord).Answer("SQLite, I think"))
				w.does(w.World.Discord.Seat(danaOnDiscord).AwaitText(w.t.Context(), "That was not taken as an answer."))
				w.does(w.World.Discord.Seat(danaOnDiscord).Answer("2"))
				w.does(w.World.Discord.Seat(danaOnDiscord).AwaitText(w.t.Context(), "Taken as the answer"))
			},
		},
		{
			name: "asked back in place of an answer", shows: "Which environment?", asks: ask.Request{Questions: oneQuestion, AskBack: ask.AskBackEnd},
			play: func(w *town, _ *client.Request) {
				dana := w.World.Discord.Seat(danaOnDiscord)
				w.does((chatsim.Hand{Seat: dana}).Rare(w.t.Context(), "Ask the agent…"))
				w.does(dana.AwaitText(w.t.Context(), "Your question"))
				w.does(dana.Fill(w.t.Context(), "", "Which environment?"))
				w.does(dana.Submit(w.t.Context()))
			},
		},
		{
			name: "undone", shows: "Postgres", asks: ask.Request{Questions: oneQuestion, Hold: ask.MaxHold},
			play: func(w *town, _ *client.Request) {
				for _, seat := range []chatsim.Seat{w.Slack.Seat(danaOnSlack), w.World.Discord.Seat(danaOnDiscord)} {
					dana := chatsim.Hand{Seat: seat}
					w.does(dana.Use(w.t.Context(), "Postgres"))
					w.does(dana.Use(w.t.Context(), "Undo"))
				}
			},
		},
		{
			name: "the agent has it", shows: "has the answer", asks: ask.Request{Questions: oneQuestion, Receipts: true},
			play: func(w *town, r *client.Request) {
				w.does(w.Slack.Seat(danaOnSlack).Press(w.t.Context(), "Postgres"))
				w.got(r)
			},
		},
		{
			name: "an answer without acknowledgement", shows: "it may have stopped", asks: ask.Request{Questions: oneQuestion, Receipts: true},
			play: func(w *town, _ *client.Request) {
				w.does(w.Slack.Seat(danaOnSlack).Press(w.t.Context(), "Postgres"))
				w.later("does not have the answer yet", 11*time.Minute)
			},
		},
		{
			name: "files below the card", shows: "sha256", asks: ask.Request{
				Questions: oneQuestion, Agent: "review-bot", Context: "Retries wait for longer each time.",
				Files: []ask.File{{Name: "retry.diff", Text: "-\ttime.Sleep(time.Second)\n+\ttime.Sleep(backoff(n))\n"}, {Name: "tests.log", Text: "ok\n"}},
			},
			play: func(w *town, _ *client.Request) {
				w.does(w.Slack.Seat(danaOnSlack).AwaitText(w.t.Context(), "[Postgres]"))
				w.does(w.World.Discord.Seat(danaOnDiscord).AwaitText(w.t.Context(), "[Postgres]"))
			},
		},
		{
			name: "reminded, and more people asked", shows: "also asked", asks: ask.Request{
				Questions: oneQuestion, Responders: []string{"slack:" + danaOnSlack, "discord:" + danaOnDiscord},
				Schedule: ask.Schedule{Steps: []ask.Step{
					{After: time.Hour, Do: ask.Remind},
					{After: 2 * time.Hour, Do: ask.Add, Responders: []string{"slack:" + samOnSlack, "discord:" + samOnDiscord}},
					{After: 5 * time.Hour, Do: ask.Remind},
				}},
			},
			play: func(w *town, _ *client.Request) {
				stranger := w.Slack.Seat("U0000003") // Any act triggers due changes.
				w.later("[Postgres]", 61*time.Minute)
				w.does(stranger.Press(w.t.Context(), "Postgres"))
				w.later("is waiting", time.Hour)
				w.does(stranger.Press(w.t.Context(), "Postgres"))
			},
		},
		{
			name: "a change to allow", shows: "id % shards", asks: changed(),
		},
		{
			name: "decided by two", shows: "Closed", asks: ask.Request{Questions: oneQuestion, Voting: ask.Voting{Mode: ask.Quorum, Need: 2}},
			play: func(w *town, _ *client.Request) { w.both("Postgres", "Postgres") },
		},
		{
			name: "in German", shows: "Andere Antwort…", asks: ask.Request{
				Questions: oneQuestion, Language: "de", Replies: ask.Replies{Mode: ask.RepliesText}, AskBack: ask.AskBackStay,
				Schedule: ask.Schedule{PassOn: true, ClaimFor: time.Hour, Steps: []ask.Step{{After: time.Hour, Do: ask.Remind}}},
			},
		},
	}
}

// later puts the bridge's clock forward once both cards show something.
func (w *town) later(shows string, d time.Duration) {
	w.t.Helper()
	w.does(w.Slack.Seat(danaOnSlack).AwaitText(w.t.Context(), shows))
	w.does(w.World.Discord.Seat(danaOnDiscord).AwaitText(w.t.Context(), shows))
	w.ahead.Add(int64(d))
}

// changed is what an agent host asks about a change of a file.
func changed() ask.Request {
	d, _ := dialect.Get("claude")
	call := must(d.Decode([]byte(`{"session_id":"sim","cwd":"/home/dana/ledger","hook_event_name":"PermissionRequest","tool_name":"Edit","tool_input":`+
		`{"file_path":"internal/ledger/shard.go","old_string":"func Shard(id int) int {\n\treturn 0\n}","new_string":"func Shard(id int) int {\n\treturn id % shards\n}"}}`), nil))
	call.Request.Responders = []string{"slack:" + danaOnSlack, "discord:" + danaOnDiscord}
	return call.Request
}

// answerable is the text of an open card in a language.
var answerable = map[string]string{"": "can answer", "de": "antworten"}

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

// The arrow at the corner of an open card opens a field for a message in reply, which answers it.
func TestTypedReplies(t *testing.T) {
	t.Parallel()
	w := settle(t, &askbridgetest.Options{
		Typed: true, Slack: &slacksim.Options{Patience: time.Minute}, Discord: &discordsim.Options{Patience: time.Minute},
	})
	p := open(t, browser(t), w.url, desktop)
	w.asks(ask.Request{Questions: oneQuestion, Replies: ask.Replies{Mode: ask.RepliesLabels}})
	for _, platform := range []string{"slack", "discord"} {
		p.sees(on(platform, ".message"), "can answer")
		p.press(on(platform, ".message .write"))
		p.sees(on(platform, ".writing"), "Reply")
	}
	p.accessible("writing in reply")
	p.shoot("both writing in reply")
	p.write("#slack-words", "maybe 2\r")
	p.sees(on("slack", ".only-you"), "That was not taken as an answer.")
	p.write("#discord-words", "2\r")
	p.sees(on("discord", ".message:last-child"), "Taken as the answer of Dana: “SQLite”.")
	p.sees(on("slack", ".message"), "Answered by Dana on Discord")
	p.press(on("slack", ".writing .icon-button"))
	p.lacks(on("slack", ".writing:not([hidden])"))
}

func playMoment(t *testing.T, chrome context.Context, name string, m moment) {
	t.Helper()
	w := settle(t, &askbridgetest.Options{
		Typed: true, Slack: &slacksim.Options{Patience: time.Minute}, Discord: &discordsim.Options{Patience: time.Minute},
	})
	p := open(t, chrome, w.url, size{1280, 1100, false})
	r := w.asks(m.asks)
	platforms := []string{"slack", "discord"}
	for _, platform := range platforms {
		p.sees(on(platform, ".message"), answerable[m.asks.Language])
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
