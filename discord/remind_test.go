package discord

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/platform"
)

// A reminder whose reply was lost is searched before it is sent again. Neither other messages nor the reminder of
// another card may prevent it.
func TestRemindedMatchesOnlyItsCard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		other := one()
		other.ID = "p0ABCDEFGHIJKLMNOPQRSTUVWXYA"
		first, second := w.post(inThread, one()), w.post(inThread, other)
		since := time.Now()
		reminded := func(when string, ref, want platform.MessageRef) {
			t.Helper()
			if got, err := w.c.Reminded(t.Context(), inThread, ref, 1, since); err != nil || got != want {
				t.Errorf("%s reminded: %v, %v", when, got, err)
			}
		}
		_, err := w.sim.Seat(idDana).Reply(idThread, first.Message, "Who does that?")
		w.must(err)
		none := platform.MessageRef{}
		reminded("after a reply", first, none)
		posted, err := w.c.Remind(t.Context(), inThread, second, w.card(other), 1)
		w.must(err)
		reminded("below another card", first, none)
		reminded("once", second, posted)
		since = since.Add(time.Hour)
		reminded("for a later step", second, none)
	})
}
