//go:build faults

package faults

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/test/redistest"
)

// promptly is how late a takeover may be on a busy machine: much less than the pause between two polls.
const promptly = 3 * time.Second

func takeovers() []row {
	return []row{
		{
			number: 33, name: "a replica dies before the deadline of its request",
			person: "the card closes on time", agent: "`expired` on time, from any replica",
			kept:  "the expiry",
			shown: Shown{Metrics: []string{`askbridge_requests_ended_total{state="expired"} > 0`}}, note: "on another replica",
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := NewWorld(t, onlyOn(platform, redistest.Start(t)))
					first, second := w.Start(), w.Start()
					q := Question(platform, "k")
					q.ExpiresIn = 6 * time.Second // Well within the fifteen seconds between two polls.
					made, err := first.Agent.Submit(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					first.Kill() // At once, since anything else might take until the deadline.
					w.SubmitsPosted(q)
					a := w.Asks(q)
					dana := w.Dana(platform)
					c.agent(func() {
						for over := false; !over; {
							asked := time.Now()
							r, err := second.Agent.Get(t.Context(), made.ID)
							if err != nil {
								t.Fatal(err)
							}
							if over = asked.After(made.ExpiresAt); over && r.State != ask.Expired {
								t.Errorf("it reads %s after its deadline", r.State)
							}
						}
						r := a.Ends()
						if late := time.Since(made.ExpiresAt); r.State != ask.Expired || late > 2*promptly {
							t.Errorf("it ended as %s, %s late", r.State, late)
						}
					})
					c.person(func() {
						dana.AwaitsClosed()
						if late := time.Since(made.ExpiresAt); late > 2*promptly {
							t.Errorf("the card was closed %s late", late)
						}
					})
					c.kept(func() {
						if r := w.Gets(made.ID); r.State != ask.Expired {
							t.Errorf("kept as %s", r.State)
						}
					})
				})
			},
		},
		{
			number: 34, name: "a client that may only publish on Redis forges an answer",
			person: "nothing", agent: "keeps waiting, then a person's answer",
			kept: "the question, then a person's answer", do: "restrict `publish`",
			shown: Shown{Metrics: []string{`askbridge_requests_ended_total{state="answered"} > 0`}}, note: "once, for the person: a notification without a stored change has no effect",
			play: func(t *testing.T, c *claims) {
				redis := redistest.Start(t)
				w := NewWorld(t, onlyOn(Slack, redis))
				clicked, waits := w.Start(), w.Start()
				clicked.TakesClicks()
				made := w.SubmitsPosted(Question(Slack, "k"))
				got := make(chan string, 1)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					r, err := waits.Agent.Wait(ctx, made.ID)
					if err != nil {
						got <- err.Error()
						return
					}
					got <- fmt.Sprint(r.State, r.Answers[0].Selected)
				}()
				value := strings.TrimSpace(stored(t, redis, made.ID))
				forged := strings.Replace(value, `"state":"open"`, `"state":"answered","answers":[{"i":0,"q":"Which?","selected":["Postgres"]}]`, 1)
				if forged == value {
					t.Fatalf("nothing forged in %s", value)
				}
				_, rest, _ := strings.Cut(forged, " ")
				reads := func() (n int) {
					for line := range strings.Lines(redis.Do("INFO", "commandstats")) {
						if _, err := fmt.Sscanf(line, "cmdstat_get:calls=%d", &n); err == nil {
							return n
						}
					}
					return 0
				}
				for _, message := range []string{
					made.ID + " 99.zz " + rest,            // The format of older versions.
					made.ID + " 99.zz 0:0:0 code " + rest, // The current format.
				} {
					before := reads()
					Await(w, "the forged notification to be looked into", func() bool {
						redis.Do("PUBLISH", "ab:wake", message)
						return reads() > before
					})
				}
				c.agent(func() {
					select {
					case text := <-got:
						t.Fatalf("the agent got %s", text)
					default:
					}
				})
				dana := w.Dana(Slack)
				c.person(func() { dana.Awaits("[SQLite]", "[Postgres]") })
				if err := dana.Presses("SQLite"); err != nil {
					t.Fatal(err)
				}
				if text := <-got; text != "answered[SQLite]" {
					t.Errorf("the agent got %s", text)
				}
				c.kept(func() { answered(t, w.Gets(made.ID), "SQLite") })
				dana.AwaitsClosed()
			},
		},
	}
}
