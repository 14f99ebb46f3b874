package bridge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// orphan stores a request as a dying replica leaves it: posted, with some time left to answer.
func orphan(t *testing.T, s bridge.Store, id string, left time.Duration) bridge.Record {
	t.Helper()
	r, err := s.Create(t.Context(), bridge.Record{
		ID: id, Questions: database().Questions, Policy: ask.PolicyOf(ask.Anyone),
		Outcome: ask.Outcome{State: ask.Open}, Revision: 1,
		Copies: []bridge.Copy{{
			Target: ask.Place{Platform: "slack", Channel: "C1"}, State: record.Posted, Rendered: 1,
			Ref: platform.MessageRef{Platform: "slack", Channel: "C1", Message: "m1"},
		}},
	}, func(r *bridge.Record, now time.Time) error {
		r.Deadline = now.Add(left)
		r.Due = r.Deadline
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A replica accepted a request and died before the deadline. The others know it only from the notification, since
// the deadline comes before their next poll.
func TestRequestOfCrashedReplicaExpiresInTime(t *testing.T) {
	for name, left := range map[string]time.Duration{
		"a few seconds": 3 * time.Second, "less than a poll": 14 * time.Second, "more than a poll": 40 * time.Second, "an hour": time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, nil, func(t *testing.T, w *fixture) {
				time.Sleep(2 * time.Second) // Between two polls.
				r := orphan(t, w.store, "porphan", left)
				time.Sleep(left + time.Second)
				after, err := w.store.Load(t.Context(), r.ID)
				if err != nil || after.Outcome.State != ask.Expired {
					t.Errorf("a second after its deadline it is %q, %v", after.Outcome.State, err)
				}
				if late := after.Outcome.At.Sub(r.Deadline); late > time.Second {
					t.Errorf("expired %v late", late)
				}
			})
		})
	}
}

// idling is a store in which nothing ever becomes due, so that only a reader can notice a deadline.
type idling struct{ bridge.Store }

func (i idling) Due(ctx context.Context, _ int) (bridge.Batch, error) {
	b, err := i.Store.Due(ctx, 1)
	b.IDs, b.Next = nil, -1
	return b, err
}

func TestNoReadReturnsOpenAfterDeadline(t *testing.T) {
	for name, read := range map[string]func(t *testing.T, w *fixture, id string) ask.State{
		"loading": func(t *testing.T, w *fixture, id string) ask.State {
			r, err := w.Load(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return r.Outcome.State
		},
		"listing": func(t *testing.T, w *fixture, _ string) ask.State {
			open, err := w.List(t.Context(), bridge.Query{All: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(open) > 0 {
				return open[0].Outcome.State
			}
			ended, err := w.List(t.Context(), bridge.Query{All: true, Ended: true})
			if err != nil || len(ended) != 1 {
				t.Fatalf("%d ended, %v", len(ended), err)
			}
			return ended[0].Outcome.State
		},
		"following one": func(t *testing.T, w *fixture, id string) ask.State {
			return firstSeen(t, w, bridge.Selection{All: true, Request: id})
		},
		"following all": func(t *testing.T, w *fixture, _ string) ask.State {
			return firstSeen(t, w, bridge.Selection{All: true})
		},
		"waiting": func(t *testing.T, w *fixture, id string) ask.State {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			r, err := w.Wait(ctx, id)
			if err != nil {
				return ask.Open
			}
			return r.Outcome.State
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: idling{memory.New()}, chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(nil)()
				r := orphan(t, w.store, "porphan", time.Minute)
				time.Sleep(time.Minute - time.Millisecond)
				if got := read(t, w, r.ID); name != "listing" && got != ask.Open {
					t.Errorf("it reads %s a moment too early", got)
				}
				time.Sleep(time.Millisecond)
				if got := read(t, w, r.ID); got != ask.Expired {
					t.Errorf("it reads %s at its deadline", got)
				}
			})
		})
	}
}

