package bridge_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// phone is a [bridge.Caller] with scripted answers.
type phone struct {
	mu      sync.Mutex
	answers []error // one for each call; the last one repeats
	calls   []bridge.Record
	at      []time.Time
}

func (p *phone) CheckWebhook(_, _, address string) error {
	if !strings.HasPrefix(address, "https://") {
		return errors.New("must begin with https://")
	}
	return nil
}

func (p *phone) Call(_ context.Context, r bridge.Record) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls, p.at = append(p.calls, r), append(p.at, time.Now())
	return p.answers[min(len(p.calls), len(p.answers))-1]
}

// received returns the calls so far, once all activity has stopped.
func (p *phone) received() ([]bridge.Record, []time.Time) {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls), slices.Clone(p.at)
}

func (p *phone) answer(answers ...error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = answers
}

func withPhone(t *testing.T, answers []error, f func(t *testing.T, w *fixture, p *phone)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &phone{answers: answers}
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		stop := w.begin(&bridge.Options{Caller: p})
		f(t, w, p)
		stop()
	})
}

func hook(r *ask.Request) { r.Webhook = "https://agent.example/answers" }

func TestWebhookIsCalledOnceAtEnd(t *testing.T) {
	withPhone(t, []error{nil}, func(t *testing.T, w *fixture, p *phone) {
		r := w.submit(database(hook))
		time.Sleep(time.Hour)
		if calls, _ := p.received(); len(calls) != 0 {
			t.Fatal("the agent was called about an open request")
		}
		w.act(choose(r, "U1", 1))
		got := w.load(r.ID)
		time.Sleep(time.Hour)
		calls, _ := p.received()
		if len(calls) != 1 || calls[0].Outcome.State != ask.Answered || got.Webhook.State != record.Taken || !got.DeliveryDue.IsZero() {
			t.Errorf("called %d times, the webhook is %+v", len(calls), got.Webhook)
		}
	})
}

func TestFailedWebhookRetriesForDays(t *testing.T) {
	withPhone(t, []error{&bridge.CallError{Outcome: "connection refused", Err: errors.New("dial tcp 10.0.0.9:443: connection refused")}}, func(t *testing.T, w *fixture, p *phone) {
		r := w.submit(database(hook))
		began := time.Now()
		w.act(choose(r, "U1", 1))
		time.Sleep(5 * 24 * time.Hour)
		dead := w.load(r.ID)
		calls, at := p.received()
		if dead.Webhook.State != record.Dead || len(calls) != 11 || dead.Webhook.Problem != "connection refused" {
			t.Fatalf("after %d calls the webhook is %+v", len(calls), dead.Webhook)
		}
		if second, last := at[1].Sub(began), at[10].Sub(began); second > 10*time.Second || last < 48*time.Hour || last > 96*time.Hour {
			t.Errorf("the second call came after %s, the last after %s", second, last)
		}

		// The receiver is repaired and the call replayed.
		p.answer(nil)
		if _, err := w.Replay(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
		again := w.load(r.ID)
		if calls, _ = p.received(); again.Webhook.State != record.Taken || len(calls) != 12 {
			t.Errorf("after the replay %+v in %d calls", again.Webhook, len(calls))
		}
		_, err := w.Replay(t.Context(), r.ID)
		if calls, _ = p.received(); err != nil || len(calls) != 12 {
			t.Errorf("a call that was taken is replayed: %v", err)
		}
	})
}

func TestGoneReceiverIsNotCalledAgain(t *testing.T) {
	withPhone(t, []error{&bridge.CallError{Stop: true, Err: errors.New("agent.example answered 410")}}, func(t *testing.T, w *fixture, p *phone) {
		r := w.submit(database(hook, func(r *ask.Request) { r.ExpiresIn = time.Minute }))
		time.Sleep(24 * time.Hour)
		got := w.load(r.ID)
		if calls, _ := p.received(); got.Webhook.State != record.Dead || len(calls) != 1 || calls[0].Outcome.State != ask.Expired {
			t.Errorf("after %d calls the webhook is %+v", len(calls), got.Webhook)
		}
	})
}

func TestWebhookHonorsRetryAfter(t *testing.T) {
	busy := &bridge.CallError{RetryAfter: 10 * time.Minute, Err: errors.New("agent.example answered 429")}
	withPhone(t, []error{busy, nil}, func(t *testing.T, w *fixture, p *phone) {
		r := w.submit(database(hook))
		began := time.Now()
		w.act(choose(r, "U1", 0))
		time.Sleep(20 * time.Minute)
		if _, at := p.received(); len(at) != 2 || at[1].Sub(began) < 10*time.Minute {
			t.Errorf("calls at %v", at)
		}
	})
}

func TestInvalidWebhookRejected(t *testing.T) {
	withPhone(t, []error{nil}, func(t *testing.T, w *fixture, _ *phone) {
		_, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.Webhook = "http://agent.example" }))
		if !errors.Is(err, ask.ErrWebhook) || !strings.Contains(err.Error(), "https") {
			t.Errorf("Submit = %v", err)
		}
	})
}

func TestWebhookRejectedWithoutCaller(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		if _, err := w.Submit(t.Context(), database(hook)); !errors.Is(err, ask.ErrWebhook) {
			t.Errorf("Submit = %v", err)
		}
	})
}
