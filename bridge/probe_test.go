package bridge_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// revocable is a platform whose token can be revoked and restored. The bridge notices only through its calls.
type revocable struct {
	*bridgetest.Script

	mu     sync.Mutex
	err    error // the result of every check
	known  error // the result of Ready
	checks []time.Time
}

func (p *revocable) Check(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checks = append(p.checks, time.Now())
	p.known = p.err
	return p.err
}

func (p *revocable) Ready() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known
}

func (p *revocable) meet(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

// gaps returns the times between checks.
func (p *revocable) gaps() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []time.Duration
	for n := 1; n < len(p.checks); n++ {
		all = append(all, p.checks[n].Sub(p.checks[n-1]))
	}
	return all
}

func inRevocable(t *testing.T, f func(t *testing.T, w *fixture, p *revocable)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		p := &revocable{Script: w.chat}
		stop := w.begin(nil, p)
		f(t, w, p)
		stop()
	})
}

// A bridge that the load balancer has taken out gets no requests and has to find out by itself.
func TestValidTokenIsNoticedWithoutRequests(t *testing.T) {
	const bar = 15 * time.Second
	revoked := refusal(platform.Misconfigured, "token_revoked")
	for name, breaks := range map[string]func(w *fixture, p *revocable){
		"after a call of the bridge failed": func(w *fixture, p *revocable) {
			p.meet(revoked)
			w.chat.On("post", bridgetest.Cue{Err: revoked})
			w.submit(database())
		},
		"after a call of the connector failed": func(_ *fixture, p *revocable) {
			p.meet(revoked)
			p.mu.Lock()
			p.known = revoked
			p.mu.Unlock()
		},
	} {
		t.Run(name, func(t *testing.T) {
			inRevocable(t, func(t *testing.T, w *fixture, p *revocable) {
				breaks(w, p)
				time.Sleep(10 * time.Minute)
				if err := w.Ready(t.Context()); err == nil {
					t.Fatal("ready with a revoked token")
				}
				if n := len(p.gaps()); n < 30 || n > 100 {
					t.Errorf("%d checks in ten minutes", n+1)
				}
				p.meet(nil)
				time.Sleep(bar)
				if err := w.Ready(t.Context()); err != nil {
					t.Errorf("not ready %v after the token was made good: %v", bar, err)
				}
				before := len(p.gaps())
				time.Sleep(time.Hour)
				if n := len(p.gaps()); n != before {
					t.Errorf("%d checks in an hour with a good token", n-before)
				}
			})
		})
	}
}

func TestTokenChecksBackOff(t *testing.T) {
	inRevocable(t, func(t *testing.T, w *fixture, p *revocable) {
		p.meet(refusal(platform.Misconfigured, "token_revoked"))
		w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Misconfigured, "token_revoked")})
		w.submit(database())
		time.Sleep(20 * time.Second)
		want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
		if got := p.gaps(); !slices.Equal(got, want) {
			t.Errorf("checked after %v, want %v", got, want)
		}
		p.meet(&platform.Error{Platform: "slack", Op: "call", Kind: platform.RateLimited, Code: "ratelimited", RetryAfter: time.Minute})
		time.Sleep(10 * time.Second)
		before := len(p.gaps())
		time.Sleep(50 * time.Second)
		if n := len(p.gaps()) - before; n != 0 {
			t.Errorf("%d checks in the minute that the platform asked for", n)
		}
	})
}
