package bridge_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// lonely is a store without a replica to copy to.
type lonely struct{ bridge.Store }

func (s lonely) Create(ctx context.Context, r bridge.Record, f bridge.Transition) (bridge.Record, error) {
	r, err := s.Store.Create(ctx, r, f)
	if err == nil {
		err = bridge.ErrNotReplicated
	}
	return r, err
}

func (s lonely) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	r, err := s.Store.Change(ctx, id, f)
	if err == nil {
		err = bridge.ErrNotReplicated
	}
	return r, err
}

func TestNoteAboutUnreplicatedAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: lonely{memory.New()}, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(nil)()
		r := w.submit(database(func(r *ask.Request) { r.ExpiresIn = time.Hour }))
		other := w.submit(database(func(r *ask.Request) { r.ToolCallID, r.ExpiresIn = "t2", time.Hour }))
		reply := w.act(choose(r, "U1", 1))
		w.wantNote(reply, "Recorded on one machine only")
		if reply.Acks() != 1 || reply.Err != nil {
			t.Errorf("the click was acknowledged %d times, %v", reply.Acks(), reply.Err)
		}
		if got := w.load(r.ID); got.Outcome.State != ask.Answered || got.Text() != "Which database?\nSQLite" {
			t.Errorf("the request is %s", got.Outcome.State)
		}
		if card := w.chat.Card(r.Copies[0].Ref); card.State != ask.Answered {
			t.Errorf("the card shows %s", card.State)
		}
		time.Sleep(2 * time.Hour)
		if got := w.load(other.ID); got.Outcome.State != ask.Expired {
			t.Errorf("the other request is %s", got.Outcome.State)
		}
	})
}
