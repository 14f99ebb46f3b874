package discord

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/test/logbuffer"
)

// private is the key of the tests' own Discord.
var private = ed25519.NewKeyFromSeed([]byte("a seed that no one else would use"[:ed25519.SeedSize]))

func publicKey() string { return hex.EncodeToString(private[ed25519.SeedSize:]) }

func sign(stamp string, body []byte) string {
	return hex.EncodeToString(ed25519.Sign(private, append([]byte(stamp), body...)))
}

// verify reads a request like the endpoint.
func verify(h http.Header, body []byte, now time.Time) error {
	r := httptest.NewRequest(http.MethodPost, "/discord/interactions", bytes.NewReader(body))
	r.Header = h
	_, _, err := connector.NewInbox(signed(keyOf(publicKey()))).Read(httptest.NewRecorder(), r, now)
	return err
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	now := time.Unix(1712345678, 0)
	stamp := strconv.FormatInt(now.Unix(), 10)
	body := []byte(`{"type":1}`)
	good := sign(stamp, body)
	at := func(d time.Duration) (string, string) {
		s := strconv.FormatInt(now.Add(d).Unix(), 10)
		return s, sign(s, body)
	}
	oldStamp, oldSign := at(-connector.Window - time.Second)
	newStamp, newSign := at(connector.Window + time.Second)
	edgeStamp, edgeSign := at(-connector.Window)
	flipped := []byte(good)
	flipped[0] ^= 1
	for name, tc := range map[string]struct {
		stamps, signatures []string
		body               []byte
		want               error
	}{
		"the right one":        {[]string{stamp}, []string{good}, body, nil},
		"at the edge":          {[]string{edgeStamp}, []string{edgeSign}, body, nil},
		"upper case hex":       {[]string{stamp}, []string{strings.ToUpper(good)}, body, nil},
		"no headers":           {nil, nil, body, connector.ErrNoSignature},
		"no signature":         {[]string{stamp}, nil, body, connector.ErrNoSignature},
		"no timestamp":         {nil, []string{good}, body, connector.ErrNoTime},
		"two signatures":       {[]string{stamp}, []string{good, good}, body, connector.ErrNoSignature},
		"two timestamps":       {[]string{stamp, stamp}, []string{good}, body, connector.ErrNoTime},
		"empty signature":      {[]string{stamp}, []string{""}, body, connector.ErrBadSignature},
		"short":                {[]string{stamp}, []string{good[:64]}, body, connector.ErrBadSignature},
		"odd hex":              {[]string{stamp}, []string{good[:len(good)-1]}, body, connector.ErrBadSignature},
		"no hex":               {[]string{stamp}, []string{strings.Repeat("g", len(good))}, body, connector.ErrBadSignature},
		"empty timestamp":      {[]string{""}, []string{good}, body, connector.ErrBadTime},
		"a signed timestamp":   {[]string{"-1"}, []string{sign("-1", body)}, body, connector.ErrBadTime},
		"a timestamp of words": {[]string{"now"}, []string{sign("now", body)}, body, connector.ErrBadTime},
		"a timestamp too long": {[]string{strings.Repeat("9", 30)}, []string{good}, body, connector.ErrBadTime},
		"one bit off":          {[]string{stamp}, []string{string(flipped)}, body, connector.ErrMismatch},
		"another body":         {[]string{stamp}, []string{good}, []byte(`{"type":3}`), connector.ErrMismatch},
		"another timestamp":    {[]string{edgeStamp}, []string{good}, body, connector.ErrMismatch},
		"too old":              {[]string{oldStamp}, []string{oldSign}, body, connector.ErrOld},
		"from the future":      {[]string{newStamp}, []string{newSign}, body, connector.ErrOld},
		"old and wrong":        {[]string{oldStamp}, []string{good}, body, connector.ErrOld},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			for _, s := range tc.signatures {
				h.Add("X-Signature-Ed25519", s)
			}
			for _, s := range tc.stamps {
				h.Add("X-Signature-Timestamp", s)
			}
			if err := verify(h, tc.body, now); !errors.Is(err, tc.want) {
				t.Errorf("verify = %v, want %v", err, tc.want)
			}
		})
	}
}

