//go:build faults

package faults

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/client"
)

// The methods and routes that post and update, as the doubles name them.
var (
	posts   = map[string]string{Slack: "chat.postMessage", Discord: "create message"}
	updates = map[string]string{Slack: "chat.update", Discord: "edit message"}
)

// fault makes the next calls of a platform fail.
func (w *World) fault(platform, target string, f chatsim.Fault) {
	if platform == Discord {
		w.Discord.Fault(target, f)
		return
	}
	w.Slack.Fault(target, f)
}

// times returns when a method or route was called.
func (w *World) times(platform, target string) []time.Time {
	var all []time.Time
	if platform == Discord {
		for _, c := range w.Discord.Calls(target) {
			all = append(all, c.At)
		}
		return all
	}
	for _, c := range w.Slack.Calls(target) {
		all = append(all, c.At)
	}
	return all
}

func (w *World) clearFaults(platform string) {
	if platform == Discord {
		w.Discord.ClearFaults()
		return
	}
	w.Slack.ClearFaults()
}

// spaced checks that the second call was not made too early, and that there was no third.
func spaced(t *testing.T, calls []time.Time, apart time.Duration) {
	t.Helper()
	if len(calls) != 2 || calls[1].Sub(calls[0]) < apart {
		t.Errorf("called at %v", calls)
	}
}

