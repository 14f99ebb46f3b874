package bridge_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// The reply with a card update may never have arrived. Only a press on the card shows it.
func TestRefusalRedrawsOutdatedCard(t *testing.T) {
	t.Parallel()
	quorum := func(v ask.Voting) func(*ask.Request) {
		v.Mode, v.Need = ask.Quorum, 3
		return func(r *ask.Request) { r.Voting = v }
	}
	for name, tt := range map[string]struct {
		asks   func(*ask.Request)
		before func(w *fixture, r bridge.Record)
		then   func(r bridge.Record) platform.Interaction
		// note is the private note, shows what the card shows.
		note, shows string
	}{
		"another option after the end": {
			before: func(w *fixture, r bridge.Record) { w.act(choose(r, "U1", 0)) },
			then:   func(r bridge.Record) platform.Interaction { return choose(r, "U2", 1) },
			note:   "Already answered by U1", shows: "✓ Postgres",
		},
		"a form after the end": {
			before: func(w *fixture, r bridge.Record) { w.act(choose(r, "U1", 0)) },
			then:   func(r bridge.Record) platform.Interaction { return press(r, "U2", render.OpenText, 0, -1) },
			note:   "Already answered by U1", shows: "✓ Postgres",
		},
		"an option after the deadline": {
			asks:   func(r *ask.Request) { r.ExpiresIn = time.Minute },
			before: func(*fixture, bridge.Record) { time.Sleep(time.Minute + time.Second) },
			then:   func(r bridge.Record) platform.Interaction { return choose(r, "U2", 1) },
			note:   "expired", shows: "Expired",
		},
		"an option from before a revision": {
			before: func(w *fixture, r bridge.Record) { w.revises(r, "It has to be free.") },
			then:   func(r bridge.Record) platform.Interaction { return choose(r, "U2", 1) },
			note:   "revised", shows: "It has to be free.",
		},
		"a form from before a revision": {
			before: func(w *fixture, r bridge.Record) { w.revises(r, "It has to be free.") },
			then:   func(r bridge.Record) platform.Interaction { return press(r, "U2", render.OpenText, 0, -1) },
			note:   "revised", shows: "It has to be free.",
		},
		"another option while a decision can be undone": {
			asks:   func(r *ask.Request) { r.Hold = time.Minute },
			before: func(w *fixture, r bridge.Record) { w.act(choose(r, "U1", 0)) },
			then:   func(r bridge.Record) platform.Interaction { return choose(r, "U2", 1) },
			note:   "decided", shows: "can be undone",
		},
		"undoing what was undone": {
			asks: func(r *ask.Request) { r.Hold = time.Minute },
			before: func(w *fixture, r bridge.Record) {
				w.act(choose(r, "U1", 0))
				w.act(undo(r, "U1", 98))
			},
			then: func(r bridge.Record) platform.Interaction {
				i := undo(r, "U1", 99)
				i.ID = "again"
				return i
			},
			note: "nothing to undo", shows: "Which database?",
		},
		"a vote already counted": {
			asks:   quorum(ask.Voting{Change: new(bool)}),
			before: func(w *fixture, r bridge.Record) { w.act(choose(r, "U1", 0)) },
			then:   func(r bridge.Record) platform.Interaction { return choose(r, "U1", 1) },
			note:   "votes here are final", shows: "Postgres 1 of 3",
		},
		"taking back what was taken back": {
			asks: quorum(ask.Voting{}),
			before: func(w *fixture, r bridge.Record) {
				w.act(choose(r, "U1", 0))
				w.act(press(r, "U1", render.TakeBack, -1, -1))
			},
			then: func(r bridge.Record) platform.Interaction { return press(r, "U1", render.TakeBack, -1, -1) },
			note: "no vote to take back", shows: "Which database?",
		},
		"an option, by the person who passed it on": {
			asks: func(r *ask.Request) { r.Schedule.PassOn = true },
			before: func(w *fixture, r bridge.Record) {
				i := press(r, "U1", render.SubmitPass, -1, -1)
				i.Chosen = &ask.Responder{Person: ask.Person{Platform: "slack", ID: "U2", Name: "U2"}, Membership: ask.Member}
				w.act(i)
			},
			then: func(r bridge.Record) platform.Interaction { return choose(r, "U1", 1) },
			note: "You passed this on", shows: "Passed on:",
		},
	} {
		t.Run(name, func(t *testing.T) {
			inSharedWorld(t, func(t *testing.T, w *fixture) {
				if tt.asks == nil {
					tt.asks = func(*ask.Request) {}
				}
				r := w.submit(database(tt.asks))
				tt.before(w, r)
				reply := w.act(tt.then(r))
				w.wantNote(reply, tt.note)
				drawn := reply.Redrawn()
				if len(drawn) != 1 || !strings.Contains(text(drawn[0]), tt.shows) {
					t.Errorf("the reply draws %d cards, want one that shows %q: %s", len(drawn), tt.shows, texts(drawn))
				}
			})
		})
	}
}

