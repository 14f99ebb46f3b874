package bridge_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// revised has the agent revise a request and lets time pass.
func (w *fixture) revised(r bridge.Record) bridge.Record {
	w.t.Helper()
	context := "Postgres is in use already."
	if _, err := w.Talk().Revise(w.t.Context(), r.ID, ask.Revision{Context: &context}, ask.Voting{}); err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(10 * time.Second)
	return w.load(r.ID)
}

// A page turn redraws the open card in its reply, which Discord accepts after another replica has closed the card.
func TestPageTurnDoesNotReopenClosedCard(t *testing.T) {
	t.Parallel()
	for name, look := range map[string]func(w *fixture, r bridge.Record) platform.Interaction{
		"a page is turned": func(_ *fixture, r bridge.Record) platform.Interaction {
			return press(r, "U1", render.TurnPage, 1, -1)
		},
		"a form of what was asked before is refused": func(w *fixture, r bridge.Record) platform.Interaction {
			w.revised(r)
			return press(r, "U1", render.OpenText, 0, -1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", shared)}
				stop := w.begin(nil)
				other, stopOther := w.replica()
				defer stopOther()
				r := w.submit(database(checks))
				card := r.Copies[0].Ref
				drawn := w.act(look(w, r)).Redrawn()
				if len(drawn) != 1 || drawn[0].State != ask.Open {
					t.Fatalf("the reply drew %d cards", len(drawn))
				}
				stop()
				if _, err := other.Cancel(t.Context(), r.ID, ""); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				w.chat.Draw(card, drawn[0]) // The reply arrives.
				time.Sleep(10 * time.Second)
				if got := w.chat.Card(card).State; got != ask.Cancelled {
					t.Errorf("the card is %s", got)
				}
			})
		})
	}
}

func TestFormOfRevisedCardRedrawsNothing(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.revised(w.submit(database()))
		before := len(w.chat.Calls())
		i := press(r, "U1", render.OpenText, 0, -1)
		i.Token.Revised = r.Revised
		if reply := w.act(i); len(reply.Forms()) != 1 {
			t.Errorf("%d forms were opened", len(reply.Forms()))
		}
		synctest.Wait()
		if after := w.chat.Calls(); len(after) != before {
			t.Errorf("the platform was asked %v", after[before:])
		}
	})
}
