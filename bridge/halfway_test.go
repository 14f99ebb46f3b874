package bridge_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
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

// breaking is a store whose changes fail after a number of passes, before or after they take effect, until it is
// mended.
type breaking struct {
	bridge.Store

	passes atomic.Int64 // how many changes still work; negative when all do
	after  bool
}

func (b *breaking) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	if left := b.passes.Load(); left < 0 {
		return b.Store.Change(ctx, id, f)
	} else if left > 0 {
		b.passes.Store(left - 1)
		return b.Store.Change(ctx, id, f)
	}
	if b.after {
		_, _ = b.Store.Change(ctx, id, f) // The result is lost.
	} else {
		_, _ = b.Store.Change(ctx, id, func(r *bridge.Record, now time.Time) error { // Runs without being stored.
			_ = f(r, now)
			return bridge.ErrUnchanged
		})
	}
	return bridge.Record{}, bridge.ErrUnavailable
}

// TestClickIsRescuedFromAnyStoreFailure fails each of the writes of a click in turn. A person whose click is
// reported as recorded finds it recorded, the agent learns of nothing unrecorded, and in the end the answer is
// saved.
func TestClickIsRescuedFromAnyStoreFailure(t *testing.T) {
	for passes := range int64(4) {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("after %d writes, taking effect %v", passes, after), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := &breaking{Store: memory.New(), after: after}
					s.passes.Store(-1)
					w := &fixture{t: t, store: s, chat: bridgetest.NewScript("slack", render.Limits{})}
					defer w.begin(nil)()
					r := w.submit(database())
					woken := make(chan *bridge.Record, 1)
					go func() {
						got, _ := w.Wait(t.Context(), r.ID)
						woken <- got
					}()
					synctest.Wait()
					s.passes.Store(passes)
					reply := w.act(choose(r, "U1", 1))
					time.Sleep(10 * time.Second)
					kept := w.load(r.ID)
					if notes := reply.EphemeralReplies(); kept.Open() && !slices.ContainsFunc(notes, func(n platform.Note) bool { return strings.Contains(n.Text, "not recorded yet") }) {
						t.Errorf("nothing recorded, private notes %v after %d acknowledgements", notes, reply.Acks())
					}
					if len(woken) > 0 && kept.Open() {
						t.Error("the agent was woken, and nothing is recorded")
					}
					s.passes.Store(-1)
					time.Sleep(time.Minute)
					if kept = w.load(r.ID); kept.Outcome.State != ask.Answered || kept.Text() != "Which database?\nSQLite" {
						t.Errorf("final state %s %q, private notes %v", kept.Outcome.State, kept.Text(), reply.EphemeralReplies())
					}
					if got := <-woken; got == nil || got.Outcome.State != ask.Answered {
						t.Errorf("the agent got %+v", got)
					}
				})
			})
		}
	}
}

// stuck is a store that cannot change one record.
type stuck struct {
	bridge.Store

	id string
}

func (s *stuck) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	if id == s.id {
		return bridge.Record{}, bridge.ErrUnavailable
	}
	return s.Store.Change(ctx, id, f)
}

// The bridge stored the newer request and stopped before it could end the older one.
func TestRepeatedSubmitEndsSupersededRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &stuck{Store: memory.New()}
		w := &fixture{t: t, store: store, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(nil)()
		old := w.submit(database())
		synctest.Wait()
		next := database(func(r *ask.Request) { r.ToolCallID, r.Supersedes = "toolu_02", old.ID })
		store.id = old.ID
		w.submit(next)
		store.id = ""
		if s, err := w.Submit(t.Context(), next); err != nil || !s.Existed || !s.Record.Open() {
			t.Errorf("handed in again: %+v, %v", s, err)
		}
		if r := w.load(old.ID); r.Outcome.State != ask.Superseded {
			t.Errorf("the older one is %s", r.Outcome.State)
		}
	})
}