func refusals() []row {
	return []row{
		{
			number: 10, name: "the platform limits the rate of a post or update",
			person: "the card or its update, later", agent: "`delayed` with the next retry time; the result at once",
			kept: "the question; no call before its time", do: "ask less often in one channel",
			shown: Shown{Metrics: []string{`askbridge_platform_calls_total{result="rate_limited"} > 0`, `askbridge_deliveries_put_off_total{reason="rate_limited"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					const rest = 2 * time.Second
					w := alone(t, platform)
					w.Start()
					w.fault(platform, posts[platform], chatsim.RateLimit(rest))
					made := w.Submits(Question(platform, "k"))
					c.agent(func() {
						if d := made.Delivery[0]; d.State != client.Delayed || d.RetryAt.IsZero() {
							t.Errorf("delivery is %+v", d)
						}
					})
					dana := w.Dana(platform)
					dana.Awaits("[SQLite]")
					w.SubmitsPosted(Question(platform, "k"))
					spaced(t, w.times(platform, posts[platform]), rest)
					w.fault(platform, updates[platform], chatsim.RateLimit(rest))
					if _, err := w.Agent.Cancel(t.Context(), made.ID, "found it"); err != nil {
						t.Error(err)
					}
					c.person(func() { dana.AwaitsClosed() })
					c.kept(func() {
						spaced(t, w.times(platform, updates[platform]), rest)
						if r := w.Gets(made.ID); r.State != ask.Cancelled {
							t.Errorf("ended as %s", r.State)
						}
					})
				})
			},
		},
		{
			number: 11, name: "the platform returns 500, 502 or nothing",
			person: "the card, later, once", agent: "the answer",
			kept:  "the question",
			shown: Shown{Metrics: []string{`askbridge_deliveries_put_off_total{reason!="pace"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					w.Start()
					for _, f := range []chatsim.Fault{chatsim.Status(500), chatsim.Status(502), chatsim.Hang()} {
						w.fault(platform, posts[platform], f)
					}
					a := w.Asks(Question(platform, "k"))
					dana := w.Dana(platform)
					c.person(func() {
						dana.Awaits("[SQLite]")
						dana.Insists("SQLite")
						dana.AwaitsClosed()
						if n := w.posted(platform); n != 1 {
							t.Errorf("%d cards were posted", n)
						}
					})
					c.agent(func() { answered(t, a.Ends(), "SQLite") })
					c.kept(func() { answered(t, w.Submits(Question(platform, "k")), "SQLite") })
				})
			},
		},
		{
			number: 12, name: "the reply to a post is lost",
			person: "one card on Discord, at most two on Slack; both close", agent: "the answer",
			kept:  "the answer",
			shown: Shown{Metrics: []string{`askbridge_platform_calls_total{op="post",result="ambiguous"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					w.Start()
					w.fault(platform, posts[platform], chatsim.LoseReply())
					a := w.Asks(Question(platform, "k"))
					dana := w.Dana(platform)
					dana.Awaits("[SQLite]")
					dana.Insists("SQLite")
					c.person(func() {
						dana.AwaitsClosed()
						if n, most := w.posted(platform), map[string]int{Slack: 2, Discord: 1}[platform]; n > most {
							t.Errorf("%d cards were posted", n)
						}
					})
					c.agent(func() { answered(t, a.Ends(), "SQLite") })
					c.kept(func() { answered(t, w.Submits(Question(platform, "k")), "SQLite") })
				})
			},
		},
		{
			number: 21, name: "the channel is archived, or the bot may not write there",
			person: "nothing", agent: "`failed` at once, with the platform's reason",
			kept: "the failed request", do: "invite the bot, or change the channel",
			shown: Shown{Metrics: []string{`askbridge_requests_ended_total{state="failed"} > 0`, `askbridge_platform_calls_total{result="unreachable"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					w.Start()
					reason := "is_archived"
					if platform == Discord {
						w.Discord.Deny(DiscordChannel, discordsim.SendMessages)
						reason = "50013"
					} else {
						w.Slack.Archive(SlackChannel)
					}
					made := w.Submits(Question(platform, "k"))
					c.agent(func() { failed(t, w.Asks(Question(platform, "k")).Ends(), reason) })
					c.person(func() {
						if n := w.posted(platform); n != 0 {
							t.Errorf("%d cards were posted", n)
						}
					})
					c.kept(func() { failed(t, w.Gets(made.ID), reason) })
				})
			},
		},
		{
			number: 22, name: "the platform token is revoked",
			person: "nothing", agent: "`failed` with `platform_auth`; `/readyz` names the platform",
			kept: "the failed requests; hardly any further calls", do: "replace the token and restart",
			shown: Shown{Metrics: []string{`askbridge_platform_up == 0`, `askbridge_platform_calls_total{result="misconfigured"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					r := w.Start()
					if platform == Discord {
						w.Discord.Revoke()
					} else {
						w.Slack.Revoke("xoxb-sim")
					}
					var made []*client.Request
					for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
						made = append(made, w.Submits(Question(platform, key)))
					}
					c.agent(func() {
						for _, m := range made {
							failed(t, w.Gets(m.ID), "platform_auth")
						}
						if status := r.Ready(); status != http.StatusServiceUnavailable {
							t.Errorf("status of /readyz = %d", status)
						}
					})
					c.person(func() {
						if n := w.posted(platform); n != 0 {
							t.Errorf("%d cards were posted", n)
						}
					})
					c.kept(func() {
						if calls := w.times(platform, posts[platform]); len(calls) > 2 {
							t.Errorf("%d calls with a token that is no good", len(calls))
						}
					})
				})
			},
		},
		{
			number: 23, name: "the platform refuses to edit an old card",
			person: "the result in a reply; a click on the old card gets a note", agent: "the answer",
			kept:  "the answer",
			shown: Shown{Metrics: []string{`askbridge_platform_calls_total{op="update",result="frozen"} > 0`, `askbridge_platform_calls_total{op="reply",result="ok"} > 0`}},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					w.Start()
					word := map[string]string{Slack: "edit_window_closed", Discord: "30046"}[platform]
					w.fault(platform, updates[platform], chatsim.Refuse(word).Always())
					made := w.SubmitsPosted(Question(platform, "k"))
					a := w.Asks(Question(platform, "k"))
					if _, err := w.Agent.Cancel(t.Context(), made.ID, "found it in the docs"); err != nil {
						t.Error(err)
					}
					dana := w.Dana(platform)
					c.person(func() {
						dana.Awaits("found it in the docs")
						if err := dana.Presses("SQLite"); err != nil {
							t.Error(err)
						}
						dana.Awaits("withdrew")
					})
					c.agent(func() {
						if r := a.Ends(); r.State != ask.Cancelled {
							t.Errorf("ended as %s", r.State)
						}
					})
					c.kept(func() {
						if r := w.Gets(made.ID); r.State != ask.Cancelled || len(r.Answers) > 0 {
							t.Errorf("kept as %+v", r)
						}
					})
				})
			},
		},
	}
}

// failed checks that a request failed with a reason.
func failed(t *testing.T, r *client.Request, reason string) {
	t.Helper()
	if r.State != ask.Failed || !strings.Contains(r.Reason, reason) || len(r.Answers) > 0 {
		t.Errorf("ended as %s for %q, want %s", r.State, r.Reason, reason)
	}
}
