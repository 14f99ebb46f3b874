package discord

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/ratelimit"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// desk is a connector whose calls are counted and get scripted answers.
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

// post posts to a channel.
func (d *desk) post(channel string) *platform.Error {
	d.t.Helper()
	_, err := d.c.Post(d.t.Context(), ask.Place{Platform: Name, Channel: channel}, render.Card{})
	var e *platform.Error
	if err != nil && !errors.As(err, &e) {
		d.t.Fatal(err)
	}
	return e
}

// update edits the card in here1.
func (d *desk) update() *platform.Error {
	e, _ := errors.AsType[*platform.Error](d.c.Update(d.t.Context(), card, render.Card{}))
	return e
}

// attach posts a file below the card in here1.
func (d *desk) attach() *platform.Error {
	up := platform.Upload{Request: rid, Files: []ask.File{{Name: "plan.txt", Text: "Do it."}}}
	e, _ := errors.AsType[*platform.Error](d.c.Attach(d.t.Context(), ask.Place{}, card, up))
	return e
}

const here1, here2 = "200000000000000001", "200000000000000002"

func TestCallsWaitForRateLimit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		limited transport
		all     bool
	}{
		"in one channel":        {replying(429, `{"message":"limited","retry_after":30,"global":false}`), false},
		"anywhere":              {replying(429, `{"message":"limited","retry_after":30,"global":true}`), true},
		"globally, by a header": {replying(429, `{"message":"limited","retry_after":30}`, "X-RateLimit-Global", "true"), true},
		"by the edge":           {replying(429, `error code: 1015`, "Retry-After", "30"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, tc.limited)
				if e := d.post(here1); e == nil || e.Kind != platform.RateLimited || e.RetryAfter != 30*time.Second {
					t.Fatalf("Post = %+v", e)
				}
				d.answer = replying(200, posted)
				time.Sleep(10 * time.Second)
				if e := d.post(here1); e == nil || e.Kind != platform.RateLimited || e.RetryAfter != 20*time.Second {
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

func TestExhaustedLimitIsNotExceeded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, replying(200, posted, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset-After", "2.5", "X-RateLimit-Reset", "1"))
		if e := d.post(here1); e != nil {
			t.Fatal(e)
		}
		if e := d.post(here1); e == nil || e.Kind != platform.RateLimited || e.RetryAfter != 2500*time.Millisecond || d.calls != 1 {
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

// TestRefusalUpdatesQuota: the next post got a 429, which Discord counts toward a ban.
func TestRefusalUpdatesQuota(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]struct {
		status int
		body   string
	}{
		"a card that is refused": {400, `{"message":"Invalid Form Body","code":50035}`},
		"a place that is closed": {403, `{"message":"Missing Access","code":50001}`},
		"a server that is ill":   {500, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, replying(refused.status, refused.body, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset-After", "2.5"))
				if e := d.post(here1); e == nil || e.Kind == platform.RateLimited {
					t.Fatal(e)
				}
				d.answer, d.calls = replying(200, posted), 0
				if e := d.post(here1); e == nil || e.Kind != platform.RateLimited || e.RetryAfter != 2500*time.Millisecond || d.calls != 0 {
					t.Errorf("after %d more calls: %+v", d.calls, e)
				}
				if e := d.post(here2); e != nil {
					t.Errorf("another channel: %v", e)
				}
				time.Sleep(2500 * time.Millisecond)
				if e := d.post(here1); e != nil {
					t.Errorf("when there is room again: %v", e)
				}
			})
		})
	}
}

func TestRevokedTokenPausesCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, replying(401, `{"message":"401: Unauthorized","code":0}`))
		for range 60 {
			if e := d.post(here1); e == nil || e.Kind != platform.Misconfigured || e.Code != "http_401" {
				t.Fatalf("Post = %v", e)
			}
			time.Sleep(time.Second)
		}
		if d.calls > 5 {
			t.Errorf("%d calls in a minute", d.calls)
		}
		d.answer = replying(200, posted)
		time.Sleep(ratelimit.RestTime)
		if e := d.post(here1); e != nil {
			t.Errorf("with a good token: %v", e)
		}
	})
}

func TestForbiddenChannelDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, no(403, 50013))
		for range 600 {
			if e := d.post(here1); e == nil || e.Kind != platform.Unreachable {
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
		time.Sleep(ratelimit.RestTime)
		if e := d.post(here1); e != nil {
			t.Errorf("with the permission: %v", e)
		}
	})
}

// After five cards of a former application in a channel, edits of the bridge's own card there were refused without a
// call.
func TestCardIsClosedAmongOtherBotsCards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, no(403, 50005))
		for range 2 * maxForbidden {
			if e := d.update(); e == nil || e.Kind != platform.Frozen {
				t.Errorf("another bot's card: %v", e)
			}
		}
		d.answer = replying(200, posted)
		if e := d.update(); e != nil {
			t.Errorf("our own: %v", e)
		}
	})
}

// A channel in which the bot lacked Attach Files no longer accepted cards either.
func TestCardsArePostedWithoutFilePermission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, no(403, 50013))
		for range 2 * maxForbidden {
			if e := d.attach(); e == nil || e.Kind != platform.Unreachable || e.Op != opPost {
				t.Errorf("with a file: %v", e)
			}
		}
		if d.calls != maxForbidden {
			t.Errorf("%d calls with files, want %d", d.calls, maxForbidden)
		}
		d.answer = replying(200, posted)
		if e := d.post(here1); e != nil {
			t.Errorf("without: %v", e)
		}
		time.Sleep(ratelimit.RestTime)
		if e := d.attach(); e != nil {
			t.Errorf("with a file and the permission: %v", e)
		}
	})
}

func TestFilesShareChannelRateLimit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer transport
		times  int
		want   platform.Kind
	}{
		"that limits us":        {replying(429, `{"message":"limited","retry_after":30,"global":false}`), 1, platform.RateLimited},
		"that forbids us cards": {no(403, 50013), maxForbidden, platform.Unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, tc.answer)
				for range tc.times {
					d.post(here1)
				}
				if e := d.attach(); e == nil || e.Kind != tc.want || d.calls != tc.times {
					t.Errorf("with a file, after %d calls: %v", d.calls, e)
				}
			})
		})
	}
}

// somewhere is the n-th of many channels.
func somewhere(n int) string { return fmt.Sprintf("2000000000%07d9", n) }

// Discord blocks an address after 10,000 invalid replies in ten minutes. The protection against that let a caller
// who named a thousand bad places delay everyone.
func TestForbiddenChannelsDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, replying(200, posted))
		if e := d.post(here1); e != nil {
			t.Fatal(e)
		}
		d.answer = no(403, 50001)
		before := d.calls
		for n := range 20_000 {
			e := d.post(somewhere(n))
			if n > maxStrange && n < 20_000/2 && (e == nil || e.Kind != platform.RateLimited || e.Code != codeStrange) {
				t.Fatalf("place %d: %v", n, e)
			}
			time.Sleep(20 * time.Millisecond)
		}
		if n := d.calls - before; n > maxStrange {
			t.Errorf("%d refused calls", n)
		}
		d.answer = replying(200, posted)
		if e := d.post(here1); e != nil {
			t.Errorf("a channel that has taken something: %v", e)
		}
		if e := d.post(here2); e == nil || e.Kind != platform.RateLimited {
			t.Errorf("unknown channel: %v", e)
		}
		time.Sleep(invalidWindow)
		if e := d.post(here2); e != nil {
			t.Errorf("ten minutes later: %v", e)
		}
	})
}

func TestRefusalsOfKnownPlacesStayBelowLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, replying(200, posted))
		for n := range maxBuckets {
			if e := d.post(somewhere(n)); e != nil {
				t.Fatal(e)
			}
		}
		d.answer = no(403, 50001)
		before := d.calls
		for n := range 20_000 {
			d.post(somewhere(n % maxBuckets))
			time.Sleep(20 * time.Millisecond)
		}
		if n := d.calls - before; n > maxInvalid {
			t.Errorf("%d refused calls", n)
		}
	})
}

