//go:build faults

package faults

import (
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/test/redistest"
)

// heartbeat is Discord's heartbeat interval.
const heartbeat = 41250 * time.Millisecond

func platformTroubles() []row {
	return []row{
		{
			number: 18, name: "a click after the deadline",
			person: "a private note that it expired; the card closes", agent: "`expired`",
			kept:  "the expiry, once",
			shown: Shown{Metrics: []string{`askbridge_requests_ended_total{state="expired"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					w.Start()
					w.fault(platform, updates[platform], chatsim.Status(500).Always()) // So the buttons stay.
					q := Question(platform, "k")
					q.ExpiresIn = 3 * time.Second // Its card must be posted by then.
					made := w.Submits(q)
					a := w.Asks(q)
					dana := w.Dana(platform)
					c.agent(func() {
						if r := a.Ends(); r.State != ask.Expired || len(r.Answers) > 0 {
							t.Errorf("ended as %+v", r)
						}
					})
					if err := dana.Presses("SQLite"); err != nil {
						t.Error(err)
					}
					c.person(func() {
						dana.Awaits("expired", "Nothing was recorded")
						w.clearFaults(platform)
						dana.AwaitsClosed()
					})
					c.kept(func() {
						if r := w.Gets(made.ID); r.State != ask.Expired || len(r.Answers) > 0 {
							t.Errorf("kept as %+v", r)
						}
					})
				})
			},
		},
		{
			number: 20, name: "someone deletes the card",
			person: "a new card, once", agent: "the answer; `lost` for a copy that cannot come back",
			kept:  "the answer",
			shown: Shown{Metrics: []string{`askbridge_platform_calls_total{op="update",result="gone"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.t.Run("open", func(t *testing.T) {
					t.Parallel()
					w := alone(t, Discord)
					w.Start()
					const general = "200000000000000002"
					q := Question(Discord, "k")
					second := q.Questions[0]
					second.Text = "Which cache?"
					q.Questions = append(q.Questions, second)
					q.To = append(q.To, ask.Place{Platform: Discord, Channel: general})
					made := w.SubmitsPosted(q)
					a := w.Asks(q)
					w.Discord.DeleteMessage(DiscordChannel, made.Delivery[0].Message)
					there := w.Hand(Discord, SamOnDiscord, general)
					chooses(t, there, Discord, "database", "SQLite")
					sends(t, there)
					dana := w.Dana(Discord)
					c.person(func() {
						dana.Awaits("Which cache?")
						chooses(t, dana, Discord, "cache", "Postgres")
						sends(t, dana)
						dana.AwaitsClosed()
						there.AwaitsClosed()
					})
					c.agent(func() {
						if r := a.Ends(); r.State != ask.Answered || len(r.Answers) != 2 {
							t.Errorf("ended as %+v", r)
						}
					})
					if n := w.posted(Discord); n != 3 {
						t.Errorf("%d cards were posted", n)
					}
				})
				c.t.Run("decided", func(t *testing.T) {
					t.Parallel()
					w := alone(t, Slack)
					w.Start()
					made := w.SubmitsPosted(Question(Slack, "k"))
					w.Slack.Fault("chat.update", chatsim.Refuse("message_not_found").Always())
					if err := w.Dana(Slack).Presses("SQLite"); err != nil {
						t.Error(err)
					}
					c.kept(func() {
						Await(w, "the copy to be lost", func() bool { return w.Gets(made.ID).Delivery[0].State == client.Lost })
						answered(t, w.Gets(made.ID), "SQLite")
					})
					if n := w.posted(Slack); n != 1 {
						t.Errorf("%d cards were posted", n)
					}
				})
			},
		},
		{
			number: 24, name: "the connection that delivers clicks dies",
			person: "failed clicks until it reconnects", agent: "keeps waiting, then the answer",
			kept: "the question, then the answer", do: "run two replicas",
			shown: Shown{Metrics: []string{`askbridge_platform_connections_total > 1`}},
			play: func(_ *testing.T, c *claims) {
				c.t.Run(Discord, func(t *testing.T) {
					t.Parallel()
					w := NewWorld(t, Setup{Discord: "gateway", Redis: redistest.Start(t).Addr})
					w.Start()
					w.Forgive("ack.in_time")
					a := w.Asks(Question(Discord, "k"))
					dana := w.Dana(Discord)
					dana.Awaits("[SQLite]")
					w.Discord.HalfOpen()
					began := time.Now()
					if err := dana.Presses("SQLite"); err == nil {
						t.Error("the click went through a dead connection")
					}
					c.kept(func() {
						if !a.Waits() {
							t.Error("the agent has a result")
						}
					})
					c.person(func() {
						within(t, 2*heartbeat, "a click to arrive again", func() bool { return dana.Presses("SQLite") == nil })
						t.Logf("clicks arrive again after %s", time.Since(began))
						dana.AwaitsClosed()
					})
					c.agent(func() { answered(t, a.Ends(), "SQLite") })
				})
				c.t.Run(Slack, func(t *testing.T) {
					t.Parallel()
					w := NewWorld(t, Setup{Slack: "socket", Redis: redistest.Start(t).Addr})
					w.Start()
					w.Forgive("ack.in_time")
					a := w.Asks(Question(Slack, "k"))
					dana := w.Dana(Slack)
					dana.Awaits("[SQLite]")
					w.Slack.DropSockets()
					within(t, patience, "a click to arrive again", func() bool { return dana.Presses("SQLite") == nil })
					answered(t, a.Ends(), "SQLite")
					dana.AwaitsClosed()
				})
			},
		},
	}
}

// within waits until ok, for as long as a row allows.
func within(t *testing.T, most time.Duration, what string, ok func() bool) {
	t.Helper()
	late := time.Now().Add(most)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Now().After(late) {
			t.Fatalf("timeout after %s waiting for %s", most, what)
		}
		<-tick.C
	}
}
