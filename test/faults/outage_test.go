//go:build faults

package faults

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/test/redistest"
)

const (
	// warnedWithin is how fast a person learns that their answer is not recorded yet: the platforms show a failure
	// of their own after three seconds.
	warnedWithin = 3 * time.Second
	notYet       = "not recorded yet"
	savedNow     = "Saved now"
)

// pressesInAnOutage uses a button while the store is down: the press must arrive in time, and the person must learn
// that nothing is recorded yet.
func (h *Hand) pressesInAnOutage(t *testing.T, label, under string) {
	t.Helper()
	began := time.Now()
	if err := h.Presses(label, under); err != nil {
		t.Errorf("the click was not acknowledged: %v", err)
	}
	if took := time.Since(began); took > warnedWithin {
		t.Errorf("the person waited %s", took)
	}
	h.Awaits(notYet)
}

func outages() []row {
	return []row{
		{
			number: 4, name: "Redis is killed and restarts",
			person: "\"not recorded yet\", then \"Saved now\"", agent: "keeps waiting, then the answer",
			kept: "every acknowledged answer", do: "turn on persistence (AOF)",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="unsaved"} > 0`, `askbridge_store_operations_total{result="error"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					redis := redistest.Start(t, "--appendfsync", "always")
					w := NewWorld(t, onlyOn(platform, redis))
					w.Start()
					dana := w.Dana(platform)
					before := w.SubmitsPosted(Question(platform, "before"))
					if err := dana.Presses("Postgres", "before"); err != nil {
						t.Fatal(err)
					}
					answered(t, w.Gets(before.ID), "Postgres")
					w.SubmitsPosted(Question(platform, "during"))
					during := w.Asks(Question(platform, "during"))
					redis.Kill()
					dana.pressesInAnOutage(t, "SQLite", "during")
					redis.Again()
					c.person(func() { dana.Awaits(savedNow) })
					c.agent(func() { answered(t, during.Ends(), "SQLite") })
					c.kept(func() { answered(t, w.Gets(before.ID), "Postgres") })
					dana.AwaitsClosed()
				})
			},
		},
		{
			number: 7, name: "Redis is unreachable for five seconds",
			person: "\"not recorded yet\" within three seconds, then \"Saved now\"", agent: "keeps waiting, then the answer",
			kept:  "every answer confirmed as recorded",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="unsaved"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					r := w.Start()
					made := w.SubmitsPosted(Question(platform, "k"))
					a := w.Asks(Question(platform, "k"))
					dana := w.Dana(platform)
					r.ToRedis.Down()
					began := time.Now()
					dana.pressesInAnOutage(t, "SQLite", "k")
					Await(w, "five seconds to pass", func() bool { return time.Since(began) > 5*time.Second })
					if strings.Contains(dana.Sees(), savedNow) || !a.Waits() {
						t.Error("reported as saved although the store is down")
					}
					r.ToRedis.Heal()
					c.person(func() { dana.Awaits(savedNow) })
					c.agent(func() { answered(t, a.Ends(), "SQLite") })
					c.kept(func() { answered(t, w.Gets(made.ID), "SQLite") })
					dana.AwaitsClosed()
				})
			},
		},
		{
			number: 8, name: "Redis stalls for two seconds",
			person: "\"not recorded yet\" within three seconds, then \"Saved now\"", agent: "the answer, once",
			kept:  "the answer, once",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="unsaved"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					r := w.Start()
					made := w.SubmitsPosted(Question(platform, "k"))
					a := w.Asks(Question(platform, "k"))
					dana := w.Dana(platform)
					// The store stalls when the click reaches it, whenever that is.
					stalled := sync.OnceValue(func() time.Time { return time.Now().Add(2 * time.Second) })
					var came atomic.Bool
					r.ToRedis.On(func(m Message) Fate {
						if came.Load() || m.Up && m.contains(swapping(made.ID)) {
							came.Store(true)
							pause(time.Until(stalled()))
						}
						return Pass
					})
					dana.pressesInAnOutage(t, "SQLite", "k")
					c.person(func() { dana.Awaits(savedNow) })
					c.agent(func() { answered(t, a.Ends(), "SQLite") })
					c.kept(func() { answered(t, w.Gets(made.ID), "SQLite") })
					dana.AwaitsClosed()
				})
			},
		},
		{
			number: 9, name: "Redis stores a write, but its reply is lost",
			person: "nothing unusual", agent: "the answer, once",
			kept:  "the answer, once",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="completed"} > 0`}}, note: "the retried write",
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					r := w.Start()
					made := w.SubmitsPosted(Question(platform, "k"))
					a := w.Asks(Question(platform, "k"))
					lost := r.ToRedis.LoseReply(swapping(made.ID))
					dana := w.Dana(platform)
					c.person(func() {
						if err := dana.Presses("SQLite"); err != nil {
							t.Error(err)
						}
						<-lost
						dana.AwaitsClosed()
						if sees := dana.Sees(); strings.Contains(sees, notYet) || strings.Contains(sees, "Already") {
							t.Errorf("the person got a note:\n%s", sees)
						}
					})
					c.agent(func() { answered(t, a.Ends(), "SQLite") })
					c.kept(func() { answered(t, w.Gets(made.ID), "SQLite") })
				})
			},
		},
		{
			number: 28, name: "Redis refuses writes, full or without its replicas",
			person: "\"not recorded yet\", then \"Saved now\"", agent: "new questions: 503 with Retry-After; open ones: keep waiting",
			kept: "everything stored before", do: "add memory, or restore the replicas",
			shown: Shown{Metrics: []string{`askbridge_store_operations_total{result="error"} > 0`, `askbridge_acts_total{verdict="unsaved"} > 0`, `askbridge_http_requests_total{code="503"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				for name, setting := range map[string][2]string{
					"full": {"maxmemory", "0"}, "without its replicas": {"min-replicas-to-write", "0"},
				} {
					c.t.Run(name, func(t *testing.T) {
						t.Parallel()
						redis := redistest.Start(t)
						w := NewWorld(t, onlyOn(Slack, redis))
						r := w.Start()
						made := w.SubmitsPosted(Question(Slack, "old"))
						a := w.Asks(Question(Slack, "old"))
						redis.Do("CONFIG", "SET", setting[0], "1")
						dana := w.Dana(Slack)
						dana.pressesInAnOutage(t, "SQLite", "old")
						c.agent(func() {
							_, err := r.Agent.Submit(t.Context(), Question(Slack, "new"))
							if status, after := problem(err); status != http.StatusServiceUnavailable || after <= 0 {
								t.Errorf("a new question: %v", err)
							}
							if !a.Waits() {
								t.Error("the old question has a result")
							}
						})
						c.kept(func() {
							if got := w.Gets(made.ID); got.State != ask.Open {
								t.Errorf("request = %+v", got)
							}
						})
						redis.Do("CONFIG", "SET", setting[0], setting[1])
						c.person(func() { dana.Awaits(savedNow) })
						answered(t, a.Ends(), "SQLite")
						dana.AwaitsClosed()
					})
				}
			},
		},
		{
			number: 29, name: "Redis is flushed",
			person: "\"no longer known\"; the card closes", agent: "404, which is neither an answer nor an expiry",
			kept: "nothing, and no false answer", do: "restore a backup; agents ask again",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="unknown_request"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					redis := redistest.Start(t)
					w := NewWorld(t, onlyOn(platform, redis))
					w.Start()
					made := w.SubmitsPosted(Question(platform, "k"))
					redis.Do("FLUSHALL")
					dana := w.Dana(platform)
					c.person(func() {
						if err := dana.Presses("SQLite"); err != nil {
							t.Error(err)
						}
						dana.Awaits("no longer known")
						dana.AwaitsClosed()
					})
					c.agent(func() {
						_, err := w.Agent.Wait(t.Context(), made.ID)
						if status, _ := problem(err); status != http.StatusNotFound && status != http.StatusGone {
							t.Errorf("waiting gives %v", err)
						}
					})
					c.kept(func() {
						if page, err := w.Agent.List(t.Context(), allRequests); err != nil || len(page.Requests) > 0 {
							t.Errorf("listed %+v, %v", page, err)
						}
					})
				})
			},
		},
	}
}
