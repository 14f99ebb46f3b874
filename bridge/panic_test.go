package bridge_test

import (
	"context"
	"errors"
	"log/slog"
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
	"github.com/askbridge/askbridge/test/logbuffer"
)

// poisoned is a store in which handling one record panics.
type poisoned struct {
	bridge.Store
	id string

	mu    sync.Mutex
	tries []time.Time
}

func (p *poisoned) meet(id string) {
	if id == p.id {
		p.mu.Lock()
		p.tries = append(p.tries, time.Now())
		p.mu.Unlock()
		panic("poison")
	}
}

func (p *poisoned) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	p.meet(id)
	return p.Store.Change(ctx, id, f)
}

func (p *poisoned) Load(ctx context.Context, id string) (bridge.Record, error) {
	p.meet(id)
	return p.Store.Load(ctx, id)
}

// TestPanicInSweepStopsNothingElse covers both loops: the record backs off, and the others are handled as usual.
func TestPanicInSweepStopsNothingElse(t *testing.T) {
	for name, due := range map[string]func(r *bridge.Record, now time.Time){
		"while it expires":     func(r *bridge.Record, now time.Time) { r.Deadline, r.Due = now, now },
		"while it lags behind": func(r *bridge.Record, now time.Time) { r.DeliveryDue, r.Revision = now, 2 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log := &logbuffer.Buffer{}
				inner := memory.New()
				p := &poisoned{Store: inner, id: "pbad"}
				w := &fixture{t: t, store: p, chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(&bridge.Options{Logger: slog.New(slog.NewTextHandler(log, nil))})()
				for _, id := range []string{"pbad", "pgood"} {
					orphan(t, inner, id, time.Hour)
				}
				set := func(r *bridge.Record, now time.Time) error { due(r, now); return nil }
				for _, id := range []string{"pbad", "pgood"} {
					if _, err := inner.Change(t.Context(), id, set); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(5 * time.Minute)
				good, err := inner.Load(t.Context(), "pgood")
				if err != nil || good.Open() && good.Copies[0].Rendered != good.Revision {
					t.Errorf("the other record was left alone: %+v, %v", good, err)
				}
				if text := log.String(); !strings.Contains(text, "poison") || !strings.Contains(text, "meet(") {
					t.Errorf("the log has neither panic nor stack:\n%s", text)
				}
				if n := len(p.tries); n < 3 || n > 20 {
					t.Errorf("tried %d times in five minutes, want a few", n)
				}
				orphan(t, inner, "plate", time.Second)
				time.Sleep(2 * time.Second)
				if late, err := inner.Load(t.Context(), "plate"); err != nil || late.Open() {
					t.Errorf("the loop has ended: %v, %v", late.Outcome.State, err)
				}
			})
		})
	}
}

// explosive is a platform on which some calls panic.
type explosive struct {
	*bridgetest.Script
	mu    sync.Mutex
	fuses map[string]int
}

func (e *explosive) call(op string) {
	e.mu.Lock()
	e.fuses[op]--
	blows := e.fuses[op] >= 0
	e.mu.Unlock()
	if blows {
		panic("boom in " + op)
	}
}

func (e *explosive) Post(ctx context.Context, to ask.Place, c render.Card) (platform.MessageRef, error) {
	e.call("post")
	return e.Script.Post(ctx, to, c)
}

func (e *explosive) Update(ctx context.Context, ref platform.MessageRef, c render.Card) error {
	e.call("update")
	return e.Script.Update(ctx, ref, c)
}

func (e *explosive) Call(context.Context, bridge.Record) error { e.call("webhook"); return nil }
func (e *explosive) CheckWebhook(string, string, string) error { return nil }

func TestPanickedCallIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &logbuffer.Buffer{}
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		p := &explosive{Script: w.chat, fuses: map[string]int{"post": 2, "update": 1, "webhook": 1}}
		defer w.begin(&bridge.Options{Caller: p, Logger: slog.New(slog.NewTextHandler(log, nil))}, p)()
		r := w.submit(database(twoPlaces, func(r *ask.Request) { r.Webhook = "https://agent.example/hook" }))
		time.Sleep(time.Minute)
		r = w.load(r.ID)
		for _, c := range r.Copies {
			if c.State != record.Posted {
				t.Errorf("a minute later the card is %+v", c)
			}
		}
		w.act(choose(r, "U1", 0))
		time.Sleep(time.Minute)
		r = w.load(r.ID)
		for _, c := range r.Copies {
			if c.Rendered != r.Revision {
				t.Errorf("the card is not closed: %+v", c)
			}
		}
		if r.Webhook.State != record.Taken || r.Webhook.Attempts != 2 {
			t.Errorf("the agent was called like this: %+v", r.Webhook)
		}
		for _, what := range []string{"boom in post", "boom in update", "boom in webhook", "panic_test.go"} {
			if !strings.Contains(log.String(), what) {
				t.Errorf("the log lacks %q", what)
			}
		}
	})
}

// unlucky is a platform whose layout fails for a while.
type unlucky struct {
	*bridgetest.Script
	mu   sync.Mutex
	till time.Time
}

func (u *unlucky) Limits() render.Limits {
	u.mu.Lock()
	defer u.mu.Unlock()
	if time.Now().Before(u.till) {
		panic("no limits")
	}
	return u.Script.Limits()
}

func TestUndrawableCardClosesLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		p := &unlucky{Script: w.chat}
		defer w.begin(nil, p)()
		r := w.submit(database())
		p.mu.Lock()
		p.till = time.Now().Add(10 * time.Minute)
		p.mu.Unlock()
		if _, err := w.Cancel(t.Context(), r.ID, "not needed"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(9 * time.Minute)
		w.calls("post C1")
		time.Sleep(5 * time.Minute)
		w.calls("post C1", "update "+r.Copies[0].Ref.Message)
		if r, err := w.store.Load(t.Context(), r.ID); errors.Is(err, bridge.ErrNotFound) || !r.DeliveryDue.IsZero() {
			t.Errorf("still to be delivered at %v, %v", r.DeliveryDue, err)
		}
	})
}
