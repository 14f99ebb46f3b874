package slack

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/test/logbuffer"
)

const secret = "8f742231b10e8888abcd99yyyzzz85a5"

// sign is written again here, so that the verifier does not judge itself.
func sign(key string, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("v0:" + stamp + ":"))
	mac.Write(body)
	return "v0=" + hex.EncodeToString(mac.Sum(nil))
}

// verify reads a request as the endpoint does, and returns when it was signed.
func verify(key string, h http.Header, body []byte, now time.Time) (int64, error) {
	r := httptest.NewRequest(http.MethodPost, "/slack/interactions", bytes.NewReader(body))
	r.Header = h
	_, s, err := connector.NewInbox(signed(key)).Read(httptest.NewRecorder(), r, now)
	return s.Sent, err
}

// Slack's own worked example:
// https://docs.slack.dev/authentication/verifying-requests-from-slack.
func TestSignatureOfDocumentedExample(t *testing.T) {
	t.Parallel()
	body := []byte("token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c")
	h := http.Header{}
	h.Set("X-Slack-Request-Timestamp", "1531420618")
	h.Set("X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503")
	sent, err := verify(secret, h, body, time.Unix(1531420618, 0))
	if err != nil || sent != 1531420618 {
		t.Errorf("verify = %d, %v", sent, err)
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	now := time.Unix(1712345678, 0)
	stamp := strconv.FormatInt(now.Unix(), 10)
	body := []byte("payload=%7B%7D")
	good := sign(secret, stamp, body)
	at := func(d time.Duration) (string, string) {
		s := strconv.FormatInt(now.Add(d).Unix(), 10)
		return s, sign(secret, s, body)
	}
	oldStamp, oldSign := at(-connector.Window - time.Second)
	newStamp, newSign := at(connector.Window + time.Second)
	edgeStamp, edgeSign := at(-connector.Window)
	for name, tc := range map[string]struct {
		stamps, signatures []string
		body               []byte
		want               error
	}{
		"the right one":            {[]string{stamp}, []string{good}, body, nil},
		"at the edge":              {[]string{edgeStamp}, []string{edgeSign}, body, nil},
		"upper case hex":           {[]string{stamp}, []string{"v0=" + strings.ToUpper(good[3:])}, body, nil},
		"no headers":               {nil, nil, body, connector.ErrNoSignature},
		"no signature":             {[]string{stamp}, nil, body, connector.ErrNoSignature},
		"no timestamp":             {nil, []string{good}, body, connector.ErrNoTime},
		"two signatures":           {[]string{stamp}, []string{good, good}, body, connector.ErrNoSignature},
		"two timestamps":           {[]string{stamp, stamp}, []string{good}, body, connector.ErrNoTime},
		"empty signature":          {[]string{stamp}, []string{""}, body, connector.ErrBadSignature},
		"no version":               {[]string{stamp}, []string{good[3:]}, body, connector.ErrBadSignature},
		"another version":          {[]string{stamp}, []string{"v1=" + good[3:]}, body, connector.ErrBadSignature},
		"short":                    {[]string{stamp}, []string{good[:40]}, body, connector.ErrBadSignature},
		"odd hex":                  {[]string{stamp}, []string{good[:len(good)-1]}, body, connector.ErrBadSignature},
		"no hex":                   {[]string{stamp}, []string{"v0=" + strings.Repeat("g", 64)}, body, connector.ErrBadSignature},
		"long":                     {[]string{stamp}, []string{good + "00"}, body, connector.ErrBadSignature},
		"empty timestamp":          {[]string{""}, []string{good}, body, connector.ErrBadTime},
		"timestamp with a sign":    {[]string{"-" + stamp}, []string{good}, body, connector.ErrBadTime},
		"timestamp with a point":   {[]string{stamp + ".0"}, []string{good}, body, connector.ErrBadTime},
		"timestamp without an end": {[]string{strings.Repeat("9", 40)}, []string{good}, body, connector.ErrBadTime},
		"another key":              {[]string{stamp}, []string{sign("another-signing-secret", stamp, body)}, body, connector.ErrMismatch},
		"another body":             {[]string{stamp}, []string{good}, []byte("payload=%7B%7d"), connector.ErrMismatch},
		"another time":             {[]string{edgeStamp}, []string{good}, body, connector.ErrMismatch},
		"too old":                  {[]string{oldStamp}, []string{oldSign}, body, connector.ErrOld},
		"from the future":          {[]string{newStamp}, []string{newSign}, body, connector.ErrOld},
		"too old and wrong":        {[]string{oldStamp}, []string{good}, body, connector.ErrOld},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{"X-Slack-Request-Timestamp": tc.stamps, "X-Slack-Signature": tc.signatures}
			_, err := verify(secret, h, tc.body, now)
			if !errors.Is(err, tc.want) {
				t.Errorf("verify = %v, want %v", err, tc.want)
			}
		})
	}
}

