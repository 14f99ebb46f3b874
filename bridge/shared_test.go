package bridge_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
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

// shared behaves like Discord: everyone shares one draft, which the reply to each pick redraws.
var shared = render.Limits{SharedDraft: true, RedrawInReply: true}

func inSharedWorld(t *testing.T, f func(t *testing.T, w *fixture)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", shared)}
		stop := w.begin(nil)
		f(t, w)
		stop()
	})
}

func checks(r *ask.Request) {
	r.Questions = append(r.Questions, ask.Question{
		Text: "Which checks?", Header: "Checks", MultiSelect: true, Options: []ask.Option{{Label: "Smoke"}, {Label: "Load"}, {Label: "Restore"}},
	})
}

func press(r bridge.Record, who string, v render.Verb, q, option int) platform.Interaction {
	i := choose(r, who, option)
	i.Token.Verb, i.Token.Question = v, q
	return i
}

func TestPicksRedrawOnlyInReply(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *fixture) {
		r := w.submit(database(checks))
		w.act(press(r, "U1", render.Choose, 1, 2))
		w.act(press(r, "U2", render.Choose, 1, 0))
		w.act(press(r, "U1", render.Drop, 1, 2))
		reply := w.act(press(r, "U1", render.Choose, 0, 1))
		if len(reply.Redrawn()) != 1 {
			t.Errorf("the reply drew %d cards, want one", len(reply.Redrawn()))
		}
		w.act(press(r, "U2", render.Submit, -1, -1))
		got := w.load(r.ID)
		if text := got.Text(); text != "Which database?\nSQLite\n\nWhich checks?\n- Smoke" {
			t.Errorf("answered %q", text)
		}
		if card := w.chat.Card(r.Copies[0].Ref); card.State != ask.Answered {
			t.Errorf("the card shows %s", card.State)
		}
		w.calls("post C1", "redraw m1", "redraw m1", "redraw m1", "redraw m1", "redraw m1")
		time.Sleep(10 * time.Second) // Late replies to the picks would have arrived by now.
		w.calls("post C1", "redraw m1", "redraw m1", "redraw m1", "redraw m1", "redraw m1", "update m1")
		if got := w.load(r.ID); !got.DeliveryDue.IsZero() {
			t.Error("the record still lags")
		}
	})
}

func TestReplyRedrawSavesUpdate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var measured atomic.Int64
		counted := shared
		counted.Width = func(text string) int {
			measured.Add(1)
			return render.Units(text)
		}
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", counted)}
		stop := w.begin(nil)
		r := w.submit(database())
		drawing, over := make(chan struct{}), make(chan struct{})
		w.chat.On("redraw", bridgetest.Cue{Hold: drawing})
		before := measured.Load()
		go func() {
			defer close(over)
			w.chat.Act(t.Context(), press(r, "U1", render.Choose, 0, 1))
		}()
		synctest.Wait()
		drawn := measured.Load()
		close(drawing)
		<-over
		synctest.Wait()
		w.calls("post C1", "redraw m1")
		if after := measured.Load(); drawn == before || after != drawn {
			t.Errorf("texts measured: %d before the reply, %d for it and %d later", before, drawn-before, after-drawn)
		}
		stop()
	})
}

func TestFailedReplyUpdatesCard(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *fixture) {
		r := w.submit(database(checks))
		w.chat.On("redraw", bridgetest.Cue{Err: errors.New("too late")}, bridgetest.Cue{Err: errors.New("too late")})
		w.act(press(r, "U1", render.Choose, 0, 1))
		w.calls("post C1", "redraw m1", "update m1")
		w.act(press(r, "U1", render.Dismissed, -1, -1))
		w.calls("post C1", "redraw m1", "update m1", "redraw m1", "update m1")
		if card := w.chat.Card(r.Copies[0].Ref); card.State != ask.Cancelled {
			t.Errorf("the card shows %s", card.State)
		}
	})
}

func TestOlderRevisionDoesNotReplaceNewer(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *fixture) {
		r := w.submit(database(checks))
		hold := make(chan struct{})
		w.chat.On("redraw", bridgetest.Cue{Hold: hold})
		var all sync.WaitGroup
		for n, v := range []render.Verb{render.Choose, render.Choose, render.Choose, render.Dismissed} {
			all.Go(func() { w.act(press(r, fmt.Sprintf("U%d", n), v, 1, n%3)) })
			synctest.Wait()
		}
		close(hold)
		all.Wait()
		synctest.Wait()
		if card := w.chat.Card(r.Copies[0].Ref); card.State != ask.Cancelled {
			t.Errorf("the card shows %s at the end", card.State)
		}
		if calls := w.chat.Calls(); slices.Contains(calls, "update m1") {
			t.Errorf("calls: %v", calls)
		}
	})
}

func TestConcurrentSelectionsDoNotConflict(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *fixture) {
		r := w.submit(database(checks))
		late := press(r, "U1", render.Choose, 1, 0)
		late.ID, late.Order = "slow", 1
		w.act(press(r, "U2", render.Choose, 1, 2))
		w.act(late)
		w.act(late)
		w.act(press(r, "U2", render.Choose, 0, 0))
		w.act(press(r, "U2", render.Submit, -1, -1))
		got := w.load(r.ID)
		if text := got.Text(); text != "Which database?\nPostgres\n\nWhich checks?\n- Smoke\n- Restore" {
			t.Errorf("answered %q", text)
		}
	})
}

func TestTypedTextCanBeRemoved(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *fixture) {
		r := w.submit(database(checks))
		typed := func(text string) platform.Interaction {
			i := press(r, "U1", render.SubmitText, 1, -1)
			i.Texts = map[int]string{1: text}
			return i
		}
		w.wantNote(w.act(typed(" ")), "Still missing")
		w.act(typed("the logs"))
		w.act(press(r, "U1", render.Choose, 1, 0))
		w.act(typed(""))
		w.act(press(r, "U1", render.Choose, 0, 0))
		w.act(press(r, "U1", render.Submit, -1, -1))
		got := w.load(r.ID)
		if text := got.Text(); text != "Which database?\nPostgres\n\nWhich checks?\n- Smoke" {
			t.Errorf("answered %q", text)
		}
	})
}
