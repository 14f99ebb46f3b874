package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// emptied is a store that can silently lose all its data.
type emptied struct {
	bridge.Store

	empty atomic.Bool
	// gap reports that anything may have changed, as after a failover.
	gap atomic.Value
}

func (e *emptied) Watch(ctx context.Context, changed func(bridge.Notification)) error {
	e.gap.Store(func() { changed(bridge.Notification{}) })
	return e.Store.Watch(ctx, changed)
}

func (e *emptied) Load(ctx context.Context, id string) (bridge.Record, error) {
	if e.empty.Load() {
		return bridge.Record{}, bridge.ErrNotFound
	}
	return e.Store.Load(ctx, id)
}

func TestWaitersReturnWhenStoreIsEmptied(t *testing.T) {
	for name, tt := range map[string]struct {
		away     time.Duration
		failover bool
		waiter   error
	}{
		"for good":                    {time.Hour, false, bridge.ErrNotFound},
		"in a failover":               {time.Hour, true, bridge.ErrNotFound},
		"for a moment, in a failover": {2 * time.Second, true, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &emptied{Store: memory.New()}
				w := &fixture{t: t, store: s, chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(nil)()
				const waiters = 250
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				got := make(chan error, waiters)
				for n := range waiters {
					r := w.submit(database(func(r *ask.Request) { r.ToolCallID = fmt.Sprint(n) }))
					go func() {
						_, err := w.Wait(ctx, r.ID)
						got <- err
					}()
				}
				synctest.Wait()
				s.empty.Store(true)
				if tt.failover {
					s.gap.Load().(func())()
				}
				began := time.Now()
				time.Sleep(tt.away)
				s.empty.Store(false)
				for range waiters {
					if err := <-got; !errors.Is(err, tt.waiter) {
						t.Fatalf("a waiter got %v after %v", err, time.Since(began))
					}
				}
			})
		})
	}
}

// chatty is a store that keeps notifying about other requests.
type chatty struct{ bridge.Store }

func (chatty) Watch(ctx context.Context, changed func(bridge.Notification)) error {
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-tick.C:
			changed(bridge.Notification{ID: "pother", Version: 1})
		case <-ctx.Done():
			tick.Stop()
			return nil
		}
	}
}

func TestLostNotificationFoundDuringOtherChanges(t *testing.T) {
	testWake(t, func(s bridge.Store) bridge.Store { return chatty{s} }, 30*time.Second)
}
