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
	"github.com/askbridge/askbridge/store/memory"
)

// One form in 79, sent while its request ended, had no answer in three seconds
// over the gateway: it waited for the card, which was being edited.
func TestAFormThatIsSentWhileItsRequestEndsIsAnsweredInTime(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { sendWhileItEnds(t, rand.New(rand.NewPCG(seed, 1))) }) //nolint:gosec // Chance, to be had again.
		})
	}
}

func sendWhileItEnds(t *testing.T, chance *rand.Rand) {
	t.Helper()
	some := func(most time.Duration) time.Duration { return time.Duration(chance.Int64N(int64(most))) }
	w := newFixture(t, ModeGateway, nil)
	w.sim.Expect("ack.once") // Who got no reply to an answer in time gives it again.
	store := bridgetest.NewFaulty(memory.New())
	b, err := bridge.New(store, []bridge.Platform{w.c}, &bridge.Options{Logger: w.log.logger()})
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
	made, err := b.Submit(t.Context(), ask.Request{Questions: one().Questions, To: []ask.Place{inChannel}})
	w.must(err)
	synctest.Wait()

	seat := w.sim.Seat(idDana)
	label := []string{"Other…", "Dismiss…"}[chance.IntN(2)]
	w.must(seat.Press(t.Context(), label))
	w.must(seat.Fill(t.Context(), "", "CockroachDB"))
	store.Slow(some(2 * time.Second))
	for range 3 {
		w.sim.Fault(opEdit, chatsim.Delay(some(8*time.Second)))
	}
	for range 4 {
		w.sim.Fault(callback, chatsim.Delay(some(900*time.Millisecond)))
	}
	var all sync.WaitGroup
	all.Go(func() {
		pass(some(2 * time.Second))
		switch chance.IntN(2) {
		case 0:
			_, err := b.Cancel(t.Context(), made.Record.ID, "found out")
			w.must(err)
		default:
			if err := w.sim.Seat(idSam).Press(t.Context(), "SQLite"); err != nil && !errors.Is(err, chatsim.ErrNotThere) {
				t.Errorf("the press that ends it: %v", err)
			}
		}
	})
	pass(some(3 * time.Second))
	if err := seat.Submit(t.Context()); err != nil {
		t.Errorf("the form: %v\n%s", err, w.sim.Timeline())
	}
	all.Wait()
	store.Slow(0)
	pass(time.Minute)
	if sees := seat.Sees(); strings.Contains(sees, "thinking") || strings.Contains(sees, "[") {
		t.Errorf("in the end there is\n%s", sees)
	}
}
