package bridge_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// notes are the events an observer received.
type notes struct {
	mu  sync.Mutex
	all []bridge.Observation
}

// Observe implements [bridge.Observer].
func (n *notes) Observe(o bridge.Observation) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, o)
}

// of returns the events of one kind.
func (n *notes) of(what bridge.Happening) []bridge.Observation {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(n.all), func(o bridge.Observation) bool { return o.What != what })
}

// counts returns the number of events of each kind.
func (n *notes) counts() map[bridge.Happening]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	counted := map[bridge.Happening]int{}
	for _, o := range n.all {
		counted[o.What]++
	}
	return counted
}

func TestObserverReceivesEachEventOnce(t *testing.T) {
	seen := &notes{}
	inFixture(t, &bridge.Options{Observer: seen}, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		w.submit(database()) // A repeat is no new event.
		time.Sleep(time.Minute)
		press := choose(r, "U1", 1)
		press.ID, press.Order = "p1", 1
		w.act(press)
		w.act(press) // Delivered again.
		w.act(choose(r, "U2", 0))
		synctest.Wait()
		want := map[bridge.Happening]int{
			bridge.RequestAsked: 1, bridge.RequestEnded: 1, bridge.CardPosted: 1,
			bridge.ActJudged: 3, bridge.ActAcknowledged: 3, bridge.PlatformCalled: 2,
		}
		if diff := cmp.Diff(want, seen.counts()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if ended := seen.of(bridge.RequestEnded)[0]; ended.Platform != "slack" || ended.Record.ID != r.ID || ended.Record.EndedAt.Sub(ended.Record.Created) != time.Minute {
			t.Errorf("the end: %+v", ended)
		}
		other := w.submit(database(func(q *ask.Request) { q.ToolCallID = "toolu_02" }))
		if _, err := w.Cancel(t.Context(), other.ID, "enough"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Cancel(t.Context(), other.ID, "enough"); err != nil {
			t.Fatal(err)
		}
		late := w.submit(database(func(q *ask.Request) { q.ToolCallID, q.ExpiresIn = "toolu_03", time.Hour }))
		time.Sleep(2 * time.Hour)
		if got, err := w.Load(t.Context(), late.ID); err != nil || got.Open() {
			t.Fatal(got, err)
		}
		if n := len(seen.of(bridge.RequestEnded)); n != 3 {
			t.Errorf("%d ends of three requests", n)
		}
	})
}

func TestObserverReceivesDelayReason(t *testing.T) {
	seen := &notes{}
	inFixture(t, &bridge.Options{Observer: seen}, func(t *testing.T, w *fixture) {
		w.chat.On("post",
			bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "post", Kind: platform.RateLimited, RetryAfter: 7 * time.Second, Code: "ratelimited"}},
			bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "post", Kind: platform.Transient, Code: "internal_error"}},
		)
		w.submit(database())
		time.Sleep(time.Minute)
		var why []platform.Kind
		for _, o := range seen.of(bridge.DeliveryPutOff) {
			if pe, ok := errors.AsType[*platform.Error](o.Err); ok {
				why = append(why, pe.Kind)
			}
		}
		if diff := cmp.Diff([]platform.Kind{platform.RateLimited, platform.Transient}, why); diff != "" {
			t.Error(diff)
		}
		if wait := seen.of(bridge.DeliveryPutOff)[0].Wait; wait != 7*time.Second {
			t.Errorf("the platform asked to wait for 7s, the event has %s", wait)
		}
		if posted := seen.of(bridge.CardPosted); len(posted) != 1 || posted[0].Took < 7*time.Second {
			t.Errorf("posted %+v", posted)
		}
	})
}

func TestObserverReceivesUnstoredAct(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := &notes{}
		faulty := bridgetest.NewFaulty(memory.New())
		w := &fixture{t: t, store: faulty, chat: bridgetest.NewScript("slack", render.Limits{})}
		stop := w.begin(&bridge.Options{Observer: seen})
		defer stop()
		r := w.submit(database())
		faulty.Away(true)
		w.act(choose(r, "U1", 1))
		if judged := seen.of(bridge.ActJudged); len(judged) == 0 || judged[0].Err == nil {
			t.Errorf("judged %+v", judged)
		}
		faulty.Away(false)
		time.Sleep(time.Minute)
		if n := len(seen.of(bridge.RequestEnded)); n != 1 {
			t.Errorf("%d ends", n)
		}
	})
}
