package discord

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store/memory"
)

// One form in 79, submitted while its request ended, got no answer in three seconds over the gateway: its answer
// updates the card, which was being edited.
func TestFormSubmitDuringEndIsAcknowledged(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { sendWhileItEnds(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func sendWhileItEnds(t *testing.T, chance *rand.Rand) {
	t.Helper()
	some := func(most time.Duration) time.Duration { return time.Duration(chance.Int64N(int64(most))) }
	w := newFixture(t, ModeGateway, nil)
	store := bridgetest.NewFaulty(memory.New())
	b, err := bridge.New(store, []platform.Platform{w.c}, &bridge.Options{Logger: w.log.Logger()})
	w.must(err)
	ctx, stop := context.WithCancel(t.Context())
	var ended error
	var running sync.WaitGroup
	running.Go(func() { ended = b.Run(ctx) })
	defer func() {
		stop()
		running.Wait()
		if err := errors.Join(ended, store.Close()); err != nil {
			t.Error(err)
		}
	}()
	synctest.Wait()
	questions := append(one().Questions, ask.Question{Text: "Why?", Options: []ask.Option{{Label: "Speed"}, {Label: "Price"}}})
	made, err := b.Submit(t.Context(), ask.Request{Questions: questions, To: []ask.Place{inChannel, {Platform: Name, Channel: general}}})
	w.must(err)
	synctest.Wait()

	seat := w.sim.Seat(idDana).In(deploys)
	sam := w.sim.Seat(idSam).In(general)
	w.must(sam.Press(t.Context(), "Answer…"))
	w.must(sam.Pick(t.Context(), "Why?", "Speed"))
	if chance.IntN(2) == 0 {
		w.must((chatsim.Hand{Seat: seat}).Rare(t.Context(), "Dismiss…"))
		w.must(seat.Fill(t.Context(), "", "CockroachDB"))
	} else {
		w.must(seat.Press(t.Context(), "Answer…"))
		w.must(seat.Fill(t.Context(), "Which database?", "CockroachDB"))
	}
	store.Slow(some(2 * time.Second))
	for range 3 {
		w.sim.Fault("edit message", chatsim.Delay(some(8*time.Second)))
	}
	for range 4 {
		w.sim.Fault(callback, chatsim.Delay(some(600*time.Millisecond)))
	}
	withdrawn, meanwhile := chance.IntN(3) == 0, some(2*time.Second)
	var all sync.WaitGroup
	all.Go(func() {
		pass(meanwhile)
		if withdrawn {
			_, err := b.Cancel(t.Context(), made.Record.ID, "found out")
			w.must(err)
			return
		}
		// The card of the form is edited to show this, and the form ends the request.
		if err := sam.Submit(t.Context()); err != nil {
			t.Errorf("a form meanwhile: %v", err)
		}
	})
	pass(some(3 * time.Second))
	if err := seat.Submit(t.Context()); err != nil {
		t.Errorf("the form: %v\n%s", err, w.sim.Timeline())
	}
	all.Wait()
	store.Slow(0)
	pass(time.Minute)
	if sees := seat.Sees(); strings.Contains(sees, "thinking") || strings.Contains(sees, "[More…]") {
		t.Errorf("in the end there is\n%s\n%s", sees, w.sim.Timeline())
	}
}
