package bridge_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store"
)

// lazy is a store that puts changes off for a second, and loses the first few of
// them, as a process does that dies.
type lazy struct {
	bridge.Store

	loses atomic.Int64
	made  atomic.Int64
}

func (l *lazy) ChangeLater(id string, f bridge.Transition, done func(bridge.Record, error)) bool {
	if l.loses.Add(-1) >= 0 {
		return true
	}
	time.AfterFunc(time.Second, func() {
		l.made.Add(1)
		done(l.Change(context.Background(), id, f))
	})
	return true
}

func inLazyWorld(t *testing.T, loses int64, f func(w *world, l *lazy)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lazy{Store: store.NewMemory()}
		l.loses.Store(loses)
		w := &world{t: t, store: l, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(nil)()
		f(w, l)
	})
}

func TestThatAClosedCardStandsIsWrittenDownLater(t *testing.T) {
	inLazyWorld(t, 0, func(w *world, l *lazy) {
		r := w.submit(database())
		w.act(choose(r, "U1", 0))
		if got := w.load(r.ID); got.Open() || got.Lagging.IsZero() {
			t.Errorf("at once it is %q and lags since %v, want the answer alone", got.Outcome.State, got.Lagging)
		}
		time.Sleep(2 * time.Second)
		if got := w.load(r.ID); !got.Lagging.IsZero() || got.Copies[0].Painted != got.Face || l.made.Load() != 1 {
			t.Errorf("two seconds later it lags since %v with face %d of %d, after %d changes", got.Lagging, got.Copies[0].Painted, got.Face, l.made.Load())
		}
		time.Sleep(time.Minute)
		w.calls("post C1", "update m1")
	})
}

func TestACardWhoseNoteWasLostIsPaintedOnceMore(t *testing.T) {
	inLazyWorld(t, 1, func(w *world, _ *lazy) {
		r := w.submit(database())
		w.act(choose(r, "U1", 0))
		time.Sleep(time.Minute)
		w.calls("post C1", "update m1", "update m1")
		if got := w.load(r.ID); !got.Lagging.IsZero() {
			t.Errorf("it still lags since %v", got.Lagging)
		}
	})
}
