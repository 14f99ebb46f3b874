package bridge_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
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

// undo returns a press on Undo.
func undo(r bridge.Record, who string, order int64) platform.Interaction {
	i := choose(r, who, 0)
	i.ID, i.Order, i.Token = i.ID+"-undo", order, render.Token{Request: r.ID, Verb: render.Undo, Question: -1, Option: -1}
	return i
}

func TestHoldIsMaximumOfRequestRouteAndToken(t *testing.T) {
	to := []ask.Place{{Platform: "slack", Channel: "C1"}}
	opts := bridge.Options{Routes: map[string]bridge.Route{"held": {To: to, Terms: ask.Terms{Hold: 30 * time.Second}}, "free": {To: to}}}
	for name, tt := range map[string]struct {
		change func(*ask.Request)
		want   time.Duration
	}{
		"unset":                        {func(r *ask.Request) { r.Route = "free" }, 0},
		"by the request":               {func(r *ask.Request) { r.Route, r.Hold = "free", 10*time.Second }, 10 * time.Second},
		"the route does":               {func(r *ask.Request) { r.Route = "held" }, 30 * time.Second},
		"the token does":               {func(r *ask.Request) { r.Route, r.Token.Hold = "free", time.Minute }, time.Minute},
		"the request asks for less":    {func(r *ask.Request) { r.Route, r.Hold = "held", 10*time.Second }, 30 * time.Second},
		"the request asks for more":    {func(r *ask.Request) { r.Route, r.Hold, r.Token.Hold = "held", 2*time.Minute, time.Minute }, 2 * time.Minute},
		"the token asks for even more": {func(r *ask.Request) { r.Route, r.Hold, r.Token.Hold = "held", 10*time.Second, time.Minute }, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, &opts, func(t *testing.T, w *fixture) {
				r := w.submit(database(tt.change, func(r *ask.Request) { r.To = nil }))
				if r.Hold != tt.want {
					t.Errorf("it is held for %s, want %s", r.Hold, tt.want)
				}
			})
		})
	}
}

func TestHoldOutsideLimitsRejected(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		for _, span := range []time.Duration{-time.Second, time.Millisecond, 11 * time.Minute} {
			if _, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.Hold = span })); !errors.Is(err, ask.ErrHold) || !strings.Contains(err.Error(), "hold: ") {
				t.Errorf("a hold of %s: %v", span, err)
			}
		}
	})
	_, err := bridge.New(memory.New(), []platform.Platform{bridgetest.NewScript("slack", render.Limits{})}, &bridge.Options{
		Routes: map[string]bridge.Route{"long": {To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Terms: ask.Terms{Hold: time.Hour}}},
	})
	if err == nil || !strings.Contains(err.Error(), "routes.long.hold: must be between 1s and 10m0s") {
		t.Errorf("a route that holds for an hour: %v", err)
	}
}

func TestHeldCardShowsUndoDeadline(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Hold = 10 * time.Minute }))
		end := time.Now().Add(10 * time.Minute)
		w.act(choose(r, "U1", 1))
		time.Sleep(9 * time.Minute)
		card := w.chat.Card(w.chat.Standing()[0])
		var until time.Time
		for _, s := range card.Sections {
			for _, span := range s.Text {
				if s.ID == "end" && span.Style == render.Moment {
					until = span.Time
				}
			}
		}
		if shown := text(card); !until.Equal(end) || !strings.Contains(shown, "can be undone until") {
			t.Errorf("a minute before the end the card shows %s, want %s:\n%s", until, end, shown)
		}
	})
}