func FuzzSignatureHeaders(f *testing.F) {
	now := time.Unix(1712345678, 0)
	body := []byte(`{"type":1}`)
	f.Add("1712345678", sign("1712345678", body), body)
	f.Add("", "", []byte{})
	f.Add("99999999999999999999", strings.Repeat("0", 128), body)
	f.Fuzz(func(t *testing.T, stamp, signature string, body []byte) {
		h := http.Header{"X-Signature-Timestamp": {stamp}, "X-Signature-Ed25519": {signature}}
		if err := verify(h, body, now); err == nil && !strings.EqualFold(signature, sign(stamp, body)) {
			t.Errorf("verify accepted %q at %q", signature, stamp)
		}
	})
}

// whoami answers the two calls of Check, and everything else with an ID.
func whoami(r *http.Request) (*http.Response, error) {
	body := `{"id":"500000000000000001","username":"askbridge","bot":true}`
	if strings.HasSuffix(r.URL.Path, "/applications/@me") {
		body = `{"id":"` + ourID + `","verify_key":"` + publicKey() + `","interactions_endpoint_url":"https://bridge.example/x"}`
	}
	return replying(http.StatusOK, body)(r)
}

// offline returns a connector in HTTP mode whose calls go to rt.
func offline(t *testing.T, rt transport) (*Connector, *logbuffer.Buffer) {
	t.Helper()
	log := &logbuffer.Buffer{}
	c, err := New(Config{
		BotToken: canaryToken, PublicKey: publicKey(), HTTPClient: &http.Client{Transport: rt}, Logger: log.Logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if strings.Contains(log.String(), "canary") {
			t.Errorf("a secret is in the log:\n%s", log)
		}
	})
	return c, log
}

// listening runs Listen until the test ends or stop is called.
func listening(t *testing.T, c *Connector, h platform.Handler) (stop func()) {
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
	return cancel
}

// request is a signed request.
func request(body []byte) *http.Request {
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	r := httptest.NewRequest(http.MethodPost, "/discord/interactions", bytes.NewReader(body))
	r.Header.Set("X-Signature-Timestamp", stamp)
	r.Header.Set("X-Signature-Ed25519", sign(stamp, body))
	return r
}

func serve(c *Connector, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, r)
	return w
}