func texts(cards []render.Card) string {
	var all []string
	for _, c := range cards {
		all = append(all, text(c))
	}
	return strings.Join(all, "\n")
}

// revises changes the context of a request.
func (w *fixture) revises(r bridge.Record, context string) {
	w.t.Helper()
	if _, err := w.Talk().Revise(w.t.Context(), r.ID, ask.Revision{Context: &context}, ask.Voting{}); err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
}

func TestRefusalOnCurrentCardOnlySendsNote(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *fixture) {
		r := w.submit(database(checks, func(r *ask.Request) { r.Responders = []string{"slack:U1"} }))
		for what, i := range map[string]platform.Interaction{
			"the wrong person": choose(r, "U2", 1),
			"too little":       press(r, "U1", render.Submit, -1, -1),
		} {
			reply := w.act(i)
			synctest.Wait()
			if len(reply.Redrawn()) != 0 || len(reply.EphemeralReplies()) != 1 {
				t.Errorf("%s: %d cards and %d notes, want a note", what, len(reply.Redrawn()), len(reply.EphemeralReplies()))
			}
		}
		w.calls("post C1")
	})
}

func TestFailedRedrawOfRefusalUpdatesCard(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		w.act(choose(r, "U1", 0))
		synctest.Wait()
		w.chat.On("redraw", bridgetest.Cue{Err: refusal(platform.Ambiguous, "timeout")})
		w.wantNote(w.act(choose(r, "U2", 1)), "Already answered by U1")
		w.calls("post C1", "redraw m1", "redraw m1", "update m1")
	})
}

// Slack reports whether it updated a card, so a card used soon after a change was still being updated.
func TestOutdatedCardUpdatesOnceWhenUsed(t *testing.T) {
	for name, change := range map[string]func(w *fixture, r bridge.Record){
		"ended":   func(w *fixture, r bridge.Record) { w.act(choose(r, "U1", 0)) },
		"revised": func(w *fixture, r bridge.Record) { w.revises(r, "It has to be free.") },
	} {
		for _, v := range []render.Verb{render.Choose, render.OpenText} {
			t.Run(name+" "+string(v), func(t *testing.T) {
				inFixture(t, nil, func(t *testing.T, w *fixture) {
					r := w.submit(database())
					change(w, r)
					synctest.Wait()
					w.act(press(r, "U2", v, 0, 1))
					synctest.Wait()
					if calls := w.chat.Calls(); !slices.Equal(calls, []string{"post C1", "update m1"}) {
						t.Fatalf("a press in the same moment updates the card: %v", calls)
					}
					time.Sleep(time.Minute)
					slow := make(chan struct{})
					w.chat.On("update", bridgetest.Cue{Hold: slow})
					for range 3 {
						w.act(press(r, "U2", v, 0, 1))
						synctest.Wait()
					}
					close(slow)
					w.calls("post C1", "update m1", "update m1")
					if got := w.load(r.ID); !got.DeliveryDue.IsZero() {
						t.Errorf("delivery due %s", got.DeliveryDue)
					}
				})
			})
		}
	}
}
