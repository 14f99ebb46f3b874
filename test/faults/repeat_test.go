//go:build faults

package faults

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/test/redistest"
)

func repeats() []row {
	return []row{
		{
			number: 13, name: "an agent disconnects and retries the tool call",
			person: "one card", agent: "the same request and its answer",
			kept:  "one request",
			shown: Shown{Metrics: []string{`askbridge_http_requests_total{method="POST",code="200"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					one := w.Start()
					w.Start()
					made := w.SubmitsPosted(Question(platform, "k"))
					ctx, leave := context.WithCancel(t.Context())
					left := make(chan error, 1)
					go func() {
						_, err := one.Agent.Ask(ctx, Question(platform, "k"))
						left <- err
					}()
					leave()
					<-left
					a := w.Asks(Question(platform, "k"))
					dana := w.Dana(platform)
					c.person(func() {
						if err := dana.Presses("SQLite"); err != nil {
							t.Error(err)
						}
						dana.AwaitsClosed()
						if n := w.posted(platform); n != 1 {
							t.Errorf("%d cards were posted", n)
						}
					})
					c.agent(func() {
						r := a.Ends()
						answered(t, r, "SQLite")
						if r.ID != made.ID {
							t.Errorf("%s became %s", made.ID, r.ID)
						}
					})
					c.kept(func() { answered(t, w.Submits(Question(platform, "k")), "SQLite") })
				})
			},
		},
		{
			number: 14, name: "an agent reuses a tool call ID for another question",
			person: "the first question, unchanged", agent: "409 with the ID of the first",
			kept: "the first question", do: "use a new ID",
			shown: Shown{Metrics: []string{`askbridge_http_requests_total{method="POST",code="409"} > 0`}},
			play: func(t *testing.T, c *claims) {
				w := alone(t, Slack)
				w.Start()
				made := w.SubmitsPosted(Question(Slack, "k"))
				other := Question(Slack, "k")
				other.Questions[0].Text = "Which cloud?"
				c.agent(func() {
					_, err := w.Agent.Submit(t.Context(), other)
					if status, _ := problem(err); status != http.StatusConflict || !strings.Contains(err.Error(), made.ID) {
						t.Errorf("got %v", err)
					}
				})
				c.person(func() {
					if sees := w.Dana(Slack).Sees(); !strings.Contains(sees, "Which database") || strings.Contains(sees, "cloud") {
						t.Errorf("the person sees:\n%s", sees)
					}
				})
				c.kept(func() {
					if r := w.Gets(made.ID); r.State != ask.Open || r.Questions[0].Text != made.Questions[0].Text {
						t.Errorf("kept as %+v", r)
					}
				})
			},
		},
		{
			number: 15, name: "two people click at once on two replicas",
			person: "the slower one sees who decided and what", agent: "one answer",
			kept:  "the first answer",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="closed"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					w.Start()
					w.Start()
					for n := range 8 {
						q := Question(platform, fmt.Sprintf("k%d", n))
						made := w.SubmitsPosted(q)
						var both sync.WaitGroup
						for hand, label := range map[*Hand]string{w.Dana(platform): "Postgres", w.Sam(platform): "SQLite"} {
							both.Go(func() { _ = hand.Presses(label, "database for "+q.ToolCallID) }) // The button may be gone.
						}
						both.Wait()
						r := w.Asks(q).Ends()
						c.agent(func() {
							if r.State != ask.Answered || len(r.Answers) != 1 || len(r.Answers[0].Selected) != 1 {
								t.Fatalf("ended as %+v", r)
							}
						})
						c.kept(func() { answered(t, w.Gets(made.ID), r.Answers[0].Selected[0]) })
						loser := w.Dana(platform)
						if r.By.Key() == loser.ID {
							loser = w.Sam(platform)
						}
						c.person(func() {
							loser.AwaitsClosed()
							loser.Awaits(r.Answers[0].Selected[0])
						})
					}
				})
			},
		},
		{
			number: 16, name: "the platform delivers a click to two replicas",
			person: "one effect", agent: "one answer",
			kept:  "one answer",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="repeated"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				for _, way := range []string{"slack http", "discord http", "discord gateway"} {
					c.t.Run(way, func(t *testing.T) {
						t.Parallel()
						platform, mode, _ := strings.Cut(way, " ")
						s := onlyOn(platform, redistest.Start(t))
						if mode == "gateway" {
							// On Discord, each replica has a session, and each session gets each click.
							s.Discord = mode
						}
						w := NewWorld(t, s)
						w.Forgive("gateway.identify") // Two replicas at once exceed Discord's limit and retry.
						w.Start()
						w.Start()
						made := w.SubmitsPosted(Question(platform, "k"))
						if mode == "http" {
							w.fault(platform, "interactions", chatsim.Twice())
						}
						dana := w.Dana(platform)
						c.person(func() {
							if err := dana.Presses("SQLite"); err != nil {
								t.Error(err)
							}
							dana.AwaitsClosed()
							if sees := dana.Sees(); strings.Contains(sees, "Already") || strings.Contains(sees, "Nothing was recorded") {
								t.Errorf("the person sees:\n%s", sees)
							}
						})
						c.agent(func() { answered(t, w.Asks(Question(platform, "k")).Ends(), "SQLite") })
						c.kept(func() { answered(t, w.Gets(made.ID), "SQLite") })
					})
				}
			},
		},
		{
			number: 17, name: "the platform redelivers an old click after a newer one",
			person: "the newer choice", agent: "the newer choice",
			kept:  "the newer choice",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="repeated"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					w.Start()
					q := Question(platform, "k")
					second := q.Questions[0]
					second.Text = "Which cache?"
					q.Questions = append(q.Questions, second)
					made := w.SubmitsPosted(q)
					dana := w.Dana(platform)
					first := w.Balancer.Interactions()
					chooses(t, dana, platform, "database", "Postgres")
					if platform == Discord { // A new form each time.
						sends(t, dana)
						first++
					}
					chooses(t, dana, platform, "database", "SQLite")
					if platform == Discord {
						sends(t, dana)
					}
					if status, err := w.Balancer.Redeliver(t.Context(), first); err != nil || status != http.StatusOK {
						t.Errorf("delivered again: %d, %v", status, err)
					}
					chooses(t, dana, platform, "cache", "Postgres")
					if err := dana.Presses("Submit"); err != nil {
						t.Error(err)
					}
					r := w.Asks(q).Ends()
					c.agent(func() {
						if r.State != ask.Answered || strings.Join(r.Answers[0].Selected, "") != "SQLite" {
							t.Errorf("ended as %+v", r)
						}
					})
					c.person(func() {
						dana.AwaitsClosed()
						dana.Awaits("SQLite")
					})
					c.kept(func() {
						if r := w.Gets(made.ID); r.Text != "Which database for k?\nSQLite\n\nWhich cache?\nPostgres" {
							t.Errorf("kept as %q", r.Text)
						}
					})
				})
			},
		},
	}
}

// sends submits the open form.
func sends(t *testing.T, h *Hand) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := h.Submit(ctx); err != nil {
		t.Errorf("send: %v", err)
	}
}

// chooses picks an option of one of several questions, on Discord in their form.
func chooses(t *testing.T, h *Hand, platform, question, label string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	use := func() error { return h.Pick(ctx, question, label) }
	if platform == Discord {
		use = func() error {
			return chatsim.Hand{Seat: h.Seat, Onward: []string{"Answer…"}}.Choose(ctx, question, label)
		}
	}
	if err := use(); err != nil {
		t.Errorf("choose %s: %v", label, err)
	}
}
