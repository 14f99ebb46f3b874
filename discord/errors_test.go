package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

var inChannel = ask.Place{Platform: Name, Channel: "200000000000000001"}

// transport is a client without a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func replying(status int, body string, header ...string) transport {
	return func(*http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.WriteString(body)
		return w.Result(), nil
	}
}

// no is a refusal with one of Discord's own codes.
func no(status, code int) transport {
	return replying(status, `{"message":"Something about it","code":`+strconv.Itoa(code)+`}`)
}

const posted = `{"id":"1300000000000000009","channel_id":"200000000000000001"}`

func broken(err error) transport {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// failing lists how a call can fail, and what that means for a call that must not happen twice and for one that may.
type failing struct {
	rt           transport
	post, update platform.Kind
	code         string
	retryAfter   time.Duration
}

func failures() map[string]failing {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	dns := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "discord.com"}}
	reset := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	out := map[string]failing{
		"429 of the route": {
			replying(429, `{"message":"You are being rate limited.","retry_after":1.2345,"global":false}`, "Retry-After", "1"),
			platform.RateLimited, platform.RateLimited, codeLimited, 1235 * time.Millisecond,
		},
		"429 of everything":    {replying(429, `{"message":"limited","retry_after":7,"global":true}`), platform.RateLimited, platform.RateLimited, codeLimited, 7 * time.Second},
		"429 of the edge":      {replying(429, `<html>`, "Retry-After", "90"), platform.RateLimited, platform.RateLimited, codeLimited, 90 * time.Second},
		"429 without a time":   {replying(429, `{}`), platform.RateLimited, platform.RateLimited, codeLimited, shortWait},
		"429 with a bad time":  {replying(429, `{"retry_after":"soon"}`, "Retry-After", "-1"), platform.RateLimited, platform.RateLimited, codeLimited, shortWait},
		"429 for ever":         {replying(429, `{"retry_after":1e300}`), platform.RateLimited, platform.RateLimited, codeLimited, 24 * time.Hour},
		"500":                  {replying(500, `{"message":"500: Internal Server Error","code":0}`), platform.Ambiguous, platform.Transient, "http_500", 0},
		"502 of a proxy":       {replying(502, `<html>`), platform.Ambiguous, platform.Transient, "http_502", 0},
		"503":                  {replying(503, ``), platform.Ambiguous, platform.Transient, "http_503", 0},
		"401":                  {replying(401, `{"message":"401: Unauthorized","code":0}`), platform.Misconfigured, platform.Misconfigured, "http_401", 0},
		"403 of the edge":      {replying(403, `error code: 1020`), platform.Unreachable, platform.Unreachable, "http_403", 0},
		"404 of a proxy":       {replying(404, `not here`), platform.Misconfigured, platform.Misconfigured, "http_404", 0},
		"a redirect":           {replying(302, ``, "Location", "https://elsewhere.example/"), platform.Misconfigured, platform.Misconfigured, "http_302", 0},
		"413":                  {replying(413, ``), platform.Refused, platform.Refused, "http_413", 0},
		"an unknown code":      {no(400, 99999), platform.Refused, platform.Refused, "99999", 0},
		"an unknown forbidden": {no(403, 99999), platform.Unreachable, platform.Unreachable, "99999", 0},
		"connection refused":   {broken(dial), platform.Transient, platform.Transient, "connection failed", 0},
		"no such host":         {broken(dns), platform.Transient, platform.Transient, "connection failed", 0},
		"connection reset":     {broken(reset), platform.Ambiguous, platform.Transient, "connection lost", 0},
		"EOF":                  {broken(io.EOF), platform.Ambiguous, platform.Transient, "connection lost", 0},
		"timeout":              {broken(context.DeadlineExceeded), platform.Ambiguous, platform.Transient, "timeout", 0},
		"an archived thread":   {no(400, 50083), platform.Unreachable, platform.Locked, "50083 thread is archived", 0},
		"an old message":       {no(429, 30046), platform.Frozen, platform.Frozen, "30046 too many edits of an old message", 0},
		"an old message, for now": {
			replying(429, `{"message":"old","code":30046,"retry_after":5}`), platform.RateLimited, platform.RateLimited, "30046 too many edits of an old message", 5 * time.Second,
		},
		"slow mode": {replying(429, `{"message":"slow","code":20016,"retry_after":3}`), platform.RateLimited, platform.RateLimited, "20016 slow mode", 3 * time.Second},
	}
	for number, status := range map[int]int{
		10003: 404, 10004: 404, 10013: 404, 50001: 403, 50007: 403, 50008: 400, 50013: 403, 50278: 403, 160005: 400, 40058: 400, 20026: 403, 160002: 403,
		40001: 403, 50014: 401, 50035: 400, 50006: 400, 40005: 413, 200000: 400, 10008: 404, 50005: 403, 130000: 503,
	} {
		known := numbers[number]
		out[strconv.Itoa(number)] = failing{no(status, number), known.kind, known.kind, strconv.Itoa(number) + " " + known.word, 0}
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
				updateErr := painter.Update(t.Context(), card, render.Card{})
				for op, got := range map[string]struct {
					err  error
					kind platform.Kind
				}{opPost: {postErr, tc.post}, opEdit: {updateErr, tc.update}} {
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
				want := 2
				if strings.HasPrefix(tc.code, "10008") || strings.HasPrefix(tc.code, "50083") {
					// A post whose first message was deleted gets another nonce, and an archived thread is
					// unarchived for an edit.
					want = 3
				}
				if calls != want {
					t.Errorf("%d calls were made, want %d", calls, want)
				}
			})
		})
	}
}