func TestAgentWakesAfterHold(t *testing.T) {
	withPhone(t, []error{nil}, func(t *testing.T, w *fixture, p *phone) {
		r := w.submit(database(func(r *ask.Request) { r.Hold, r.Webhook = 10*time.Second, "https://agent.example" }))
		over := make(chan ask.Outcome, 1)
		go func() {
			if ended, err := w.Wait(t.Context(), r.ID); err == nil {
				over <- ended.Outcome
			}
		}()
		var followed atomic.Pointer[bridge.Record]
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		go func() {
			_ = w.Follow(ctx, bridge.Selection{Request: r.ID}, func(e bridge.Event) error {
				followed.Store(&e.Record)
				return nil
			})
		}()
		synctest.Wait()
		w.act(choose(r, "U1", 1))
		time.Sleep(10*time.Second - 1)
		now := w.load(r.ID)
		calls, _ := p.received()
		if !now.Open() || now.Text() != "" || len(over) > 0 || len(calls) > 0 || !followed.Load().Open() {
			t.Fatalf("before the end: %s, %d woken, %d called, followed %s", now.Outcome.State, len(over), len(calls), followed.Load().Outcome.State)
		}
		if card := text(w.chat.Card(w.chat.Standing()[0])); !strings.Contains(card, "can be undone for 10 seconds") {
			t.Errorf("card:\n%s", card)
		}
		time.Sleep(time.Second)
		if o := <-over; o.State != ask.Answered || o.By.ID != "U1" {
			t.Errorf("it ended as %+v", o)
		}
		if calls, _ := p.received(); len(calls) != 1 || !strings.Contains(calls[0].Text(), "SQLite") {
			t.Errorf("the agent was called with %+v", calls)
		}
		if followed.Load().Open() {
			t.Error("the follower saw no end")
		}
		if card := text(w.chat.Card(w.chat.Standing()[0])); strings.Contains(card, "undone") {
			t.Errorf("card:\n%s", card)
		}
	})
}

func TestOtherReplicaFinalizesHeldDecision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		stop := w.begin(nil, w.chat)
		r := w.submit(database(func(r *ask.Request) { r.Hold = time.Minute }))
		w.act(choose(r, "U1", 1))
		stop()
		time.Sleep(30 * time.Second)
		w.chat = bridgetest.NewScript("slack", render.Limits{})
		defer w.begin(nil, w.chat)()
		time.Sleep(30*time.Second + 100*time.Millisecond)
		synctest.Wait()
		now := w.load(r.ID)
		if o := now.Outcome; o.State != ask.Answered || o.By.ID != "U1" || now.Winner == "" || !now.EndedAt.Before(o.At.Add(time.Second)) {
			t.Errorf("got %+v", now)
		}
		w.wantNote(w.act(undo(r, "U1", 99)), "Too late to undo. Already answered by U1: SQLite.")
	})
}

func TestNotesDuringHold(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Hold = 10 * time.Second }))
		w.wantNote(w.act(undo(r, "U1", 1)), "There is nothing to undo here.")
		w.act(choose(r, "U1", 1))
		w.wantNote(w.act(choose(r, "U2", 0)), "Already decided, but not final: it can still be undone.")
		form := choose(r, "U2", 0)
		form.Token = render.Token{Request: r.ID, Verb: render.OpenText, Question: 0, Option: -1}
		w.wantNote(w.act(form), "Already decided, but not final: it can still be undone.")
		w.wantNote(w.act(undo(r, "U2", 98)), "You did not decide this, so you cannot undo it.")
		w.wantNote(w.act(undo(r, "U1", 99)), "Undone. The agent got no answer. The question is open again.")
		if now := w.load(r.ID); !now.Open() || now.Held != nil {
			t.Errorf("got %+v", now)
		}
	})
}

func TestUndoAfterDeadlineNote(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Hold, r.ExpiresIn = time.Minute, time.Hour }))
		time.Sleep(time.Hour - time.Second)
		w.act(choose(r, "U1", 1))
		time.Sleep(2 * time.Second)
		w.wantNote(w.act(undo(r, "U1", 99)), "Undone. The agent got no answer. The time to answer is over.")
		if now := w.load(r.ID); now.Outcome.State != ask.Expired {
			t.Errorf("got %+v", now.Outcome)
		}
	})
}

