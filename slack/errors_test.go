package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/ratelimit"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

var (
	inChannel = ask.Place{Platform: Name, Channel: "C0000001"}
	place     = platform.MessageRef{Platform: Name, Channel: "C0000001", Message: "1712345678.000100"}
)

// failing is how a call can go wrong, and what that means for something that
// must not happen twice and something that may.
type failing struct {
	rt           transport
	post, update platform.Kind
	code         string
	retryAfter   time.Duration
}

func word(w string) transport { return replying(http.StatusOK, `{"ok":false,"error":"`+w+`"}`) }

func broken(err error) transport {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func failures() map[string]failing {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	dns := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "slack.com"}}
	reset := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	out := map[string]failing{
		"429 with a header":     {replying(429, `{}`, "Retry-After", "7"), platform.RateLimited, platform.RateLimited, "ratelimited", 7 * time.Second},
		"429 without a header":  {replying(429, `{}`), platform.RateLimited, platform.RateLimited, "ratelimited", shortWait},
		"429 with a bad header": {replying(429, `{}`, "Retry-After", "soon"), platform.RateLimited, platform.RateLimited, "ratelimited", shortWait},
		"429 with a year":       {replying(429, `{}`, "Retry-After", "31536000"), platform.RateLimited, platform.RateLimited, "ratelimited", longestWait},
		"429 with zero":         {replying(429, `{}`, "Retry-After", "0"), platform.RateLimited, platform.RateLimited, "ratelimited", shortWait},
		"200 ratelimited":       {word("ratelimited"), platform.RateLimited, platform.RateLimited, "ratelimited", shortWait},
		"200 rate_limited":      {word("rate_limited"), platform.RateLimited, platform.RateLimited, "rate_limited", shortWait},
		"500":                   {replying(500, `<html>`), platform.Ambiguous, platform.Transient, "http_500", 0},
		"503":                   {replying(503, ``), platform.Ambiguous, platform.Transient, "http_503", 0},
		"404":                   {replying(404, ``), platform.Misconfigured, platform.Misconfigured, "http_404", 0},
		"407":                   {replying(407, ``), platform.Misconfigured, platform.Misconfigured, "http_407", 0},
		"redirect":              {replying(302, ``, "Location", "https://elsewhere.example/"), platform.Misconfigured, platform.Misconfigured, "http_302", 0},
		"no JSON":               {replying(200, `<html>welcome</html>`), platform.Ambiguous, platform.Transient, "unreadable_reply", 0},
		"half of it":            {replying(200, `{"ok":tr`), platform.Ambiguous, platform.Transient, "connection_lost", 0},
		"connection refused":    {broken(dial), platform.Transient, platform.Transient, "connection_failed", 0},
		"no such host":          {broken(dns), platform.Transient, platform.Transient, "connection_failed", 0},
		"connection reset":      {broken(reset), platform.Ambiguous, platform.Transient, "connection_lost", 0},
		"EOF":                   {broken(io.EOF), platform.Ambiguous, platform.Transient, "connection_lost", 0},
		"timeout":               {broken(context.DeadlineExceeded), platform.Ambiguous, platform.Transient, "timeout", 0},
		"an odd word":           {word("xoxb-canary-bot-0123456789 is bad"), platform.Ambiguous, platform.Transient, "unreadable_reply", 0},
	}
	same := func(kind platform.Kind, list ...string) {
		for _, w := range list {
			out[w] = failing{word(w), kind, kind, w, 0}
		}
	}
	same(platform.Unreachable, "is_archived", "channel_not_found", "not_in_channel", "user_not_found", "user_disabled",
		"messages_tab_disabled", "thread_not_found", "restricted_action", "restricted_action_read_only_channel",
		"restricted_action_thread_locked", "cannot_dm_bot", "is_inactive")
	same(platform.Misconfigured, "invalid_auth", "token_revoked", "account_inactive", "not_authed", "missing_scope", "token_expired",
		"org_login_required", "app_uninstalled", "not_allowed_token_type")
	same(platform.Refused, "msg_too_long", "invalid_blocks", "msg_blocks_too_long", "no_text", "a_word_nobody_knows")
	same(platform.Gone, "message_not_found")
	same(platform.Frozen, "edit_window_closed", "cant_update_message")
	for _, w := range []string{"fatal_error", "file_update_failed", "internal_error", "service_unavailable", "update_failed"} {
		out[w] = failing{word(w), platform.Ambiguous, platform.Transient, w, 0}
	}
	return out
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	for name, tc := range failures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				rt := func(r *http.Request) (*http.Response, error) {
					calls++
					return tc.rt(r)
				}
				poster, log := offline(t, rt)
				_, postErr := poster.Post(t.Context(), inChannel, render.Card{})
				painter, _ := offline(t, rt)
				updateErr := painter.Update(t.Context(), place, render.Card{})
				for op, got := range map[string]struct {
					err  error
					kind platform.Kind
				}{"chat.postMessage": {postErr, tc.post}, "chat.update": {updateErr, tc.update}} {
					var e *platform.Error
					if !errors.As(got.err, &e) {
						t.Fatalf("%s: %v is no PlatformError", op, got.err)
					}
					if e.Platform != Name || e.Op != op || e.Kind != got.kind || e.Code != tc.code || e.RetryAfter != tc.retryAfter {
						t.Errorf("%s: %+v, want kind %s, code %s, after %v", op, e, got.kind, tc.code, tc.retryAfter)
					}
					if all := fmt.Sprintf("%v %+v %v %s", e, e, e.Err, log); strings.Contains(all, "canary") {
						t.Errorf("%s: a secret is in %s", op, all)
					}
				}
				if calls != 2 {
					t.Errorf("%d calls were made, want one each", calls)
				}
			})
		})
	}
}

func TestHangingCallTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := offline(t, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		})
		started := time.Now()
		_, err := c.Post(t.Context(), inChannel, render.Card{})
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Ambiguous || e.Code != "timeout" || time.Since(started) != callTimeout {
			t.Errorf("after %v: %+v", time.Since(started), e)
		}
	})
}

func TestUnsentCallIsTransient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := offline(t, func(*http.Request) (*http.Response, error) {
			t.Error("a call was made")
			return nil, io.EOF
		})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := c.Post(ctx, inChannel, render.Card{})
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Transient {
			t.Errorf("Post = %+v", e)
		}
		_, err = c.Post(t.Context(), ask.Place{Platform: Name, Channel: "deploys"}, render.Card{})
		if !errors.As(err, &e) || e.Kind != platform.Unreachable || e.Code != "invalid_target" {
			t.Errorf("Post = %+v", e)
		}
	})
}

// A dial that does not come to an end has sent nothing, unlike a reply that
// does not come.
func TestConnectTimeoutIsTransient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		defer close(over)
		c, err := New(Config{
			BotToken: canaryBot, SigningSecret: secret, APIURL: "http://slack.test/api/",
			HTTPClient: &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				<-over // net/http continues dialing for the next call.
				return nil, io.EOF
			}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Post(t.Context(), inChannel, render.Card{})
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Transient || e.Code != "timeout" {
			t.Errorf("Post = %+v", e)
		}
	})
}

func TestErrorsOmitURLs(t *testing.T) {
	t.Parallel()
	address := "https://hooks.slack.com/actions/T1/2/canary"
	for _, err := range []error{
		&url.Error{Op: "Post", URL: address, Err: io.EOF},
		fmt.Errorf("slack: %w", &url.Error{Op: "Post", URL: address, Err: &url.Error{Op: "Get", URL: address, Err: io.EOF}}),
		&url.Error{Op: "parse", URL: address, Err: url.EscapeError("%zz")},
	} {
		if e := classify("response_url", true, err, true); strings.Contains(fmt.Sprint(e, e.Err), "canary") {
			t.Errorf("%v", e.Err)
		}
	}
}

func TestCallsWaitForRateLimit(t *testing.T) {
	t.Parallel()
	for name, limited := range map[string]transport{
		"a header":    replying(429, `{}`, "Retry-After", "30"),
		"no header":   replying(429, `{}`),
		"in the body": word("ratelimited"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				answer := limited
				c, _ := offline(t, func(r *http.Request) (*http.Response, error) {
					calls++
					return answer(r)
				})
				post := func(channel string) *platform.Error {
					_, err := c.Post(t.Context(), ask.Place{Platform: Name, Channel: channel}, render.Card{})
					var e *platform.Error
					if err != nil && !errors.As(err, &e) {
						t.Fatal(err)
					}
					return e
				}
				if e := post("C0000001"); e == nil || e.Kind != platform.RateLimited || e.RetryAfter != 30*time.Second {
					t.Fatalf("Post = %+v", e)
				}
				answer = replying(200, `{"ok":true,"channel":"C0000001","ts":"1.000001"}`)
				time.Sleep(10 * time.Second)
				if e := post("C0000001"); e == nil || e.Kind != platform.RateLimited || e.RetryAfter != 20*time.Second {
					t.Errorf("after ten seconds: %+v", e)
				}
				if calls != 1 {
					t.Errorf("%d calls were made, want 1", calls)
				}
				if e := post("C0000002"); e != nil {
					t.Errorf("another channel: %v", e)
				}
				if err := c.Update(t.Context(), place, render.Card{}); err != nil {
					t.Errorf("another method: %v", err)
				}
				time.Sleep(20 * time.Second)
				if e := post("C0000001"); e != nil {
					t.Errorf("when the time is over: %v", e)
				}
			})
		})
	}
}

func TestRevokedTokenPausesCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		answer := word("token_revoked")
		c, _ := offline(t, func(r *http.Request) (*http.Response, error) {
			calls++
			return answer(r)
		})
		for range 60 {
			err := c.Update(t.Context(), place, render.Card{})
			var e *platform.Error
			if !errors.As(err, &e) || e.Kind != platform.Misconfigured || e.Code != "token_revoked" {
				t.Fatalf("Update = %v", err)
			}
			time.Sleep(time.Second)
		}
		if calls > 5 {
			t.Errorf("%d calls in a minute", calls)
		}
		answer = replying(200, `{"ok":true,"channel":"C0000001","ts":"1.000001"}`)
		time.Sleep(ratelimit.RestTime)
		if err := c.Update(t.Context(), place, render.Card{}); err != nil {
			t.Errorf("with a good token: %v", err)
		}
	})
}

// What lacks one scope is no reason to stop everything else.
func TestMissingScopeAffectsOnlyItsMethod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, log := offline(t, func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "conversations.open") {
				return replying(200, `{"ok":false,"error":"missing_scope","needed":"im:write","provided":"chat:write"}`)(r)
			}
			return replying(200, `{"ok":true,"channel":"C0000001","ts":"1.000001"}`)(r)
		})
		_, err := c.Post(t.Context(), ask.Place{Platform: Name, User: "U0000001"}, render.Card{})
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Unreachable || e.Code != "missing_scope" || e.Op != "conversations.open" {
			t.Errorf("Post to a person = %+v", e)
		}
		if !strings.Contains(log.String(), "im:write") {
			t.Errorf("the log does not contain the scope:\n%s", log)
		}
		if _, err := c.Post(t.Context(), inChannel, render.Card{}); err != nil {
			t.Errorf("Post to a channel: %v", err)
		}
	})
}