func TestRefusedCardReportsPath(t *testing.T) {
	t.Parallel()
	c, log := offline(t, replying(400, `{"code":50035,"message":"Invalid Form Body","errors":{"components":{"0":{"components":
		{"3":{"label":{"_errors":[{"code":"BASE_TYPE_BAD_LENGTH","message":"Must be 80 or fewer in length."}]}}}}}}}`))
	_, err := c.Post(t.Context(), inChannel, render.Card{})
	var e *platform.Error
	if !errors.As(err, &e) || e.Kind != platform.Refused {
		t.Fatalf("Post = %v", err)
	}
	const where = "components.0.components.3.label: Must be 80 or fewer in length. (BASE_TYPE_BAD_LENGTH)"
	if !strings.Contains(e.Err.Error(), where) || !strings.Contains(log.String(), where) {
		t.Errorf("%v\n%s", e.Err, log)
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
	if !errors.As(err, &e) || e.Kind != platform.Unreachable || e.Code != codeNoPlace {
		t.Errorf("Post = %+v", e)
	}
	err = c.Update(t.Context(), platform.MessageRef{Platform: Name, Channel: "../users", Message: "@me"}, render.Card{})
	if !errors.As(err, &e) || e.Kind != platform.Gone {
		t.Errorf("Update = %+v", e)
	}
}

func TestErrorsOmitURLs(t *testing.T) {
	t.Parallel()
	address := "https://discord.com/api/v9/interactions/1/canary/callback"
	for _, err := range []error{
		&url.Error{Op: "Post", URL: address, Err: io.EOF},
		fmt.Errorf("discord: %w", &url.Error{Op: "Post", URL: address, Err: &url.Error{Op: "Get", URL: address, Err: io.EOF}}),
		&url.Error{Op: "parse", URL: address, Err: url.EscapeError("%zz")},
	} {
		e := classify(call{op: opCallback, once: true}, nil, err, true)
		if strings.Contains(fmt.Sprint(e, e.Err), "canary") {
			t.Errorf("%v", e.Err)
		}
	}
}

// Messages carry a nonce that Discord enforces, and mention no one.
func TestPostsHaveNonceAndNoPings(t *testing.T) {
	t.Parallel()
	var bodies []map[string]any
	c, _ := offline(t, func(r *http.Request) (*http.Response, error) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if got := r.Header.Get("User-Agent"); !strings.HasPrefix(got, "DiscordBot (https://") {
			t.Errorf("the User-Agent is %q", got)
		}
		bodies = append(bodies, body)
		return replying(http.StatusOK, posted)(r)
	})
	other := inChannel
	other.Channel = "200000000000000002"
	for _, to := range []ask.Place{inChannel, inChannel, other} {
		if _, err := c.Post(t.Context(), to, render.Card{Request: rid}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Update(t.Context(), card, render.Card{Request: rid}); err != nil {
		t.Fatal(err)
	}
	if err := c.Reply(t.Context(), inChannel, card, render.Card{Request: rid}); err != nil {
		t.Fatal(err)
	}
	for n, body := range bodies {
		if got, err := json.Marshal(body["allowed_mentions"]); err != nil || string(got) != `{"parse":[]}` {
			t.Errorf("%d: allowed_mentions is %s", n, got)
		}
		nonce, _ := body["nonce"].(string)
		if edit := n == 3; (nonce == "" || len(nonce) > maxNonce || body["enforce_nonce"] != true) != edit {
			t.Errorf("%d: nonce %q, enforce_nonce %v", n, nonce, body["enforce_nonce"])
		}
		if _, there := body["content"]; there {
			t.Errorf("%d: content is %v", n, body["content"])
		}
	}
	if bodies[0]["nonce"] != bodies[1]["nonce"] || bodies[0]["nonce"] == bodies[2]["nonce"] || bodies[0]["nonce"] == bodies[4]["nonce"] {
		t.Errorf("the nonces are %v, %v, %v, %v", bodies[0]["nonce"], bodies[1]["nonce"], bodies[2]["nonce"], bodies[4]["nonce"])
	}
}
