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
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// picky is a platform with valid credentials that refuses channels whose names begin with "no", and counts the
// refusals.
type picky struct {
	*bridgetest.Script

	mu      sync.Mutex
	err     error // nil accepts everything
	refused int
	checks  int
}

func (p *picky) Post(ctx context.Context, to ask.Place, c render.Card) (platform.MessageRef, error) {
	if err := p.judge(to); err != nil {
		return platform.MessageRef{}, err
	}
	return p.Script.Post(ctx, to, c)
}

func (p *picky) judge(to ask.Place) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil || !strings.HasPrefix(to.Channel, "no") {
		return nil
	}
	p.refused++
	return p.err
}

func (p *picky) Check(context.Context) error {
	time.Sleep(time.Second) // The longest a reply may take.
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checks++
	return nil
}

// mend makes the platform accept everything again.
func (p *picky) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = nil
}

func (p *picky) counted() (refused, checks int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused, p.checks
}

// from returns a request of a tenant to a channel.
func from(tenant, channel string, n int) ask.Request {
	return database(func(r *ask.Request) {
		r.Tenant, r.ToolCallID, r.To = tenant, fmt.Sprint("call ", n), []ask.Place{{Platform: "slack", Channel: channel}}
	})
}

func inPicky(t *testing.T, err error, f func(t *testing.T, w *fixture, p *picky)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		p := &picky{Script: w.chat, err: err}
		stop := w.begin(nil, p)
		f(t, w, p)
		stop()
	})
}

// placeErrors are what the platforms return when a channel refuses the bot.
var placeErrors = map[string]error{
	"slack, no such channel":       refusal(platform.Unreachable, "channel_not_found"),
	"slack, no right there":        refusal(platform.Misconfigured, "missing_scope"),
	"slack, another workspace":     refusal(platform.Misconfigured, "team_access_not_granted"),
	"discord, no access":           refusal(platform.Unreachable, "50001 missing access"),
	"discord, stopped at its edge": refusal(platform.Misconfigured, "http_403"),
}

func TestRefusalsOfOneAgentDelayNoOther(t *testing.T) {
	for name, err := range placeErrors {
		t.Run(name, func(t *testing.T) {
			inPicky(t, err, func(t *testing.T, w *fixture, p *picky) {
				for n := range 1000 {
					w.submit(from("mallory", fmt.Sprint("no", n), n))
					time.Sleep(500 * time.Millisecond)
					if n%50 > 0 {
						continue
					}
					if r := w.submit(from("dana", fmt.Sprint("C", n), n)); r.Copies[0].State != record.Posted {
						t.Fatalf("after %d refusals of another agent: %+v", n+1, r.Copies[0])
					}
				}
				if err := w.Ready(t.Context()); err != nil {
					t.Errorf("not ready: %v", err)
				}
				refused, checks := p.counted()
				if refused > 110 {
					t.Errorf("the platform refused %d calls within ten minutes", refused)
				}
				if checks > 10*60/15 {
					t.Errorf("the platform was asked %d times whether the credentials are good", checks)
				}
				good := w.submit(from("mallory", "C0", 1001))
				if good.Copies[0].State != record.Posted {
					t.Errorf("a place that has taken cards: %+v", good.Copies[0])
				}
			})
		})
	}
}

func TestRequestsOverFailureBudgetPostLater(t *testing.T) {
	inPicky(t, refusal(platform.Unreachable, "channel_not_found"), func(t *testing.T, w *fixture, _ *picky) {
		for n := range 100 {
			w.submit(from("mallory", fmt.Sprint("no", n), n))
		}
		r := w.submit(from("mallory", "C9", 200))
		if c := r.Copies[0]; c.State != record.Delayed || !strings.Contains(c.Problem, "too many places refused this caller") {
			t.Errorf("the agent sees %+v", c)
		}
		if r := w.submit(from("dana", "C9", 201)); r.Copies[0].State != record.Posted {
			t.Errorf("another agent, in the same place: %+v", r.Copies[0])
		}
		time.Sleep(11 * time.Minute)
		if c := w.load(r.ID).Copies[0]; c.State != record.Posted {
			t.Errorf("after ten minutes: %+v", c)
		}
	})
}

func TestPlaceCircuitOpensLongerEachTime(t *testing.T) {
	inPicky(t, refusal(platform.Unreachable, "is_archived"), func(t *testing.T, w *fixture, p *picky) {
		n := 0
		// tries submits once a second and returns the seconds in which the platform was called.
		tries := func(tenant string, seconds int) (called []int) {
			for s := range seconds {
				before, _ := p.counted()
				n++
				if r := w.submit(from(tenant, "no1", n)); r.Outcome.State != ask.Failed || !strings.Contains(r.Outcome.Reason, "is_archived") {
					t.Fatalf("second %d: %s because %q", s, r.Outcome.State, r.Outcome.Reason)
				}
				if after, _ := p.counted(); after > before {
					called = append(called, s)
				}
				time.Sleep(time.Second)
			}
			return called
		}
		if got, want := fmt.Sprint(tries("mallory", 180)), "[0 1 2 17 47 107 167]"; got != want {
			t.Errorf("called in the seconds %s, want %s", got, want)
		}
		p.mend()
		if r := w.submit(from("dana", "no1", 1000)); r.Copies[0].State != record.Posted {
			t.Errorf("the place takes cards again: %+v", r.Copies[0])
		}
		if r := w.submit(from("mallory", "no1", 1001)); r.Copies[0].State != record.Posted {
			t.Errorf("it took one of another agent since: %+v", r.Copies[0])
		}
	})
}

func TestPlaceCircuitIsPerTenant(t *testing.T) {
	inPicky(t, refusal(platform.Unreachable, "http_403"), func(t *testing.T, w *fixture, p *picky) {
		for n := range 5 {
			w.submit(from("mallory", "no1", n))
		}
		p.mend()
		if r := w.submit(from("dana", "no1", 9)); r.Copies[0].State != record.Posted {
			t.Errorf("another agent: %+v", r.Copies[0])
		}
	})
}
