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
	"github.com/askbridge/askbridge/store/memory"
)

// lazy is a store that delays changes by a second and loses the first few, as a crashing process does.
type lazy struct {
	bridge.Store

	loses atomic.Int64
	made  atomic.Int64
}

func (l *lazy) WriteBehind(id string, f bridge.Transition, done func(bridge.Record, error)) bool {
	if l.loses.Add(-1) >= 0 {
		return true
	}
	time.AfterFunc(time.Second, func() {
		l.made.Add(1)
		done(l.Change(context.Background(), id, f))
	})
	return true
}

func inLazyWorld(t *testing.T, loses int64, f func(w *fixture, l *lazy)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lazy{Store: memory.New()}
		l.loses.Store(loses)
		w := &fixture{t: t, store: l, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(nil)()
		f(w, l)
	})
}

func TestClosedCardResultIsWrittenBehind(t *testing.T) {
	inLazyWorld(t, 0, func(w *fixture, l *lazy) {
		r := w.submit(database())
		w.act(choose(r, "U1", 0))
		if got := w.load(r.ID); got.Open() || got.DeliveryDue.IsZero() {
			t.Errorf("at once it is %q and lags since %v, want the answer alone", got.Outcome.State, got.DeliveryDue)
		}
		time.Sleep(2 * time.Second)
		if got := w.load(r.ID); !got.DeliveryDue.IsZero() || got.Copies[0].Rendered != got.Revision || l.made.Load() != 1 {
			t.Errorf("two seconds later it lags since %v with revision %d of %d, after %d changes", got.DeliveryDue, got.Copies[0].Rendered, got.Revision, l.made.Load())
		}
		time.Sleep(time.Minute)
		w.calls("post C1", "update m1")
	})
}

func TestLostWriteBehindRendersCardAgain(t *testing.T) {
	inLazyWorld(t, 1, func(w *fixture, _ *lazy) {
		r := w.submit(database())
		w.act(choose(r, "U1", 0))
		time.Sleep(time.Minute)
		w.calls("post C1", "update m1", "update m1")
		if got := w.load(r.ID); !got.DeliveryDue.IsZero() {
			t.Errorf("it still lags since %v", got.DeliveryDue)
		}
	})
}

// telling is a store whose notifications carry the outcome. It counts reads.
type telling struct {
	bridge.Store

	reads atomic.Int64
}

func (s *telling) Load(ctx context.Context, id string) (bridge.Record, error) {
	s.reads.Add(1)
	return s.Store.Load(ctx, id)
}

func (s *telling) Ended(id string) (bridge.Record, bool) {
	r, err := s.Store.Load(context.Background(), id)
	return r, err == nil && !r.Open()
}

func TestCachedOutcomeSavesRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := memory.New()
		waits := &telling{Store: shared}
		here := &fixture{t: t, store: waits, chat: bridgetest.NewScript("slack", render.Limits{})}
		there := &fixture{t: t, store: shared, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer here.begin(nil)()
		defer there.begin(nil)()
		r := here.submit(database())
		place := here.Park(r.ID)
		defer place.Leave()
		before := waits.reads.Load()
		there.act(choose(r, "U1", 0))
		got, err := place.Wait(t.Context())
		if err != nil || got.Outcome.State != "answered" || waits.reads.Load() != before {
			t.Errorf("it is %q, %v, after %d reads, want the answer without any", got.Outcome.State, err, waits.reads.Load()-before)
		}
	})
}
