package slack

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// TestFindReminderInLongThread: a thread is read from where it began, hundreds of
// messages before the card, and what could not be told of was not said again.
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
		for _, want := range []bool{false, true} {
			if got, err := w.c.Reminded(t.Context(), to, card, 1, time.Now()); err != nil || got != want {
				t.Errorf("reminded: %v, %v, want %v", got, err, want)
			}
			w.must(w.c.Remind(t.Context(), to, card, w.card(one()), 1))
		}
	})
}

// A reminder whose reply was lost is looked for before it is said again: neither what people say
// there nor the reminder of another card may keep it back.
func TestRemindedMatchesOnlyItsCard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		root, err := w.sim.Seat(idSam).Say("C0000001", "", "Deploy 4.2?")
		w.must(err)
		to := ask.Place{Platform: Name, Channel: "C0000001", Thread: root}
		first, second := w.post(to, one()), w.post(to, one())
		reminded := func(when string, ref platform.MessageRef, step int, want bool) {
			t.Helper()
			if got, err := w.c.Reminded(t.Context(), to, ref, step, time.Now()); err != nil || got != want {
				t.Errorf("%s reminded: %v, %v", when, got, err)
			}
		}
		_, err = w.sim.Seat(idDana).Say("C0000001", root, "Which database?")
		w.must(err)
		reminded("after what somebody said", first, 1, false)
		w.must(w.c.Remind(t.Context(), to, second, w.card(one()), 1))
		reminded("below another card", first, 1, false)
		reminded("once", second, 1, true)
		reminded("for a later step", second, 2, false)
	})
}
