//go:build faults

package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/askbridge/askbridge/test/redistest"
)

// drained is how long a replica may take to shut down gracefully.
const drained = 25 * time.Second

func people() []row {
	return []row{
		{
			number: 25, name: "a rolling deployment with SIGTERM",
			person: "no failed click", agent: "nothing: waiting calls move to another replica",
			kept:  "everything",
			shown: Shown{Metrics: []string{`askbridge_http_requests_total{method="GET",code="200"} > 0`}}, note: "on the new replicas",
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					old := []*Replica{w.Start(), w.Start()}
					const questions = 4
					var all []*Asking
					for n := range questions {
						w.SubmitsPosted(Question(platform, fmt.Sprintf("k%d", n)))
						all = append(all, w.Asks(Question(platform, fmt.Sprintf("k%d", n))))
					}
					dana := w.Dana(platform)
					press := func(n int) {
						if err := dana.Presses("SQLite", fmt.Sprintf("k%d?", n)); err != nil {
							t.Errorf("click %d: %v", n, err)
						}
					}
					c.person(func() {
						press(0)
						for n, r := range old {
							w.Start()
							ended := make(chan struct{})
							go func() {
								defer close(ended)
								if code, took := r.Terminate(); code != 0 || took > drained {
									t.Errorf("it ended with %d after %s", code, took)
								}
							}()
							press(1 + n)
							<-ended
						}
						press(questions - 1)
						dana.AwaitsClosed()
					})
					c.agent(func() {
						for _, a := range all {
							answered(t, a.Ends(), "SQLite")
						}
					})
					c.kept(func() {
						for n := range questions {
							answered(t, w.Submits(Question(platform, fmt.Sprintf("k%d", n))), "SQLite")
						}
					})
				})
			},
		},
		{
			number: 26, name: "a replica pauses while posting and wakes after another took over",
			person: "one card on Discord, at most two on Slack; a click counts, and all copies close", agent: "the answer",
			kept:  "the answer",
			shown: Shown{Metrics: []string{`askbridge_platform_calls_total{op="find",result="ok"} > 0`}}, note: "on the replica that takes over",
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := NewWorld(t, onlyOn(platform, redistest.Start(t)))
					paused, other := w.Start(), w.Start()
					other.TakesClicks()
					woken := make(chan struct{})
					paused.to(platform).AtCall(posting[platform], func() Fate {
						paused.Pause()
						<-woken
						return Pass
					})
					t.Cleanup(func() {
						select {
						case <-woken:
						default:
							close(woken)
						}
					})
					go func() { _, _ = paused.Agent.Submit(t.Context(), Question(platform, "k")) }() // The paused replica does not respond for a while.
					dana := w.Dana(platform)
					dana.Awaits("[SQLite]") // The other replica took over.
					paused.Resume()
					close(woken)
					dana.Insists("SQLite")
					w.Balancer.remove(paused.In.Addr)
					c.agent(func() { answered(t, w.Asks(Question(platform, "k")).Ends(), "SQLite") })
					c.person(func() {
						dana.AwaitsClosed()
						if n, most := w.posted(platform), map[string]int{Slack: 2, Discord: 1}[platform]; n > most {
							t.Errorf("%d cards were posted", n)
						}
					})
					c.kept(func() { answered(t, w.Submits(Question(platform, "k")), "SQLite") })
				})
			},
		},
	}
}