// firstSeen returns the state of the first request that a new follower sees.
func firstSeen(t *testing.T, w *fixture, q bridge.Selection) ask.State {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var state ask.State
	_ = w.Follow(ctx, q, func(e bridge.Event) error { // It returns what the callback returns.
		state = e.Record.Outcome.State
		return context.Canceled
	})
	return state
}

// acknowledging is the responder of a person who presses and leaves.
type acknowledging struct{}

func (acknowledging) Ack(context.Context) error                           { return nil }
func (acknowledging) Redraw(context.Context, render.Card) error           { return nil }
func (acknowledging) OpenForm(context.Context, render.Form) error         { return nil }
func (acknowledging) ReplyEphemeral(context.Context, platform.Note) error { return nil }

// dying answers a request at a replica that dies as soon as the answer is stored, or is only slow to update the
// card.
func dying(t *testing.T, shared bridge.Store, r bridge.Record, dies bool, hold <-chan struct{}) *bridgetest.Script {
	t.Helper()
	reach := bridgetest.NewFaulty(shared)
	chat := bridgetest.NewScript("slack", render.Limits{})
	chat.On("update", bridgetest.Cue{Hold: hold})
	b, err := bridge.New(reach, []platform.Platform{chat}, nil)
	if err != nil {
		t.Fatal(err)
	}
	act := choose(r, "U1", 0)
	act.ID, act.Order, act.Person.Platform, act.Membership = "act-1", 1, "slack", ask.Member
	if err := b.Handle(t.Context(), act, acknowledging{}); err != nil {
		t.Fatal(err)
	}
	reach.Away(dies)
	t.Cleanup(func() { // Its goroutines must end before the bubble.
		over, cancel := context.WithCancel(context.Background())
		cancel()
		if err := b.Run(over); err != nil {
			t.Error(err)
		}
	})
	return chat
}

func TestAnsweredCardClosesInThreeSecondsDespiteCrash(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := orphan(t, w.store, "porphan", time.Hour)
		hold := make(chan struct{})
		defer close(hold)
		dying(t, w.store, r, true, hold)
		time.Sleep(3 * time.Second)
		w.calls("update m1")
	})
}

func TestSlowReplicaKeepsItsClaim(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := orphan(t, w.store, "porphan", time.Hour)
		hold := make(chan struct{})
		chat := dying(t, w.store, r, false, hold)
		time.Sleep(8 * time.Second)
		close(hold)
		time.Sleep(time.Minute)
		w.calls()
		if got := strings.Join(chat.Calls(), ", "); got != "update m1" {
			t.Errorf("the slow replica made the calls %s", got)
		}
		if after := w.load(r.ID); !after.DeliveryDue.IsZero() {
			t.Errorf("still to be delivered at %v", after.DeliveryDue)
		}
	})
}

// peer is a platform as another replica has it, which receives nothing.
type peer struct{ *bridgetest.Script }

func (peer) Listen(context.Context, platform.Handler) error { return nil }

// replica runs another bridge, which receives nothing, on the store and platform of the fixture.
func (w *fixture) replica() (b *bridge.Bridge, stop func()) {
	w.t.Helper()
	return w.replicaOn(w.store)
}

// replicaOn runs one with its own view of the store.
func (w *fixture) replicaOn(s bridge.Store) (b *bridge.Bridge, stop func()) {
	w.t.Helper()
	b, err := bridge.New(s, []platform.Platform{peer{w.chat}}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return b, func() { // Its goroutines must end before the bubble.
		over, cancel := context.WithCancel(context.Background())
		cancel()
		if err := b.Run(over); err != nil {
			w.t.Error(err)
		}
	}
}

func TestCardQueuedUntilEndIsNotPosted(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		w.chat.On("post", bridgetest.Cue{}, bridgetest.Cue{Err: refusal(platform.Transient, "connection refused")})
		r := w.submit(database(twoPlaces))
		other, stop := w.replica()
		defer stop()
		if _, err := other.Cancel(t.Context(), r.ID, "enough"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		posts := 0
		for _, call := range w.chat.Calls() {
			if strings.HasPrefix(call, "post ") {
				posts++
			}
		}
		if posts != 2 {
			t.Errorf("the card was posted after the end: %v", w.chat.Calls())
		}
	})
}

func TestNoPostDuringStoreOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reach := bridgetest.NewFaulty(memory.New())
		w := &fixture{t: t, store: reach, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(nil)()
		w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Transient, "connection refused")})
		w.submit(database())
		reach.Away(true)
		time.Sleep(time.Minute)
		w.calls("post C1")
		reach.Away(false)
		time.Sleep(2 * time.Second)
		w.calls("post C1", "post C1")
	})
}

// One replica draws a vote while another one handles the deciding vote. Neither knows whose update arrives last.
func TestSlowReplicaDoesNotReopenClosedCard(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Voting = quorum(2) }))
		slow, stop := w.replica()
		defer stop()
		hold := make(chan struct{})
		w.chat.On("update", bridgetest.Cue{Hold: hold})
		first := choose(r, "U1", 0)
		first.ID, first.Order, first.Person.Platform, first.Membership = "act-1", 1, "slack", ask.Member
		if err := slow.Handle(t.Context(), first, acknowledging{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // Its update is on its way.
		w.act(choose(r, "U2", 0))
		time.Sleep(5 * time.Second) // Longer than any replica waits.
		card := func() render.Card { return w.chat.Card(w.load(r.ID).Copies[0].Ref) }
		if got := card().State; got != ask.Answered {
			t.Fatalf("the replica that decided drew the card as %s", got)
		}
		close(hold)
		time.Sleep(time.Second)
		if got := card().State; got != ask.Answered {
			t.Errorf("the card stays as it was before the decision: %s", got)
		}
	})
}

// The platform processes the update of a dead replica after the end.
func TestCrashedReplicaDoesNotReopenClosedCard(t *testing.T) {
	t.Parallel()
	context := "after the incident"
	for name, change := range map[string]func(t *testing.T, w *fixture, r bridge.Record){
		"a vote": func(_ *testing.T, w *fixture, r bridge.Record) { w.vote(r, "U1", 0) },
		"a revision": func(t *testing.T, w *fixture, r bridge.Record) {
			if _, err := w.Talk().Revise(t.Context(), r.ID, ask.Revision{Context: &context}, ask.Voting{}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, nil, func(t *testing.T, w *fixture) {
				r := w.submit(database(func(r *ask.Request) { r.Voting = quorum(2) }))
				card := r.Copies[0].Ref
				change(t, w, r)
				synctest.Wait()
				open := w.chat.Card(card)
				if _, err := w.Cancel(t.Context(), r.ID, "enough"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				w.chat.Draw(card, open)
				time.Sleep(10 * time.Second)
				if got := w.chat.Card(card).State; got != ask.Cancelled {
					t.Errorf("the card is %s", got)
				}
				if got := w.load(r.ID); !got.DeliveryDue.IsZero() {
					t.Error("the record still lags")
				}
			})
		})
	}
}

// A thousand cards are due, and the platform takes its time for each.
func TestTakeoversAreBoundedAfterOutage(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		const due, most = 1000, 256
		hold := make(chan struct{})
		held := make([]bridgetest.Cue, due)
		for n := range held {
			held[n] = bridgetest.Cue{Hold: hold}
		}
		w.chat.On("find", held...)
		for n := range due {
			_, err := w.store.Create(t.Context(), bridge.Record{
				ID: fmt.Sprint("p", n), Questions: database().Questions, Policy: ask.PolicyOf(ask.Anyone),
				Outcome: ask.Outcome{State: ask.Open}, Revision: 1, Due: record.Forever,
				Copies: []bridge.Copy{{Target: ask.Place{Platform: "slack", Channel: fmt.Sprint("C", n)}, State: record.Pending}},
			}, func(r *bridge.Record, now time.Time) error {
				r.DeliveryDue = now.Add(time.Second)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if under := len(w.chat.Calls()); under < most || under > most+100 {
			t.Errorf("%d calls are under way", under)
		}
		close(hold)
		time.Sleep(time.Minute)
		if stand := len(w.chat.Standing()); stand != due {
			t.Errorf("%d cards stand", stand)
		}
	})
}
