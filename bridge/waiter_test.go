package bridge_test

import (
	"context"
	"errors"
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

// notice is what a call of Notify's f was given.
type notice struct {
	r   *bridge.Record
	err error
}

// notify asks to be told on the channel it returns.
func notify(place *bridge.Parked) <-chan notice {
	told := make(chan notice, 2)
	place.Notify(func(r *bridge.Record, err error) { told <- notice{r, err} })
	return told
}

func TestNotifyCallsEachCallerOnce(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		early, slow, gone := w.Park(r.ID), w.Park(r.ID), w.Park(r.ID)
		told, never := notify(early), notify(gone)
		gone.Leave()
		gone.Leave()
		synctest.Wait()
		if len(told) != 0 {
			t.Error("told while the request is open")
		}
		if last, err := early.Last(); last != nil || err != nil {
			t.Errorf("an open request has ended: %v, %v", last, err)
		}
		w.act(choose(r, "U1", 0))
		synctest.Wait()
		late := notify(slow) // It comes when all is over.
		for _, c := range []<-chan notice{told, late} {
			if n := <-c; n.err != nil || n.r.Outcome.State != ask.Answered {
				t.Errorf("told of %+v, %v", n.r, n.err)
			}
		}
		early.Leave()
		slow.Leave()
		synctest.Wait()
		if len(told)+len(late) != 0 {
			t.Error("told twice")
		}
		if len(never) != 0 {
			t.Error("told after it had left")
		}
	})
}

func TestNotifyReportsStoppedBridge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		stop := w.begin(nil)
		place := w.Park(w.submit(database()).ID)
		defer place.Leave()
		told := notify(place)
		stop()
		if len(told) != 1 {
			t.Fatal("the bridge did not wait until its callers were told")
		}
		if n := <-told; n.r != nil || !errors.Is(n.err, bridge.ErrClosed) {
			t.Errorf("told of %+v, %v", n.r, n.err)
		}
		late := w.Park("p-any")
		defer late.Leave()
		if _, err := late.Wait(t.Context()); !errors.Is(err, bridge.ErrClosed) {
			t.Errorf("a caller who comes after the end got %v", err)
		}
	})
}

func TestWaitReturnsCauseOfContext(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		why := errors.New("had enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, why)
		defer cancel()
		if last, err := w.Wait(ctx, r.ID); last != nil || !errors.Is(err, why) {
			t.Errorf("got %+v, %v", last, err)
		}
	})
}

func TestStorePanicReachesCaller(t *testing.T) {
	t.Parallel()
	b, err := bridge.New(broken{memory.New()}, []platform.Platform{bridgetest.NewScript("slack", render.Limits{})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if p := recover(); p != "boom" {
			t.Errorf("recovered %v", p)
		}
	}()
	_, err = b.Wait(t.Context(), "p-any")
	t.Errorf("it returned %v", err)
}

type broken struct{ bridge.Store }

func (broken) Load(context.Context, string) (bridge.Record, error) { panic("boom") }
