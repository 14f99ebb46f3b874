package bridge_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// queueing is a platform that takes one card a second in each channel.
type queueing struct{ *bridgetest.Script }

func (queueing) Pace() platform.Pace {
	return platform.Pace{Channel: platform.Rate{Every: time.Second, Burst: 1}, All: platform.Rate{Every: 20 * time.Millisecond, Burst: 50}}
}

func TestBurstIsQueuedByRateLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := queueing{bridgetest.NewScript("slack", render.Limits{})}
		w := &fixture{t: t, store: memory.New(), chat: chat.Script}
		defer w.begin(nil, chat)()
		began := time.Now()
		records := make([]bridge.Record, 40)
		var all sync.WaitGroup
		for n := range records {
			all.Go(func() {
				records[n] = w.submit(database(func(r *ask.Request) {
					r.ToolCallID, r.To = fmt.Sprint(n), []ask.Place{{Platform: "slack", Channel: fmt.Sprintf("C%d", n%4)}}
				}))
			})
		}
		all.Wait()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the callers were kept for %s", took)
		}
		queue := map[int]int{}
		for _, r := range records {
			queue[r.Copies[0].Queue]++
		}
		for place := 2; place <= 9; place++ {
			if queue[place] != 4 {
				t.Errorf("%d requests are number %d of their queue, want 4: %v", queue[place], place, queue)
			}
		}

		// A channel without a queue does not wait, and neither does a request to both.
		at := time.Now()
		idle := w.submit(database(func(r *ask.Request) {
			r.ToolCallID, r.To = "idle", []ask.Place{{Platform: "slack", Channel: "C9"}}
		}))
		if idle.Copies[0].State != record.Posted || time.Since(at) > 100*time.Millisecond {
			t.Errorf("the idle channel's card is %s after %s", idle.Copies[0].State, time.Since(at))
		}
		time.Sleep(time.Until(began.Add(9*time.Second + 100*time.Millisecond)))
		synctest.Wait()
		if n := len(chat.Standing()); n != 41 {
			t.Errorf("%d cards stand after nine seconds, want 41", n)
		}
	})
}

func TestQueuedRequestThatEndsIsNotPosted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := queueing{bridgetest.NewScript("slack", render.Limits{})}
		w := &fixture{t: t, store: memory.New(), chat: chat.Script}
		defer w.begin(nil, chat)()
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				if _, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.ToolCallID = fmt.Sprint(n) })); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		last := w.submit(database())
		all.Wait()
		if _, err := w.Cancel(t.Context(), last.ID, "no longer needed"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if got := w.load(last.ID); got.Copies[0].State != record.Undeliverable || got.Outcome.State != ask.Cancelled {
			t.Errorf("the copy is %s, the request %s", got.Copies[0].State, got.Outcome.State)
		}
		if n := len(chat.Standing()); n != 4 {
			t.Errorf("%d cards stand, want 4", n)
		}
	})
}

// A card was posted five minutes late, behind three hundred requests that had been withdrawn.
func TestWithdrawnRequestFreesItsSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := queueing{bridgetest.NewScript("slack", render.Limits{})}
		w := &fixture{t: t, store: memory.New(), chat: chat.Script}
		defer w.begin(nil, chat)()
		var all sync.WaitGroup
		for n := range 300 {
			all.Go(func() {
				r := w.submit(database(func(r *ask.Request) { r.ToolCallID = fmt.Sprint(n) }))
				if _, err := w.Cancel(t.Context(), r.ID, ""); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		began := time.Now()
		r := w.submit(database(func(r *ask.Request) { r.ToolCallID = "wanted" }))
		for w.load(r.ID).Copies[0].State != record.Posted {
			time.Sleep(time.Second)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it stood after %v", took)
		}
	})
}

func TestQueueWaitsForRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := queueing{bridgetest.NewScript("slack", render.Limits{})}
		w := &fixture{t: t, store: memory.New(), chat: chat.Script}
		defer w.begin(nil, chat)()
		chat.On("post", bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "post", Kind: platform.RateLimited, RetryAfter: 30 * time.Second, Code: "ratelimited"}})
		first := w.submit(database())
		second := w.submit(database(func(r *ask.Request) { r.ToolCallID = "2" }))
		if c := first.Copies[0]; c.State != record.Delayed || !strings.Contains(c.Problem, "ratelimited") || c.Queue != 0 {
			t.Errorf("the refused copy is %+v", c)
		}
		if c := second.Copies[0]; c.State != record.Delayed || c.Queue == 0 {
			t.Errorf("the copy behind it is %+v", c)
		}
		time.Sleep(29 * time.Second)
		w.calls("post C1")
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if n := len(chat.Standing()); n != 2 {
			t.Errorf("%d cards stand at last, want 2", n)
		}
	})
}

// jittery is a platform that takes one card a second in each channel and receives some of them late.
type jittery struct {
	queueing

	mu       sync.Mutex
	arrivals map[string][]time.Time
}

func (j *jittery) Pace() platform.Pace {
	return platform.Pace{Channel: platform.Rate{Every: time.Second, Burst: 1}}
}

func (j *jittery) Post(ctx context.Context, to ask.Place, c render.Card) (platform.MessageRef, error) {
	j.mu.Lock()
	n := len(j.arrivals[to.Channel])
	j.mu.Unlock()
	time.Sleep(time.Duration(n%3) * 400 * time.Millisecond)
	j.mu.Lock()
	j.arrivals[to.Channel] = append(j.arrivals[to.Channel], time.Now())
	j.mu.Unlock()
	time.Sleep(time.Duration(n%2) * 300 * time.Millisecond)
	return j.queueing.Post(ctx, to, c)
}

func TestQueueSpacesPostsByAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := &jittery{queueing: queueing{bridgetest.NewScript("slack", render.Limits{})}, arrivals: map[string][]time.Time{}}
		w := &fixture{t: t, store: memory.New(), chat: chat.Script}
		defer w.begin(nil, chat)()
		var all sync.WaitGroup
		for n := range 60 {
			all.Go(func() {
				w.submit(database(func(r *ask.Request) {
					r.ToolCallID, r.To = fmt.Sprint(n), []ask.Place{{Platform: "slack", Channel: fmt.Sprintf("C%d", n%3)}}
				}))
			})
		}
		all.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		for channel, times := range chat.arrivals {
			if len(times) != 20 {
				t.Errorf("%d cards arrived in %s, want 20", len(times), channel)
			}
			for n := range times[1:] {
				if gap := times[n+1].Sub(times[n]); gap < time.Second {
					t.Errorf("card %d arrived in %s only %s after the one before", n+2, channel, gap)
				}
			}
		}
	})
}