func TestUndoAfterDeadlineOverAPIExpires(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Hold, r.ExpiresIn = time.Minute, time.Hour }))
		dana := bridge.Operator{Name: "dana", As: []string{"slack:U1"}}
		time.Sleep(time.Hour - time.Second)
		w.act(choose(r, "U1", 1))
		time.Sleep(2 * time.Second)
		if got, err := w.Answer(t.Context(), r.ID, dana, "one", ask.Action{Kind: ask.Undo, Question: -1, Option: -1}); err != nil || got.Outcome.State != ask.Expired {
			t.Errorf("got %+v: %v", got.Outcome, err)
		}
	})
}

func TestAPIAnswerCanBeUndone(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Hold = 10 * time.Second }))
		dana, sam := bridge.Operator{Name: "dana", As: []string{"slack:U1"}}, bridge.Operator{Name: "sam"}
		undo := ask.Action{Kind: ask.Undo, Question: -1, Option: -1}
		got, err := w.Answer(t.Context(), r.ID, dana, "one", ask.Action{Kind: ask.SubmitAll, Question: -1, Option: -1, Picks: map[int][]int{0: {1}}})
		if err != nil || got.Held == nil || !got.Open() {
			t.Fatalf("got %+v: %v", got, err)
		}
		var verdict *bridge.VerdictError
		if _, err := w.Answer(t.Context(), r.ID, sam, "two", undo); !errors.As(err, &verdict) || verdict.Verdict != record.Theirs {
			t.Errorf("undone by another person: %v", err)
		}
		if got, err := w.Answer(t.Context(), r.ID, dana, "three", undo); err != nil || got.Held != nil || !got.Open() {
			t.Errorf("got %+v: %v", got, err)
		}
		w.act(choose(r, "U1", 1)) // The same person in chat.
		if got, err := w.Answer(t.Context(), r.ID, dana, "four", undo); err != nil || got.Held != nil {
			t.Errorf("got %+v: %v", got, err)
		}
	})
}

func TestHoldIsPartOfFingerprint(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		w.submit(database())
		if _, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.Hold = time.Second })); !errors.Is(err, bridge.ErrConflict) {
			t.Errorf("the same request with a hold: %v, want a conflict", err)
		}
	})
}

func TestCardPostedDuringHoldNotifiesNoOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{MentionsRing: true})}
		defer w.begin(nil)()
		w.chat.On("post", bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "chat.postMessage", Kind: platform.RateLimited, RetryAfter: 30 * time.Second, Code: "ratelimited"}})
		r := w.submit(database(func(r *ask.Request) { r.Hold = time.Minute }))
		w.act(choose(r, "U1", 1))
		time.Sleep(31 * time.Second)
		synctest.Wait()
		standing := w.chat.Standing()
		if now := w.load(r.ID); now.Held == nil || len(standing) != 1 {
			t.Fatalf("%d cards, record %+v", len(standing), now)
		}
		card := w.chat.Card(standing[0])
		spans := slices.Clone(card.Summary)
		for _, s := range card.Sections {
			spans = append(spans, s.Text...)
		}
		if named := slices.IndexFunc(spans, func(s render.Span) bool { return s.Style == render.Mention }); named >= 0 {
			t.Errorf("it rings %s:\n%s", spans[named].Person.ID, text(card))
		}
	})
}

func TestSecondVetoNoteDuringHold(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) {
			r.Hold, r.Voting = 10*time.Second, ask.Voting{Mode: ask.Quorum, Need: 3, Needs: map[string]int{"SQLite": 2}}
		}))
		for _, who := range []string{"U1", "U2", "U3"} {
			w.act(choose(r, who, 0))
		}
		notes := w.act(choose(r, "U4", 1)).EphemeralReplies()
		if len(notes) != 1 || notes[0].Text != "Your vote for SQLite is in." {
			t.Errorf("private notes %v", notes)
		}
	})
}
