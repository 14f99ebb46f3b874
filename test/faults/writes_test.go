//go:build faults

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
)

// write is a change of an open request that does not end it, tried at a replica that dies during it, and again at
// the next.
type write struct {
	// name is the subject of the request, which has label among its options.
	name, label string
	asks        func(q *ask.Request)
	before      func(h *Hand) // Runs at another replica; may be nil.
	does        func(at *client.Client, h *Hand, id string) error
	// shows is the text of the card afterwards.
	shows string
	ends  func(w *World, h *Hand, id string)
	state ask.State
	// kind is the event in the trail, times its final number.
	kind  string
	times int
	// verdict is the metric of the replica with the second try.
	verdict string
}

const (
	// hold is how long a decision can be undone.
	hold = 6 * time.Second
	// apart is the largest difference between the clocks of two replicas. Each follows the clock of Redis, delayed
	// by the time of a reply.
	apart = time.Second
)

func writes(platform string) []write {
	asked := "Which database, now that it has to be free?"
	presses := func(label string) func(*client.Client, *Hand, string) error {
		return func(_ *client.Client, h *Hand, _ string) error { return h.Presses(label) }
	}
	other := func(label string) func(*World, *Hand, string) {
		return func(w *World, _ *Hand, _ string) { w.Sam(platform).Insists(label) }
	}
	return []write{
		{
			name: "a vote", label: "Ada", does: presses("Ada"), shows: "Ada 1 of 2", ends: other("Ada"), state: ask.Answered,
			asks: func(q *ask.Request) { q.Voting = ask.Voting{Mode: ask.Quorum, Need: 2} },
			kind: "counted", times: 2, verdict: `askbridge_acts_total{verdict="counted"} > 0`,
		},
		{
			name: "a decision that can be undone", label: "Bea", does: presses("Bea"), shows: "✓ Bea", state: ask.Answered,
			asks: func(q *ask.Request) { q.Hold = hold },
			ends: func(*World, *Hand, string) {}, // The deadline ends it.
			kind: "held", times: 1, verdict: `askbridge_acts_total{verdict="tentative"} > 0`,
		},
		{
			name: "taking a decision back", label: "Cleo", does: presses("Undo"), shows: "[Cleo]", state: ask.Cancelled,
			asks: func(q *ask.Request) { q.Hold = ask.MaxHold },
			before: func(h *Hand) {
				h.Insists("Cleo")
				h.Awaits("Undo]")
			},
			ends: func(w *World, _ *Hand, id string) {
				if _, err := w.Agent.Cancel(w.Context(), id, "found it"); err != nil {
					w.Error(err)
				}
			},
			kind: "undone", times: 1, verdict: `askbridge_acts_total{verdict="undone"} > 0`,
		},
		{
			name: "a revision", label: "Dora", asks: func(*ask.Request) {}, shows: asked, ends: other("Dora"), state: ask.Answered,
			does: func(at *client.Client, h *Hand, id string) error {
				first := 0
				_, err := at.Revise(h.w.Context(), id, ask.Revision{
					Of: &first, Questions: []ask.Question{{Text: asked, Options: []ask.Option{{Label: "Postgres"}, {Label: "Dora"}}}},
				})
				return err
			},
			kind: "revised", times: 1, verdict: `askbridge_http_requests_total{method="PATCH",code="200"} > 0`,
		},
		{
			name: "passing it on", label: "Emma", shows: "Passed on:", ends: other("Emma"), state: ask.Answered,
			asks: func(q *ask.Request) {
				q.Responders = []string{map[string]string{Slack: "slack:" + DanaOnSlack, Discord: "discord:" + DanaOnDiscord}[platform]}
				q.Schedule.PassOn = true
			},
			does: func(_ *client.Client, h *Hand, _ string) error { return h.passes("Sam") },
			kind: "passed", times: 1, verdict: `askbridge_acts_total{verdict="passed"} > 0`,
		},
	}
}

// passes hands a request over with its form, which may be open already.
func (h *Hand) passes(to string) error {
	ctx, cancel := context.WithTimeout(h.w.Context(), promptly) // As long as a form may take to open.
	defer cancel()
	open := func(sees string) bool { return strings.Contains(sees, "Person to answer instead") }
	if !open(h.Sees()) {
		if err := (chatsim.Hand{Seat: h}).Rare(ctx, "Pass to…"); err != nil {
			return err
		}
		if err := h.Await(ctx, open); err != nil {
			return err // The request was handed over, so no form opened.
		}
		if err := h.Pick(ctx, "", to); err != nil {
			return err
		}
	}
	if err := h.Submit(ctx); err != nil {
		return err
	}
	_ = h.Dismiss(ctx) // Usually no form is open; if one is, it shows the earlier handover.
	return nil
}