func FuzzSignatureHeaders(f *testing.F) {
	now := time.Unix(1712345678, 0)
	body := []byte("payload=%7B%7D")
	f.Add("1712345678", sign(secret, "1712345678", body), body)
	f.Add("", "v0=", []byte{})
	f.Add("99999999999999999999", "v0=00", body)
	f.Fuzz(func(t *testing.T, stamp, signature string, body []byte) {
		h := http.Header{"X-Slack-Request-Timestamp": {stamp}, "X-Slack-Signature": {signature}}
		sent, err := verify(secret, h, body, now)
		right := sign(secret, stamp, body)
		if err == nil && (!strings.EqualFold(signature, right) || strconv.FormatInt(sent, 10) != strings.TrimLeft(stamp, "0")) {
			t.Errorf("verify accepted %q at %q", signature, stamp)
		}
		if err != nil && strings.Contains(err.Error(), right[3:]) {
			t.Errorf("the error holds the right signature: %v", err)
		}
	})
}

// transport answers every call without a network.
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

const whoami = `{"ok":true,"team_id":"T0000001","user_id":"U0000BOT","bot_id":"B0000001"}`

// offline makes a connector whose calls go to rt.
func offline(t *testing.T, rt transport) (*Connector, *logbuffer.Buffer) {
	t.Helper()
	log := &logbuffer.Buffer{}
	c, err := New(Config{
		BotToken: canaryBot, SigningSecret: secret, HTTPClient: &http.Client{Transport: rt}, Logger: log.Logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, log
}

// listening runs Listen until the test ends.
func listening(t *testing.T, c *Connector, h platform.Handler) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Listen(ctx, h) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Listen = %v", err)
		}
	})
	synctest.Wait()
}

func payloadFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/payloads/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// request is a signed request with a payload.
func request(payload []byte) *http.Request {
	body := []byte(url.Values{"payload": {string(payload)}}.Encode())
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	r := httptest.NewRequest(http.MethodPost, "/slack/interactions", bytes.NewReader(body))
	r.Header.Set("X-Slack-Request-Timestamp", stamp)
	r.Header.Set("X-Slack-Signature", sign(secret, stamp, body))
	return r
}

func serve(c *Connector, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, r)
	return w
}

func ackIt(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
	return r.Ack(ctx)
}

func TestEndpointStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, log := offline(t, replying(http.StatusOK, whoami))
		if w := serve(c, request(payloadFile(t, "button"))); w.Code != http.StatusServiceUnavailable {
			t.Errorf("before Listen: %d", w.Code)
		}
		listening(t, c, ackIt)

		forged := request(payloadFile(t, "button"))
		forged.Header.Set("X-Slack-Signature", "v0="+strings.Repeat("0", 64))
		get := request(payloadFile(t, "button"))
		get.Method = http.MethodGet
		huge := request(bytes.Repeat([]byte("a"), connector.MaxBody))
		stamp := strconv.FormatInt(time.Now().Unix(), 10)
		empty := httptest.NewRequest(http.MethodPost, "/slack/interactions", strings.NewReader("a=b"))
		empty.Header.Set("X-Slack-Request-Timestamp", stamp)
		empty.Header.Set("X-Slack-Signature", sign(secret, stamp, []byte("a=b")))
		for name, tc := range map[string]struct {
			r    *http.Request
			want int
		}{
			"a click":           {request(payloadFile(t, "button")), http.StatusOK},
			"no JSON":           {request([]byte("{")), http.StatusOK},
			"a foreign control": {request(payloadFile(t, "foreign_button")), http.StatusOK},
			"a closed form":     {request(payloadFile(t, "form_closed")), http.StatusOK},
			"another app":       {request(payloadFile(t, "another_workspace")), http.StatusOK},
			"a forged one":      {forged, http.StatusUnauthorized},
			"GET":               {get, http.StatusMethodNotAllowed},
			"too much":          {huge, http.StatusRequestEntityTooLarge},
			"no payload":        {empty, http.StatusBadRequest},
		} {
			w := serve(c, tc.r)
			if w.Code != tc.want || w.Body.Len() > 0 {
				t.Errorf("%s: status %d with %q, want %d and no body", name, w.Code, w.Body, tc.want)
			}
			if tc.want == http.StatusOK && w.Header().Get("Content-Length") != "0" {
				t.Errorf("%s: Content-Length is %q", name, w.Header().Get("Content-Length"))
			}
		}
		if !strings.Contains(log.String(), "slack request refused") {
			t.Error("the refused request was not logged")
		}
	})
}

func TestExpectedSignatureIsNotLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, log := offline(t, replying(http.StatusOK, whoami))
		listening(t, c, ackIt)
		r := request(payloadFile(t, "button"))
		right := r.Header.Get("X-Slack-Signature")
		r.Header.Set("X-Slack-Signature", "v0="+strings.Repeat("0", 64))
		w := serve(c, r)
		if all := log.String() + fmt.Sprint(w.Header()) + w.Body.String(); strings.Contains(all, right[3:]) {
			t.Errorf("the signature is in\n%s", all)
		}
	})
}

func TestReplayedRequestIsDeduplicated(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"button", "form"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, _ := offline(t, replying(http.StatusOK, whoami))
				var mu sync.Mutex
				ids := map[string]int{}
				listening(t, c, func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
					mu.Lock()
					ids[i.ID]++
					mu.Unlock()
					return r.Ack(ctx)
				})
				for range 100 {
					if w := serve(c, request(payloadFile(t, name))); w.Code != http.StatusOK {
						t.Fatalf("status %d", w.Code)
					}
				}
				if len(ids) != 1 {
					t.Errorf("100 deliveries were %d acts", len(ids))
				}
			})
		})
	}
}

func TestAcknowledgementPrecedesSlowWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := offline(t, replying(http.StatusOK, whoami))
		worked := false
		release := make(chan struct{})
		listening(t, c, func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			if err := r.Ack(ctx); err != nil {
				t.Error(err)
			}
			<-release
			worked = true
			return nil
		})
		w := serve(c, request(payloadFile(t, "button")))
		if w.Code != http.StatusOK || !w.Flushed || worked {
			t.Errorf("status %d, flushed %v, worked %v", w.Code, w.Flushed, worked)
		}
		close(release)
	})
}

func TestLateHandlerIsAcknowledgedInTime(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"button": "", "form": words.In(words.Default).Reply.Late, "form of a note": words.In(words.Default).Reply.Late,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, log := offline(t, replying(http.StatusOK, whoami))
				listening(t, c, func(ctx context.Context, _ platform.Interaction, _ platform.Responder) error {
					<-ctx.Done()
					if !errors.Is(context.Cause(ctx), connector.ErrHandlerTime) {
						t.Errorf("cause = %v", context.Cause(ctx))
					}
					return ctx.Err()
				})
				file, note := strings.CutSuffix(name, " of a note")
				payload := payloadFile(t, file)
				if note {
					payload = bytes.ReplaceAll(payload, []byte(":W:"), []byte(":N:"))
				}
				started := time.Now()
				w := serve(c, request(payload))
				if took := time.Since(started); took != connector.HandlerTime {
					t.Errorf("acknowledged after %v, want %v", took, connector.HandlerTime)
				}
				if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) || (want == "" && w.Body.Len() > 0) {
					t.Errorf("status %d with %q", w.Code, w.Body)
				}
				if want != "" && !strings.Contains(w.Body.String(), `"response_action":"errors"`) {
					t.Errorf("the form does not stay open: %s", w.Body)
				}
				synctest.Wait()
				if !strings.Contains(log.String(), "handler was late") {
					t.Error("not logged")
				}
			})
		})
	}
}

func TestSilentHandlerIsAcknowledged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, log := offline(t, replying(http.StatusOK, whoami))
		listening(t, c, func(context.Context, platform.Interaction, platform.Responder) error {
			return errors.New("store is away")
		})
		started := time.Now()
		if w := serve(c, request(payloadFile(t, "button"))); w.Code != http.StatusOK || time.Since(started) != 0 {
			t.Errorf("status %d after %v", w.Code, time.Since(started))
		}
		synctest.Wait()
		if !strings.Contains(log.String(), "store is away") {
			t.Error("the handler's error was not logged")
		}
	})
}

func TestEarlyHangUpStillActs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := offline(t, replying(http.StatusOK, whoami))
		acked := make(chan error, 1)
		listening(t, c, func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			time.Sleep(time.Second)
			acked <- r.Ack(ctx)
			return nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		serve(c, request(payloadFile(t, "button")).WithContext(ctx))
		if err := <-acked; !errors.Is(err, connector.ErrGone) {
			t.Errorf("Ack = %v, want %v", err, connector.ErrGone)
		}
	})
}

func TestOverloadReturnsUnavailable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := offline(t, replying(http.StatusOK, whoami))
		release := make(chan struct{})
		listening(t, c, func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			defer func() { <-release }()
			return r.Ack(ctx)
		})
		for range connector.MaxActs {
			serve(c, request(payloadFile(t, "button")))
		}
		if w := serve(c, request(payloadFile(t, "button"))); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
			t.Errorf("status %d, to try again in %q s", w.Code, w.Header().Get("Retry-After"))
		}
		close(release)
		synctest.Wait()
		if w := serve(c, request(payloadFile(t, "button"))); w.Code != http.StatusOK {
			t.Errorf("afterwards: status %d", w.Code)
		}
	})
}
