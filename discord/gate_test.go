package discord

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/render"
)

// desk is a connector whose calls are counted and answered as told.
type desk struct {
	t      *testing.T
	c      *Connector
	calls  int
	answer transport
}

func newDesk(t *testing.T, answer transport) *desk {
	t.Helper()
	d := &desk{t: t, answer: answer}
	d.c, _ = offline(t, func(r *http.Request) (*http.Response, error) {
		d.calls++
		return d.answer(r)
	})
	return d
}

// post posts to a channel and returns what went wrong, nil for nothing.
func (d *desk) post(channel string) *bridge.PlatformError {
	d.t.Helper()
	_, err := d.c.Post(d.t.Context(), ask.Place{Platform: Name, Channel: channel}, render.Card{})
	var e *bridge.PlatformError
	if err != nil && !errors.As(err, &e) {
		d.t.Fatal(err)
	}
	return e
}

const here1, here2 = "200000000000000001", "200000000000000002"

func TestNoCallLeavesBeforeItsTime(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		limited transport
		all     bool
	}{
		"in one channel": {replying(429, `{"message":"limited","retry_after":30,"global":false}`), false},
		"anywhere":       {replying(429, `{"message":"limited","retry_after":30,"global":true}`), true},
		"by the edge":    {replying(429, `error code: 1015`, "Retry-After", "30"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, tc.limited)
				if e := d.post(here1); e == nil || e.Kind != bridge.RateLimited || e.RetryAfter != 30*time.Second {
					t.Fatalf("Post = %+v", e)
				}
				d.answer = replying(200, posted)
				time.Sleep(10 * time.Second)
				if e := d.post(here1); e == nil || e.Kind != bridge.RateLimited || e.RetryAfter != 20*time.Second {
					t.Errorf("after ten seconds: %+v", e)
				}
				if d.calls != 1 {
					t.Errorf("%d calls were made, want 1", d.calls)
				}
				if e := d.post(here2); (e != nil) != tc.all {
					t.Errorf("another channel: %v", e)
				}
				if err := d.c.Update(t.Context(), card, render.Card{}); (err != nil) != tc.all {
					t.Errorf("another route: %v", err)
				}
				time.Sleep(20 * time.Second)
				if e := d.post(here1); e != nil {
					t.Errorf("when the time is over: %v", e)
				}
			})
		})
	}
}

func TestALimitThatIsUsedUpIsNotRunInto(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, replying(200, posted, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset-After", "2.5", "X-RateLimit-Reset", "1"))
		if e := d.post(here1); e != nil {
			t.Fatal(e)
		}
		if e := d.post(here1); e == nil || e.Kind != bridge.RateLimited || e.RetryAfter != 2500*time.Millisecond || d.calls != 1 {
			t.Errorf("after %d calls: %+v", d.calls, e)
		}
		if e := d.post(here2); e != nil {
			t.Errorf("another channel: %v", e)
		}
		started := time.Now()
		time.Sleep(2500 * time.Millisecond)
		if e := d.post(here1); e != nil || time.Since(started) > 3*time.Second {
			t.Errorf("when there is room again: %v after %v", e, time.Since(started))
		}
	})
}

func TestARevokedTokenIsNotTriedOverAndOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, replying(401, `{"message":"401: Unauthorized","code":0}`))
		for range 60 {
			if e := d.post(here1); e == nil || e.Kind != bridge.Misconfigured || e.Code != "http_401" {
				t.Fatalf("Post = %v", e)
			}
			time.Sleep(time.Second)
		}
		if d.calls > 5 {
			t.Errorf("%d calls in a minute", d.calls)
		}
		d.answer = replying(200, posted)
		time.Sleep(restAfterRefusal)
		if e := d.post(here1); e != nil {
			t.Errorf("with a good token: %v", e)
		}
	})
}

func TestAForbiddenChannelIsLeftAloneAndTheOthersAreNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, no(403, 50013))
		for range 600 {
			if e := d.post(here1); e == nil || e.Kind != bridge.Unreachable {
				t.Fatalf("Post = %v", e)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if d.calls > maxForbidden+5 {
			t.Errorf("%d calls in a minute", d.calls)
		}
		d.answer = replying(200, posted)
		if e := d.post(here2); e != nil {
			t.Errorf("another channel: %v", e)
		}
		time.Sleep(restAfterRefusal)
		if e := d.post(here1); e != nil {
			t.Errorf("with the permission: %v", e)
		}
	})
}

// Discord blocks an address after 10,000 invalid replies in ten minutes.
func TestManyForbiddenChannelsDoNotAddUpToABlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, no(403, 50001))
		started := time.Now()
		for n := range 20_000 {
			d.post("2000000000000" + string(rune('0'+n/1000%10)) + string(rune('0'+n/100%10)) + string(rune('0'+n/10%10)) + string(rune('0'+n%10)) + "1")
			time.Sleep(20 * time.Millisecond)
		}
		if d.calls > maxInvalid {
			t.Errorf("%d calls in %v", d.calls, time.Since(started))
		}
		d.answer = replying(200, posted)
		time.Sleep(invalidWindow)
		if e := d.post(here1); e != nil {
			t.Errorf("ten minutes later: %v", e)
		}
	})
}