// answered returns the type and the text of an answer.
func answered(t *testing.T, w *httptest.ResponseRecorder) (int, string) {
	t.Helper()
	var a struct {
		Type int             `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("status %d with %q, %q: %v", w.Code, w.Header(), w.Body, err)
	}
	return a.Type, string(a.Data)
}

func ackIt(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
	return r.Ack(ctx)
}

func TestEndpointStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, log := offline(t, whoami)
		if w := serve(c, request(payloadFile(t, "button"))); w.Code != http.StatusServiceUnavailable {
			t.Errorf("before Listen: %d", w.Code)
		}
		if kind, _ := answered(t, serve(c, request(payloadFile(t, "ping")))); kind != replyPong {
			t.Errorf("a PING before Listen is answered with %d", kind)
		}
		listening(t, c, ackIt)

		forged := request(payloadFile(t, "button"))
		forged.Header.Set("X-Signature-Ed25519", strings.Repeat("0", 128))
		forgedPing := request(payloadFile(t, "ping"))
		forgedPing.Header.Del("X-Signature-Ed25519")
		get := request(payloadFile(t, "button"))
		get.Method = http.MethodGet
		for name, tc := range map[string]struct {
			r    *http.Request
			want int
			kind int
		}{
			"a click":             {request(payloadFile(t, "button")), http.StatusOK, replyLater},
			"a form":              {request(payloadFile(t, "form")), http.StatusOK, replyLater},
			"a form from nowhere": {request(payloadFile(t, "form_without_a_message")), http.StatusOK, replyMessage},
			"a ping":              {request(payloadFile(t, "ping")), http.StatusOK, replyPong},
			"a foreign control":   {request(payloadFile(t, "foreign_button")), http.StatusOK, replyLater},
			"another application": {request(payloadFile(t, "another_application")), http.StatusOK, replyLater},
			"a command":           {request(payloadFile(t, "command")), http.StatusBadRequest, 0},
			"no JSON":             {request([]byte("{")), http.StatusBadRequest, 0},
			"a forged one":        {forged, http.StatusUnauthorized, 0},
			"a forged ping":       {forgedPing, http.StatusUnauthorized, 0},
			"GET":                 {get, http.StatusMethodNotAllowed, 0},
			"too much":            {request(bytes.Repeat([]byte("a"), connector.MaxBody+1)), http.StatusRequestEntityTooLarge, 0},
		} {
			w := serve(c, tc.r)
			if w.Code != tc.want {
				t.Errorf("%s: status %d with %q, want %d", name, w.Code, w.Body, tc.want)
			}
			if tc.kind == 0 {
				if w.Body.Len() > 0 {
					t.Errorf("%s: the body is %q", name, w.Body)
				}
			} else if kind, _ := answered(t, w); kind != tc.kind {
				t.Errorf("%s: answered with %d, want %d", name, kind, tc.kind)
			}
		}
		if !strings.Contains(log.String(), "discord request refused") {
			t.Error("the refused request was not logged")
		}
	})
}

func TestNoEndpointWithoutKey(t *testing.T) {
	t.Parallel()
	c, err := New(Config{BotToken: canaryToken})
	if err != nil {
		t.Fatal(err)
	}
	if w := serve(c, request(payloadFile(t, "ping"))); w.Code != http.StatusNotFound {
		t.Errorf("status %d", w.Code)
	}
}

func TestReplayedRequestIsDeduplicated(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"button", "form"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, _ := offline(t, whoami)
				var mu sync.Mutex
				acts := map[string]int{}
				listening(t, c, func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
					mu.Lock()
					acts[fmt.Sprint(i.ID, i.Order)]++
					mu.Unlock()
					return r.Ack(ctx)
				})
				for range 100 {
					if w := serve(c, request(payloadFile(t, name))); w.Code != http.StatusOK {
						t.Fatalf("status %d", w.Code)
					}
				}
				if len(acts) != 1 {
					t.Errorf("100 deliveries were %d acts", len(acts))
				}
			})
		})
	}
}

func TestResponsePrecedesSlowWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := offline(t, whoami)
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

func TestLateHandlerIsAnsweredInTime(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kind int
		want string
	}{
		"button": {replyLater, ""}, "form": {replyPromise, `"flags":64`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, log := offline(t, whoami)
				listening(t, c, func(ctx context.Context, _ platform.Interaction, _ platform.Responder) error {
					<-ctx.Done()
					if !errors.Is(context.Cause(ctx), connector.ErrHandlerTime) {
						t.Errorf("cause = %v", context.Cause(ctx))
					}
					return ctx.Err()
				})
				started := time.Now()
				w := serve(c, request(payloadFile(t, name)))
				if took := time.Since(started); took != connector.HandlerTime {
					t.Errorf("answered after %v, want %v", took, connector.HandlerTime)
				}
				if kind, data := answered(t, w); kind != tc.kind || !strings.Contains(data, tc.want) {
					t.Errorf("answered with %d %s", kind, data)
				}
				synctest.Wait()
				if !strings.Contains(log.String(), "handler was late") {
					t.Error("not logged")
				}
			})
		})
	}
}

func TestSilentHandlerIsAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, log := offline(t, whoami)
		listening(t, c, func(context.Context, platform.Interaction, platform.Responder) error {
			return errors.New("store is away")
		})
		started := time.Now()
		if kind, _ := answered(t, serve(c, request(payloadFile(t, "button")))); kind != replyLater || time.Since(started) != 0 {
			t.Errorf("answered with %d after %v", kind, time.Since(started))
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
		c, _ := offline(t, whoami)
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
		c, _ := offline(t, whoami)
		release := make(chan struct{})
		listening(t, c, func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			defer func() { <-release }()
			return r.Ack(ctx)
		})
		for range connector.MaxActs {
			serve(c, request(payloadFile(t, "button")))
		}
		if kind, data := answered(t, serve(c, request(payloadFile(t, "button")))); kind != replyMessage || !strings.Contains(data, "Nothing was recorded") {
			t.Errorf("answered with %d %s", kind, data)
		}
		close(release)
		synctest.Wait()
		if w := serve(c, request(payloadFile(t, "button"))); w.Code != http.StatusOK {
			t.Errorf("afterwards: status %d", w.Code)
		}
	})
}
