package bridge_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// belated is a store that delivers notifications when the test releases them.
type belated struct {
	bridge.Store
	notifications chan string
}

func (b belated) Watch(ctx context.Context, changed func(bridge.Notification)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case id := <-b.notifications:
			changed(bridge.Notification{ID: id})
		}
	}
}

// The end is read repeatedly in case its notification was lost, and the notification of an earlier change can arrive
// after it.
func TestFollowerReceivesEndOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		notifications := make(chan string)
		w := &fixture{t: t, store: belated{memory.New(), notifications}, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(nil)()
		var ids []string
		var mu sync.Mutex
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() {
			over <- w.Follow(ctx, bridge.Selection{All: true}, func(e bridge.Event) error {
				mu.Lock()
				defer mu.Unlock()
				ids = append(ids, e.ID)
				return nil
			})
		}()
		defer func() { cancel(); <-over }()
		synctest.Wait()
		r := w.submit(database())
		w.act(choose(r, "U1", 0))
		time.Sleep(5 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if unique := len(slices.Compact(slices.Sorted(slices.Values(ids)))); unique != len(ids) {
			t.Errorf("%d events came for %d changes: %v", len(ids), unique, ids)
		}
	})
}

// The notification of a change that a returning reader has already seen can still arrive.
func TestResumedFollowerSkipsLastEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		notifications := make(chan string)
		w := &fixture{t: t, store: belated{memory.New(), notifications}, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(nil)()
		r := w.submit(database())
		synctest.Wait()
		seen := make(chan bridge.Event, 10)
		follow := func(after string) (stop func()) {
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan error, 1)
			go func() {
				over <- w.Follow(ctx, bridge.Selection{Request: r.ID, After: after}, func(e bridge.Event) error {
					seen <- e
					return nil
				})
			}()
			synctest.Wait()
			return func() { cancel(); <-over }
		}
		follow("")()
		last := <-seen
		defer follow(last.ID)()
		notifications <- r.ID
		synctest.Wait()
		if len(seen) > 0 {
			t.Errorf("%s came again", (<-seen).ID)
		}
		w.act(choose(r, "U1", 0))
		synctest.Wait()
		if len(seen) == 0 {
			t.Fatal("the answer did not come")
		}
		if e := <-seen; e.ID == last.ID || e.Record.Open() {
			t.Errorf("%s came in place of the answer", e.ID)
		}
	})
}
