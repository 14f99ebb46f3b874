package slack

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// TestFindReminderInLongThread: a thread was read from its beginning, hundreds of messages before the card, and a
// reminder that was not found was not retried.
func TestFindReminderInLongThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		root, err := w.sim.Seat(idSam).Say("C0000001", "", "Deploy 4.2?")
		w.must(err)
		for n := range findPages * findPage {
			_, err := w.sim.Seat(idSam).Say("C0000001", root, strconv.Itoa(n))
			w.must(err)
		}
		to := ask.Place{Platform: Name, Channel: "C0000001", Thread: root}
		card := w.post(to, one())
		var want platform.MessageRef
		for range 2 {
			if got, err := w.c.Reminded(t.Context(), to, card, 1, time.Now()); err != nil || got != want {
				t.Errorf("reminded: %v, %v, want %v", got, err, want)
			}
			want, err = w.c.Remind(t.Context(), to, card, w.card(one()), 1)
			w.must(err)
		}
	})
}

// A reminder whose reply was lost is searched before it is sent again. Neither other messages nor the reminder of
// another card may prevent it.
func TestRemindedMatchesOnlyItsCard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		root, err := w.sim.Seat(idSam).Say("C0000001", "", "Deploy 4.2?")
		w.must(err)
		to := ask.Place{Platform: Name, Channel: "C0000001", Thread: root}
		first, second := w.post(to, one()), w.post(to, one())
		reminded := func(when string, ref platform.MessageRef, step int, want platform.MessageRef) {
			t.Helper()
			if got, err := w.c.Reminded(t.Context(), to, ref, step, time.Now()); err != nil || got != want {
				t.Errorf("%s reminded: %v, %v", when, got, err)
			}
		}
		_, err = w.sim.Seat(idDana).Say("C0000001", root, "Which database?")
		w.must(err)
		none := platform.MessageRef{}
		reminded("after what somebody said", first, 1, none)
		posted, err := w.c.Remind(t.Context(), to, second, w.card(one()), 1)
		w.must(err)
		reminded("below another card", first, 1, none)
		reminded("once", second, 1, posted)
		reminded("for a later step", second, 2, none)
	})
}
