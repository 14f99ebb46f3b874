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

// notice holds the arguments of a call of Notify's f.
type notice struct {
	r   *bridge.Record
	err error
}

// notify registers with Notify and returns a channel with the notices.
func notify(place *bridge.Parked) <-chan notice {
	notices := make(chan notice, 2)
	place.Notify(func(r *bridge.Record, err error) { notices <- notice{r, err} })
	return notices
}

func TestNotifyCallsEachCallerOnce(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		early, slow, gone := w.Park(r.ID), w.Park(r.ID), w.Park(r.ID)
		notices, never := notify(early), notify(gone)
		gone.Leave()
		gone.Leave()
		synctest.Wait()
		if len(notices) != 0 {
			t.Error("notified while the request is open")
		}
		if last, err := early.Last(); last != nil || err != nil {
			t.Errorf("an open request has ended: %v, %v", last, err)
		}
		w.act(choose(r, "U1", 0))
		synctest.Wait()
		late := notify(slow) // After the end.
		for _, c := range []<-chan notice{notices, late} {
			if n := <-c; n.err != nil || n.r.Outcome.State != ask.Answered {
				t.Errorf("notified with %+v, %v", n.r, n.err)
			}
		}
		early.Leave()
		slow.Leave()
		synctest.Wait()
		if len(notices)+len(late) != 0 {
			t.Error("notified twice")
		}
		if len(never) != 0 {
			t.Error("notified after leaving")
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
		notices := notify(place)
		stop()
		if len(notices) != 1 {
			t.Fatal("the bridge did not wait until its callers were notified")
		}
		if n := <-notices; n.r != nil || !errors.Is(n.err, bridge.ErrClosed) {
			t.Errorf("notified with %+v, %v", n.r, n.err)
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