func changes() []row {
	all := row{
		number: 36, name: "a replica dies while writing a vote, undo, revision or `Pass to…`",
		person: "the change, once, after they click again", agent: "keeps waiting, then the answer; a retried revision is the same one",
		kept: "the change, once",
		note: "on the replica that takes over; `requests_ended_total` if the write had arrived",
	}
	for _, change := range writes(Slack) {
		all.shown.Metrics = append(all.shown.Metrics, change.verdict)
	}
	all.play = func(_ *testing.T, c *claims) {
		c.on(func(t *testing.T, platform string) {
			t.Run("before", func(t *testing.T) {
				t.Parallel()
				c.changing(t, platform, false)
			})
			t.Run("after", func(t *testing.T) {
				t.Parallel()
				Watch(t, Shown{Metrics: []string{"askbridge_requests_ended_total > 0"}})
				c.changing(t, platform, true)
			})
		})
	}
	return []row{all}
}

// changing runs each write with a replica of its own that dies during it, next to one that takes over.
func (c *claims) changing(t *testing.T, platform string, stored bool) {
	t.Helper()
	w := alone(t, platform)
	second := w.Start()
	made := map[string]write{}
	for _, change := range writes(platform) {
		made[c.change(w, platform, second, change, stored)] = change
	}
	c.kept(func() {
		for id, change := range made {
			var kinds []string
			Await(t, "the end of "+change.name+" to be in the trail", func() bool {
				kinds = w.did(id)
				return slices.Contains(kinds, string(change.state))
			})
			once := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return kind != change.kind })
			if len(once) != change.times {
				t.Errorf("%s was written %d times, want %d: %s", change.name, len(once), change.times, kinds)
			}
		}
	})
}

// change has a replica die at a write, before or after Redis has it, and the caller retry at another one. It returns
// the request.
func (c *claims) change(w *World, platform string, second *Replica, change write, stored bool) string {
	w.Helper()
	second.TakesClicks()
	first := w.Start()
	q := Question(platform, change.name)
	q.Questions[0].Options[1].Label = change.label
	change.asks(&q)
	a := w.Asks(q)
	made := w.SubmitsPosted(q)
	dana := w.Dana(platform)
	if change.before != nil {
		change.before(dana)
	}
	first.TakesClicks()
	// All other writes to the record come from the other replica.
	if stored {
		first.ToRedis.AtReply(swapping(made.ID), strikes(first))
	} else {
		first.ToRedis.AtCall(swapping(made.ID), strikes(first))
	}
	began := time.Now()
	_ = change.does(first.Agent, dana, made.ID) // The result does not matter.
	first.Dies()
	second.TakesClicks()
	_ = change.does(w.Agent, dana, made.ID) // If it was stored, its control may be gone.
	c.person(func() {
		dana.Awaits(change.shows)
	})
	c.agent(func() {
		if q.Hold != hold && !a.Waits() {
			w.Errorf("the agent has a result of %s", change.name)
		}
		change.ends(w, dana, made.ID)
		r := a.Ends()
		if change.state == ask.Answered {
			answered(w, r, change.label)
		} else if r.State != change.state || len(r.Answers) > 0 {
			w.Errorf("%s ended as %s with %+v", change.name, r.State, r.Answers)
		}
		if took := time.Since(began); q.Hold == hold && took < hold-apart {
			w.Errorf("the agent had the answer %s after the press, while it could be undone", took)
		}
	})
	dana.AwaitsClosed()
	return made.ID
}

// did lists the kinds of the trail's events so far, in order.
func (w *World) did(id string) []string {
	operator, err := client.New(w.Balancer.URL, &client.Options{HTTP: &http.Client{Transport: w.http}, Token: operatorToken, Tries: 1})
	if err != nil {
		w.Error(err)
		return nil
	}
	lines, err := trail(w.Context(), operator)
	if err != nil {
		return nil // The replica with the trail is gone.
	}
	var kinds []string
	for line := range bytes.Lines(lines) {
		var event struct{ Request, Kind string }
		if json.Unmarshal(line, &event) == nil && event.Request == id {
			kinds = append(kinds, event.Kind)
		}
	}
	return kinds
}
