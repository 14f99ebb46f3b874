//go:build faults

package faults

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/test/redistest"
)

// allRequests lists the open requests.
var allRequests = client.ListQuery{}

// problem returns the status and Retry-After of an error of the bridge.
func problem(err error) (int, time.Duration) {
	if p, ok := errors.AsType[*client.Problem](err); ok {
		return p.Status, p.RetryAfter()
	}
	return 0, 0
}

// pause waits inside a hook.
func pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
}

// recovers is how long it may take until a Cluster has replaced a dead master by a replica, the bridge has found it,
// and waiting clicks have been retried: their backoff is up to twelve seconds.
const recovers = 30 * time.Second

func failovers() []row {
	return []row{
		{
			number: 5, name: "the Redis master under Sentinel dies",
			person: "\"not recorded yet\", then \"Saved now\"", agent: "keeps waiting, then the answer",
			kept: "every answer that reached a replica; with `replicas: 1` every recorded answer", do: "set `store.redis.replicas: 1`",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="unsaved"} > 0`, `askbridge_store_operations_total{result="error"} > 0`}},
			play: func(t *testing.T, c *claims) {
				trio := StartTrio(t)
				w := NewWorld(t, Setup{Slack: "http", Store: trio.Store(1)})
				w.Start()
				dana := w.Dana(Slack)
				before := w.SubmitsPosted(Question(Slack, "before"))
				if err := dana.Presses("Postgres", "before"); err != nil {
					t.Fatal(err)
				}
				w.SubmitsPosted(Question(Slack, "during"))
				during := w.Asks(Question(Slack, "during"))
				dead := trio.Master()
				dead.Kill()
				dana.pressesInAnOutage(t, "SQLite", "during")
				c.person(func() { dana.Awaits(savedNow) })
				c.agent(func() { answered(t, during.Ends(), "SQLite") })
				c.kept(func() { answered(t, w.Gets(before.ID), "Postgres") })
				dana.AwaitsClosed()
			},
		},
		{
			number: 6, name: "a Redis Cluster master dies",
			person: "its own requests: \"not recorded yet\", then \"Saved now\"; others: nothing", agent: "the answer",
			kept: "every answer that reached a replica", do: "set `store.redis.replicas: 1`",
			shown: Shown{Metrics: []string{`askbridge_acts_total{verdict="unsaved"} > 0`, `askbridge_store_operations_total{result="error"} > 0`}},
			play: func(t *testing.T, c *claims) {
				masters, replicas := StartSix(t)
				nodes := slices.Concat(masters, replicas)
				w := NewWorld(t, Setup{Slack: "http", Store: ClusterStore(nodes, 1)})
				w.Start()
				dana := w.Dana(Slack)
				var (
					all    []*Asking
					victim *redistest.Server
				)
				for n := range 8 {
					q := Question(Slack, fmt.Sprintf("k%d", n))
					q.Session = q.ToolCallID
					made := w.SubmitsPosted(q)
					if victim == nil {
						victim = Owner(t, nodes, made.ID)
					}
					all = append(all, w.Asks(q))
				}
				before := Question(Slack, "before")
				made := w.SubmitsPosted(before)
				if err := dana.Presses("Postgres", "before"); err != nil {
					t.Fatal(err)
				}
				victim.Kill()
				began := time.Now()
				var presses sync.WaitGroup
				for n := range all {
					presses.Go(func() {
						if err := dana.Presses("SQLite", fmt.Sprintf("k%d?", n)); err != nil {
							t.Errorf("press %d: %v", n, err)
						}
					})
				}
				presses.Wait()
				dana.Awaits(notYet)
				c.person(func() {
					if unsaved := strings.Count(dana.Sees(), notYet); unsaved == 0 || unsaved == len(all) {
						t.Errorf("%d of %d clicks had to wait", unsaved, len(all))
					}
					dana.AwaitsClosed()
				})
				c.agent(func() {
					for _, a := range all {
						answered(t, a.Ends(), "SQLite")
					}
					if took := time.Since(began); took > recovers {
						t.Errorf("it took %s", took)
					}
				})
				c.kept(func() { answered(t, w.Gets(made.ID), "Postgres") })
			},
		},
		{
			number: 27, name: "the Redis subscription dies",
			person: "nothing", agent: "the answer, at the latest with the next poll",
			kept:  "the answer",
			shown: Shown{Metrics: []string{`askbridge_requests_ended_total{state="answered"} > 0`}}, note: "the next poll finds what the notification missed",
			play: func(_ *testing.T, c *claims) {
				for name, cut := range map[string]func(*redistest.Server, *Replica){
					"closed":    func(s *redistest.Server, _ *Replica) { s.Do("CLIENT", "KILL", "TYPE", "pubsub") },
					"half open": func(_ *redistest.Server, r *Replica) { r.ToRedis.FreezeOpened() },
				} {
					c.t.Run(name, func(t *testing.T) {
						t.Parallel()
						redis := redistest.Start(t)
						w := NewWorld(t, onlyOn(Slack, redis))
						asked, clicked := w.Start(), w.Start()
						clicked.TakesClicks()
						made := w.SubmitsPosted(Question(Slack, "k"))
						got := make(chan *client.Request, 1)
						go func() {
							r, err := asked.Agent.Wait(t.Context(), made.ID)
							if err != nil {
								t.Errorf("wait: %v", err)
							}
							got <- r
						}()
						Await(w, "the agent to be parked", func() bool { return redis.Do("PUBSUB", "NUMSUB", "ab:changed") != "" })
						cut(redis, asked)
						dana := w.Dana(Slack)
						c.person(func() {
							if err := dana.Presses("SQLite"); err != nil {
								t.Error(err)
							}
							dana.AwaitsClosed()
						})
						c.agent(func() {
							select {
							case r := <-got:
								answered(t, r, "SQLite")
							case <-time.After(patience):
								t.Error("timeout: the agent has no result")
							}
						})
						c.kept(func() { answered(t, w.Gets(made.ID), "SQLite") })
					})
				}
			},
		},
	}
}

func storeTroubles() []row {
	return []row{
		{
			number: 39, name: "the Redis user loses publish and subscribe",
			person: "nothing", agent: "the answer, at the latest with the next poll",
			kept: "the answer", do: "grant the permission that `/readyz` names",
			shown: Shown{Metrics: []string{`askbridge_requests_ended_total{state="answered"} > 0`, `askbridge_acts_total{verdict="completed"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					redis := redistest.Start(t)
					w := NewWorld(t, onlyOn(platform, redis))
					_, clicked := w.Start(), w.Start()
					if platform == Slack {
						clicked.TakesClicks()
					}
					made := w.SubmitsPosted(Question(platform, "k"))
					a := w.Asks(Question(platform, "k"))
					redis.Do("ACL", "SETUSER", "default", "resetchannels")
					dana := w.Dana(platform)
					c.person(func() {
						if err := dana.Presses("SQLite"); err != nil {
							t.Error(err)
						}
						dana.AwaitsClosed()
					})
					c.agent(func() { answered(t, a.Ends(), "SQLite") })
					c.kept(func() {
						answered(t, w.Gets(made.ID), "SQLite")
						within(t, patience, "503 of /readyz that names the missing permission", func() bool {
							status, parts := clicked.asks()
							return status == http.StatusServiceUnavailable && strings.Contains(parts, "missing permission")
						})
					})
				})
			},
		},
		{
			number: 19, name: "the clock of a replica is ten minutes off",
			person: "nothing: the store's clock decides", agent: "expiry on time",
			kept: "an answer given in time", do: "synchronize the clock",
			shown: Shown{Metrics: []string{`askbridge_requests_ended_total{state="expired"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				for name, skew := range map[string]time.Duration{"behind": 10 * time.Minute, "ahead": -10 * time.Minute} {
					c.t.Run(name, func(t *testing.T) {
						t.Parallel()
						// The clock of Redis is moved: only the difference matters.
						w := NewWorld(t, Setup{Slack: "http", Redis: startSkewed(t, skew)})
						w.Start()
						dana := w.Dana(Slack)
						long, short := Question(Slack, "long"), Question(Slack, "short")
						long.ExpiresIn, short.ExpiresIn = 5*time.Minute, 3*time.Second
						made := w.SubmitsPosted(long)
						began := time.Now()
						a := w.Asks(short)
						c.agent(func() {
							r := a.Ends()
							if took := time.Since(began); r.State != ask.Expired || took < 2*time.Second || took > 30*time.Second {
								t.Errorf("ended as %s after %s", r.State, took)
							}
						})
						c.person(func() {
							if err := dana.Presses("SQLite", "long"); err != nil {
								t.Error(err)
							}
							dana.AwaitsClosed()
						})
						c.kept(func() { answered(t, w.Gets(made.ID), "SQLite") })
					})
				}
			},
		},
	}
}
