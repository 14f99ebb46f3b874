package slack

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// maxBody is more than Slack ever sends: a payload carries the whole message
	// or view (up to 250 kB), encoded as a form.
	maxBody = 2 << 20
	// window is how old, or how far ahead, a signature may be
	// (https://docs.slack.dev/authentication/verifying-requests-from-slack).
	window = 5 * time.Minute
)

// Why a request was refused. None of them says what the signature should have
// been.
var (
	errNoSignature  = errors.New("no single signature header")
	errBadSignature = errors.New("malformed signature header")
	errNoTime       = errors.New("no single timestamp header")
	errBadTime      = errors.New("malformed timestamp header")
	errMismatch     = errors.New("signature does not match")
	errOld          = errors.New("signature is too old or from the future: is this machine's clock right?")
)

var errGone = errors.New("slack: the connection was closed before the acknowledgement")

// Handler takes interactions over HTTP, for POST /slack/interactions. Until
// Listen runs, and after it, it answers 503.
func (c *Connector) Handler() http.Handler { return http.HandlerFunc(c.serve) }

func (c *Connector) serve(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case c.cfg.SigningSecret == "":
		w.WriteHeader(http.StatusNotFound) // Socket Mode only.
		return
	case !c.acts.listening():
		unavailable(w)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status := http.StatusBadRequest
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			status = http.StatusRequestEntityTooLarge
		}
		w.WriteHeader(status)
		return
	}
	sent, err := verify(c.cfg.SigningSecret, r.Header, body, arrived)
	if err != nil {
		c.log.Warn("slack request refused", "reason", err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || form.Get("payload") == "" {
		c.log.Warn("slack request without a payload", "bytes", len(body))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	pending := &pendingReply{body: make(chan any, 1), written: make(chan struct{}), gone: make(chan struct{})}
	switch c.take([]byte(form.Get("payload")), arrival{at: arrived, sent: sent}, pending.send) {
	case busy:
		unavailable(w)
	case dropped:
		acknowledge(w, nil)
	case begun:
		pending.serve(w, r)
	}
}

func unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
}

// pendingReply is the acknowledgement on its way from the act to the request
// that waits for it. The request ends with it; the act goes on elsewhere.
type pendingReply struct {
	body          chan any
	written, gone chan struct{}
}

func (p *pendingReply) send(ctx context.Context, body any) error {
	p.body <- body // A responder sends once, and there is room for one.
	select {
	case <-p.written:
		return nil
	case <-p.gone:
		return errGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *pendingReply) serve(w http.ResponseWriter, r *http.Request) {
	select {
	case body := <-p.body:
		acknowledge(w, body)
		close(p.written)
	case <-r.Context().Done():
		close(p.gone)
	}
}

// acknowledge writes the whole response at once, so that Slack has it before
// this function returns. Slack takes nothing but 200, and closes a form only on
// an empty body.
func acknowledge(w http.ResponseWriter, body any) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			content = nil // Ours are plain structs; an empty answer is still one.
		}
	}
	if len(content) > 0 {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(content)                   // If Slack has gone, it has gone.
	_ = http.NewResponseController(w).Flush() // Not every test's writer can.
}

// verify checks a request's signature over its raw body and returns the time it
// was signed at. See
// https://docs.slack.dev/authentication/verifying-requests-from-slack.
func verify(secret string, h http.Header, body []byte, now time.Time) (int64, error) {
	signature, stamp, sent, err := signatureOf(h)
	if err != nil {
		return 0, err
	}
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "v0:%s:", stamp) // A hash never fails.
	_, _ = mac.Write(body)
	if !hmac.Equal(mac.Sum(nil), signature) {
		return 0, errMismatch
	}
	// Judged last, so that only a true signature can raise the question of our
	// clock.
	if age := now.Sub(time.Unix(sent, 0)); age > window || age < -window {
		return 0, errOld
	}
	return sent, nil
}

// signatureOf reads the two headers.
func signatureOf(h http.Header) (signature []byte, stamp string, sent int64, err error) {
	signatures, stamps := h.Values("X-Slack-Signature"), h.Values("X-Slack-Request-Timestamp")
	if len(signatures) != 1 {
		return nil, "", 0, errNoSignature
	}
	if len(stamps) != 1 {
		return nil, "", 0, errNoTime
	}
	stamp = stamps[0]
	if stamp == "" || len(stamp) > 12 || !digits(stamp) {
		return nil, "", 0, errBadTime
	}
	if sent, err = strconv.ParseInt(stamp, 10, 64); err != nil {
		return nil, "", 0, errBadTime
	}
	digest, ok := strings.CutPrefix(signatures[0], "v0=")
	if !ok {
		return nil, "", 0, errBadSignature
	}
	if signature, err = hex.DecodeString(digest); err != nil || len(signature) != sha256.Size {
		return nil, "", 0, errBadSignature
	}
	return signature, stamp, sent, nil
}