// The text of one card can trigger Discord's edge, which refuses it without a Discord error body.
func TestCloudflareBlockIsPerPlaceUntilThree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, replying(403, `error code: 1020`))
		for range 3 {
			if e := d.post(here1); e == nil || e.Kind != platform.Unreachable {
				t.Errorf("in one place: %v", e)
			}
		}
		d.answer = replying(200, posted)
		if e := d.post(here2); e != nil {
			t.Error(e)
		}
		d.answer = replying(403, `error code: 1020`)
		for n, want := range []platform.Kind{platform.Unreachable, platform.Unreachable, platform.Misconfigured, platform.Misconfigured} {
			if e := d.post(somewhere(n)); e == nil || e.Kind != want {
				t.Errorf("in place %d: %v, want %s", n+1, e, want)
			}
		}
		if err := d.c.Check(t.Context()); err == nil || !strings.Contains(err.Error(), string(platform.Misconfigured)) {
			t.Errorf("Check = %v", err)
		}
	})
}

func TestClosedDirectMessagesAffectOnePerson(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, no(403, 50007))
		direct := func(person string) *platform.Error {
			_, err := d.c.Post(t.Context(), ask.Place{Platform: Name, User: person}, render.Card{})
			e, _ := errors.AsType[*platform.Error](err)
			return e
		}
		for range 2 * maxForbidden {
			direct(idSam)
		}
		d.answer = replying(200, `{"id":"`+here1+`"}`)
		if e := direct(idDana); e != nil {
			t.Errorf("another person: %v", e)
		}
		d.answer = replying(429, `{"message":"limited","retry_after":30,"global":false}`)
		direct(idKim)
		d.answer = replying(200, `{"id":"`+here1+`"}`)
		if e := direct(somewhere(1)); e == nil || e.Kind != platform.RateLimited {
			t.Errorf("conversations are limited over all people: %v", e)
		}
	})
}

// The channel was forbidden once and rate limited after that: the waiting call was reported as forbidden, and the
// request failed.
func TestRateLimitIsNotCountedAsForbidden(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, no(403, 50013))
		if e := d.post(here1); e == nil || e.Kind != platform.Unreachable {
			t.Fatalf("Post = %+v", e)
		}
		d.answer = replying(429, `{"message":"limited","retry_after":30,"global":false}`)
		for range 2 {
			if e := d.post(here1); e == nil || e.Kind != platform.RateLimited {
				t.Errorf("Post = %+v", e)
			}
		}
	})
}

// Replies overtake each other: one with room left arrived after one with none.
func TestOvertakenResponseDoesNotRaiseQuota(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full := replying(200, posted, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset-After", "30")
		var d *desk
		d = newDesk(t, func(r *http.Request) (*http.Response, error) {
			d.answer = full
			if e := d.post(here1); e != nil {
				t.Errorf("the post that overtakes: %v", e)
			}
			return replying(200, posted)(r)
		})
		if e := d.post(here1); e != nil {
			t.Fatal(e)
		}
		if e := d.post(here1); e == nil || e.Kind != platform.RateLimited || d.calls != 2 {
			t.Errorf("after %d calls: %+v", d.calls, e)
		}
	})
}

// A short global wait must not end a long one.
func TestShorterWaitKeepsLongerOne(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var g limiter
	g.good = newCache()
	for _, wait := range []time.Duration{time.Minute, time.Second} {
		g.failed(call{op: opPost, place: here1}, &platform.Error{Kind: platform.RateLimited, RetryAfter: wait}, &refusal{status: 429, global: true}, now)
	}
	e, _ := errors.AsType[*platform.Error](g.check(call{op: opEdit, place: here2}, now))
	if e == nil || e.RetryAfter != time.Minute {
		t.Errorf("check = %+v, want a minute", e)
	}
}

// The result of a call with an interaction token says nothing about the bot token.
func TestInteractionTokenDoesNotAffectBotToken(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var g limiter
	g.good = newCache()
	no := &platform.Error{Kind: platform.Misconfigured}
	g.failed(call{op: opFollowUp}, no, &refusal{status: 401}, now)
	if err := g.tokenError(); err != nil {
		t.Errorf("an interaction that is over: %v", err)
	}
	g.failed(call{op: opPost, place: here1}, no, &refusal{status: 401}, now)
	g.passed(call{op: opCallback}, quota{}, now)
	if g.tokenError() == nil {
		t.Error("an interaction that was answered makes the bot's token good")
	}
}
