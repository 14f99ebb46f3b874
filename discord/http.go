package discord

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	// maxBody is more than Discord ever sends: an interaction carries the whole
	// message, or a form with what was typed into it.
	maxBody = 1 << 20
	// window is how old, or how far ahead, a signature may be. Discord names no
	// number; five minutes are what Slack does.
	window = 5 * time.Minute
	// maxStamp is how long a timestamp header may be.
	maxStamp = 12
)

// The headers of a signed request; see
// https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-validating-security-request-headers.
const (
	headerSignature = "X-Signature-Ed25519"
	headerStamp     = "X-Signature-Timestamp"
)

// Why a request was refused.
var (
	errNoSignature  = errors.New("no single signature header")
	errBadSignature = errors.New("malformed signature header")
	errNoTime       = errors.New("no single timestamp header")
	errBadTime      = errors.New("malformed timestamp header")
	errMismatch     = errors.New("signature does not match")
	errOld          = errors.New("signature is too old or from the future: is this machine's clock right?")
)

var (
	errGone    = errors.New("discord: the connection was closed before the acknowledgement")
	errAckTime = errors.New("discord: the acknowledgement could not be handed over")
)

// Handler takes interactions over HTTP, for POST /discord/interactions. Discord
// tries it whenever the endpoint's address is saved; that works at any time.
// Until Listen runs, and after it, everything else is answered with 503.
func (c *Connector) Handler() http.Handler { return http.HandlerFunc(c.serve) }

func (c *Connector) serve(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case c.key == nil:
		w.WriteHeader(http.StatusNotFound) // Gateway only.
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
	if err := verify(c.key, r.Header, body, arrived); err != nil {
		// Discord itself sends wrong signatures now and then, to see that they are
		// refused.
		c.log.Info("discord request refused", "reason", err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	p, err := decode(body)
	if err != nil {
		c.log.Warn("unreadable discord interaction", "bytes", len(body))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if p.Type == typePing {
		respond(w, answer{Type: replyPong})
		return
	}
	if !c.acts.listening() {
		unavailable(w)
		return
	}
	pending := &pendingReply{answer: make(chan answer, 1), written: make(chan struct{}), gone: make(chan struct{})}
	switch c.take(p, arrived, pending.send, travelTime) {
	case busy:
		unavailable(w)
	case dropped:
		// Nobody else gets it, so the person is spared the warning.
		if p.Type != typeComponent {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		respond(w, answer{Type: replyLater})
	case begun:
		pending.serve(w, r)
	}
}

func unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
}

// pendingReply is the first answer on its way from the act to the request that
// waits for it. The request ends with it; the act goes on elsewhere.
type pendingReply struct {
	answer        chan answer
	written, gone chan struct{}
}

func (p *pendingReply) send(ctx context.Context, a answer) error {
	p.answer <- a // A responder sends once, and there is room for one.
	ctx, cancel := context.WithTimeoutCause(ctx, ackTime, errAckTime)
	defer cancel()
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
	case a := <-p.answer:
		respond(w, a)
		close(p.written)
	case <-r.Context().Done():
		close(p.gone)
	}
}

// respond writes the whole answer at once, so that Discord has it before this
// function returns.
func respond(w http.ResponseWriter, a answer) {
	content, err := json.Marshal(a)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(content)                   // If Discord has gone, it has gone.
	_ = http.NewResponseController(w).Flush() // Not every test's writer can.
}

// verify checks a request's signature over its timestamp and raw body.
func verify(key ed25519.PublicKey, h http.Header, body []byte, now time.Time) error {
	signatures, stamps := h.Values(headerSignature), h.Values(headerStamp)
	if len(signatures) != 1 {
		return errNoSignature
	}
	if len(stamps) != 1 {
		return errNoTime
	}
	stamp := stamps[0]
	if stamp == "" || len(stamp) > maxStamp || !digits(stamp) {
		return errBadTime
	}
	sent, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return errBadTime
	}
	signature, err := hex.DecodeString(signatures[0])
	if err != nil || len(signature) != ed25519.SignatureSize {
		return errBadSignature
	}
	if !ed25519.Verify(key, append([]byte(stamp), body...), signature) {
		return errMismatch
	}
	// Judged last, so that only a true signature can raise the question of our
	// clock.
	if age := now.Sub(time.Unix(sent, 0)); age > window || age < -window {
		return errOld
	}
	return nil
}

func digits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}
