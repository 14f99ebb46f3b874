package bridge_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// thin wraps the values of a store with too few replicas: everything is stored, and each write reports that it could
// still be lost.
type thin struct{ keyvalue.Store }

func (s thin) Put(ctx context.Context, k keyvalue.Key, value []byte, o *keyvalue.PutOptions) (keyvalue.Entry, error) {
	e, err := s.Store.Put(ctx, k, value, o)
	if err == nil {
		err = bridge.ErrNotReplicated
	}
	return e, err
}

func (s thin) Delete(ctx context.Context, k keyvalue.Key, version string) error {
	err := s.Store.Delete(ctx, k, version)
	if err == nil {
		err = bridge.ErrNotReplicated
	}
	return err
}

func TestTypedAnswerCountsWhenUnreplicated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept, chat := memory.New(), &listening{Script: bridgetest.NewScript("slack", render.Limits{})}
		w := &fixture{t: t, store: kept, chat: chat.Script}
		defer w.begin(&bridge.Options{Threads: keyvalue.Threads{Store: thin{kept.KeyValue()}}}, chat)()
		r := w.submit(database(func(r *ask.Request) { r.Replies = ask.Replies{Mode: ask.RepliesLabels} }))
		synctest.Wait()
		reply := w.act(platform.Interaction{
			Person:  ask.Person{ID: "U1", Name: "U1"},
			Message: platform.MessageRef{Platform: "slack", Channel: "C1", Message: "m7"},
			Typed:   &platform.TypedMessage{To: w.load(r.ID).Copies[0].Ref.Message, Text: "SQLite"},
		})
		if now := w.load(r.ID); now.Outcome.State != ask.Answered {
			t.Errorf("private notes %+v, state %s", reply.EphemeralReplies(), now.Outcome.State)
		}
	})
}

func TestRequestWithFileIsAskedWhenUnreplicated(t *testing.T) {
	kept := keyvalue.Files{Store: thin{memory.New().KeyValue()}}
	inFixture(t, &bridge.Options{Files: kept}, func(t *testing.T, w *fixture) {
		long := strings.Repeat("a line of a diff\n", 2*keyvalue.MaxValue/17)
		r := w.submit(database(func(r *ask.Request) { r.Files = []ask.File{{Name: "change.diff", Text: long}} }))
		synctest.Wait()
		w.act(choose(w.load(r.ID), "U1", 0))
		if now := w.load(r.ID); now.Outcome.State != ask.Answered {
			t.Errorf("its file never came: it is %s", now.Outcome.State)
		}
		time.Sleep(time.Minute)
		left, err := kept.Store.List(t.Context(), keyvalue.Range{Kind: "file", Limit: 10})
		if err != nil || len(left) > 0 {
			t.Errorf("after the end %d pieces of it are kept, %v", len(left), err)
		}
	})
}

func TestGrantHoldsWhenUnreplicated(t *testing.T) {
	inFixture(t, &bridge.Options{Grants: keyvalue.Grants{Store: thin{memory.New().KeyValue()}}}, func(t *testing.T, w *fixture) {
		w.act(choose(w.submit(may("1")), "U1", allowSession))
		synctest.Wait()
		if via := w.allowed(may("2")); via == "" {
			t.Error("it is asked again")
		}
	})
}
