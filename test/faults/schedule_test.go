//go:build faults

package faults

import (
	"sync/atomic"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
)

// rings counts how often people were notified.
func (w *World) rings(platform string) int {
	if platform == Discord {
		return len(w.Discord.Timeline().Events(chatsim.Rung))
	}
	return len(w.Slack.Timeline().Events(chatsim.Rung))
}

// looking is the beginning of the call that searches below a card.
var looking = map[string]string{Slack: "/api/conversations.replies", Discord: "/messages?limit="}

func schedules() []row {
	return []row{
		{
			number: 35, name: "a replica dies around a scheduled reminder or escalation",
			person: "one notification, slightly late", agent: "keeps waiting, then the answer",
			kept:  "the step, once",
			shown: Shown{Metrics: []string{`askbridge_requests_ended_total{state="answered"} > 0`}}, note: "on the replica that takes over; `askbridge audit show` lists the step once",
			play: func(_ *testing.T, c *claims) {
				for _, announced := range []bool{false, true} {
					c.on(func(t *testing.T, platform string) {
						w := alone(t, platform)
						first := w.Start()
						first.TakesClicks()
						who := map[string]string{Slack: "slack:" + DanaOnSlack, Discord: "discord:" + DanaOnDiscord}[platform]
						q := Question(platform, "k")
						q.Responders = []string{who}
						q.Schedule = ask.Schedule{Steps: []ask.Step{{After: ask.MinStep, Do: ask.Remind}}}
						a := w.Asks(q)
						made := w.SubmitsPosted(q)
						if announced {
							first.to(platform).AtReply(posting[platform], strikes(first))
						} else {
							first.to(platform).AtCall(posting[platform], strikes(first))
						}
						first.Dies()
						second := w.Start()
						var looked atomic.Bool
						second.to(platform).AtReply(looking[platform], func() Fate {
							looked.Store(true)
							return Pass
						})
						Await(t, "the next replica to look below the card", looked.Load)
						Await(t, "the step to be announced", func() bool { return w.posted(platform) >= 2 })
						c.kept(func() {
							if r := w.Gets(made.ID); len(r.Steps) != 1 || !r.Steps[0].Done || r.State != ask.Open {
								t.Errorf("request = %+v", r)
							}
						})
						second.TakesClicks()
						c.agent(func() {
							if !a.Waits() {
								t.Error("the agent has a result")
							}
							w.Dana(platform).Insists("Postgres")
							answered(t, a.Ends(), "Postgres")
						})
						c.person(func() {
							w.Dana(platform).AwaitsClosed()
							if posts, rings := w.posted(platform), w.rings(platform); posts != 2 || rings != 2 {
								t.Errorf("there were %d messages, which rang %d times, want 2", posts, rings)
							}
						})
					})
				}
			},
		},
	}
}
