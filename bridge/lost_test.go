package bridge_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store"
)

// The store goes away between a post and the note of where it stands.
func TestACardIsPostedOnceAlthoughTheStoreGoesAway(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(f *bridgetest.Faulty, yes bool){
		"unreachable": func(f *bridgetest.Faulty, yes bool) { f.Away(yes) },
		"reply lost":  func(f *bridgetest.Faulty, yes bool) { f.LoseReplies(yes) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				faulty := bridgetest.NewFaulty(store.NewMemory())
				w := &world{t: t, store: faulty, chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(nil)()
				posting := make(chan struct{})
				w.chat.On("post", bridgetest.Cue{Hold: posting})
				made := make(chan bridge.Record, 1)
				go func() {
					s, err := w.Submit(t.Context(), database())
					if err != nil {
						t.Error(err)
					}
					made <- s.Record
				}()
				synctest.Wait()
				away(faulty, true)
				close(posting)
				time.Sleep(45 * time.Second)
				away(faulty, false)
				time.Sleep(time.Minute)
				r := w.load((<-made).ID)
				if c := r.Copies; len(c) != 1 || c[0].State != bridge.Posted || len(w.chat.Standing()) != 1 {
					t.Fatalf("the copies are %+v, and %d cards stand", c, len(w.chat.Standing()))
				}
				w.act(choose(r, "U1", 0))
				synctest.Wait()
				if card := w.chat.Card(w.chat.Standing()[0]); card.State != ask.Answered {
					t.Errorf("the card shows %s", card.State)
				}
			})
		})
	}
}

// A reply that was sent and never arrived leaves controls on a card that counts
// as drawn.
func TestACardThatIsUsedLongAfterItsEndIsDrawnAgain(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *world) {
		r := w.submit(database())
		w.act(choose(r, "U1", 0))
		w.act(choose(r, "U2", 1))
		if calls := w.chat.Calls(); slices.Contains(calls, "update m1") {
			t.Errorf("a press in the same moment repaints the card: %v", calls)
		}
		time.Sleep(time.Minute)
		w.says(w.act(choose(r, "U2", 1)), "Already answered by U1")
		w.calls("post C1", "redraw m1", "update m1")
		w.says(w.act(choose(r, "U2", 1)), "Already answered by U1")
		if got := w.load(r.ID); got.Outcome.By.ID != "U1" || !got.Lagging.IsZero() {
			t.Errorf("decided by %s, lagging %s", got.Outcome.By.ID, got.Lagging)
		}
	})
}

func TestAResultThatCannotBeStoredForLongIsLeftToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		faulty := bridgetest.NewFaulty(store.NewMemory())
		w := &world{t: t, store: faulty, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(nil)()
		posting := make(chan struct{})
		w.chat.On("post", bridgetest.Cue{Hold: posting})
		// Nobody can tell what stands there, so the takeover posts again.
		w.chat.On("find", bridgetest.Cue{Err: errors.New("no permission")})
		done := make(chan bridge.Record, 1)
		go func() {
			s, _ := w.Submit(t.Context(), database())
			done <- s.Record
		}()
		synctest.Wait()
		faulty.Away(true)
		close(posting)
		time.Sleep(10 * time.Minute)
		faulty.Away(false)
		time.Sleep(time.Minute)
		r := w.load((<-done).ID)
		if r.Copies[0].State != bridge.Posted || len(w.chat.Standing()) != 2 {
			t.Errorf("the copy is %s, and %d cards stand, want one more than one", r.Copies[0].State, len(w.chat.Standing()))
		}
	})
}
