//go:build faults

package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/test/redistest"
)

// alone is a world with one platform and a Redis of its own.
func alone(t *testing.T, platform string) *World {
	t.Helper()
	return NewWorld(t, onlyOn(platform, redistest.Start(t)))
}

// onlyOn is a setup with one platform that posts what people do.
func onlyOn(platform string, redis *redistest.Server) Setup {
	s := Setup{Redis: redis.Addr}
	if platform == Discord {
		s.Discord = "http"
	} else {
		s.Slack = "http"
	}
	return s
}

// to returns the replica's connection to a platform.
func (r *Replica) to(platform string) *Wire {
	if platform == Discord {
		return r.ToDiscord
	}
	return r.ToSlack
}

// The beginnings of the calls that post and update.
var (
	posting  = map[string]string{Slack: "POST /api/chat.postMessage", Discord: DiscordChannel + "/messages HTTP"}
	updating = map[string]string{Slack: "POST /api/chat.update", Discord: DiscordChannel + "/messages/"}
)

// posted counts all cards ever posted.
func (w *World) posted(platform string) int {
	if platform == Discord {
		return len(w.Discord.Timeline().Events(chatsim.Posted))
	}
	return len(w.Slack.Timeline().Events(chatsim.Posted))
}

// answered checks that a request ended with this one answer.
func answered(t testing.TB, r *client.Request, label string) {
	t.Helper()
	if r.State != ask.Answered || len(r.Answers) != 1 || strings.Join(r.Answers[0].Selected, ",") != label {
		t.Errorf("ended as %s with %+v, want %s", r.State, r.Answers, label)
	}
}

// strikes kills the replica when a hook is called.
func strikes(r *Replica) func() Fate {
	return func() Fate {
		r.Strike()
		return Cut
	}
}

// losesTheReply loses the reply to a press that draws the final card. The connector does not notice, so the card is
// drawn again at the next press.
func (c *claims) losesTheReply(t *testing.T) {
	t.Helper()
	Watch(t, Shown{Metrics: []string{`askbridge_acts_total{verdict="closed"} > 0`}})
	w := alone(t, Discord)
	r := w.Start()
	w.Forgive(unheard...)
	a := w.Asks(Question(Discord, "k"))
	w.SubmitsPosted(Question(Discord, "k"))
	lost := r.In.LoseReply("POST /discord/interactions")
	dana, sam := w.Dana(Discord), w.Sam(Discord)
	if err := dana.Presses("SQLite"); err == nil {
		t.Error("Discord has the reply that was lost")
	}
	<-lost
	c.agent(func() { answered(t, a.Ends(), "SQLite") })
	c.person(func() {
		sam.Awaits("[Postgres]")
		sam.Insists("Postgres")
		sam.Awaits("Already answered by Dana: SQLite")
		sam.AwaitsClosed()
	})
}

func crashes() []row {
	return []row{
		{
			number: 1, name: "a replica dies after storing an answer, before updating the card",
			person: "the buttons for up to two more seconds, then the final card; on Discord until the next click, if the reply to a click was lost too", agent: "the answer, from any replica",
			kept:  "the answer",
			shown: Shown{Metrics: []string{`askbridge_platform_calls_total{op="update",result="ok"} > 0`}}, note: "on the replica that takes over; `acts_total{verdict=\"closed\"}` for a second click",
			play: func(_ *testing.T, c *claims) {
				c.t.Run("a lost reply", func(t *testing.T) {
					t.Parallel()
					c.losesTheReply(t)
				})
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					first := w.Start()
					w.Start()
					first.TakesClicks()
					a := w.Asks(Question(platform, "k"))
					made := w.SubmitsPosted(Question(platform, "k"))
					dana := w.Dana(platform)
					if platform == Discord {
						// On Discord, the reply to the click draws the card.
						first.ToRedis.AtReply(swapping(made.ID), strikes(first))
					} else {
						first.ToSlack.AtCall(updating[Slack], strikes(first))
					}
					_ = dana.Presses("SQLite") // The acknowledgement does not matter.
					died := time.Now()
					first.Dies()
					c.person(func() {
						dana.Awaits("SQLite", "Dana")
						dana.AwaitsClosed()
						if took := time.Since(died); took > record.EndLease+promptly {
							t.Errorf("the buttons stayed for %s", took)
						}
					})
					c.agent(func() { answered(t, a.Ends(), "SQLite") })
					c.kept(func() { answered(t, w.Submits(Question(platform, "k")), "SQLite") })
				})
			},
		},
		{
			number: 2, name: "a replica dies before the answer is recorded",
			person: "the platform's failure message; the buttons still work", agent: "keeps waiting",
			kept:  "the open question",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="completed"} > 0`}}, note: "on the next replica; `up` of this one",
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					first := w.Start()
					a := w.Asks(Question(platform, "k"))
					made := w.SubmitsPosted(Question(platform, "k"))
					dana := w.Dana(platform)
					first.ToRedis.AtCall(swapping(made.ID), strikes(first))
					c.person(func() {
						if err := dana.Presses("SQLite"); err == nil {
							t.Error("the click was acknowledged")
						}
						dana.Awaits("[SQLite]")
					})
					first.Dies()
					w.Start()
					c.kept(func() {
						if r := w.Gets(made.ID); r.State != ask.Open || len(r.Answers) > 0 {
							t.Errorf("request = %+v", r)
						}
					})
					c.agent(func() {
						if !a.Waits() {
							t.Error("the agent has a result")
						}
						dana.Insists("Postgres")
						answered(t, a.Ends(), "Postgres")
					})
					dana.AwaitsClosed()
				})
			},
		},
		{
			number: 3, name: "a replica dies after posting a card, before storing the message ID",
			person: "one card on Discord, at most two on Slack; a click on either counts, and both close", agent: "the answer",
			kept:  "the answer and the clicked card",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="completed"} > 0`}}, note: "on the replica that takes over",
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					first := w.Start()
					first.to(platform).AtReply(posting[platform], strikes(first))
					a := w.Asks(Question(platform, "k"))
					first.Dies()
					w.Start()
					dana := w.Dana(platform)
					dana.Awaits("[SQLite]")
					dana.Insists("SQLite")
					c.agent(func() { answered(t, a.Ends(), "SQLite") })
					c.person(func() {
						dana.AwaitsClosed()
						if n, most := w.posted(platform), map[string]int{Slack: 2, Discord: 1}[platform]; n > most {
							t.Errorf("%d cards were posted", n)
						}
					})
					c.kept(func() {
						r := w.Submits(Question(platform, "k"))
						answered(t, r, "SQLite")
						if r.Delivery[0].Message == "" {
							t.Errorf("the card is unknown: %+v", r.Delivery)
						}
					})
				})
			},
		},
	}
}
