package discord

import (
	"crypto/ed25519"
	"encoding/json"
	"net/http"
	"time"

	"github.com/askbridge/askbridge/internal/connector"
)

// SignatureHeader is the header with Discord's request signature.
const SignatureHeader = "X-Signature-Ed25519"

// Handler serves interactions over HTTP, for POST /discord/interactions. Discord's verification
// of the endpoint URL succeeds at any time. Everything else gets a 503 unless Listen is
// running.
func (c *Connector) Handler() http.Handler { return connector.Posted(c.serve) }

func (c *Connector) serve(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	if c.key == nil {
		w.WriteHeader(http.StatusNotFound) // Gateway only.
		return
	}
	body, _, err := c.inbox.Read(w, r, arrived)
	if err != nil {
		// Discord occasionally sends bad signatures to check that they are rejected.
		c.log.Info("discord request refused", "reason", err)
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
	if !c.acts.Listening() {
		connector.Unavailable(w)
		return
	}
	pending := connector.NewPending[answer]()
	switch c.take(p, arrived, pending.Send, travelTime) {
	case deaf:
		connector.Unavailable(w)
	case busy:
		respond(w, c.busy(p))
	case dropped:
		// No other replica receives it, so spare the person the warning.
		if p.Type != typeComponent {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		respond(w, answer{Type: replyLater})
	case begun:
		pending.Serve(r.Context(), func(a answer) { respond(w, a) })
	}
}

// respond writes the response.
func respond(w http.ResponseWriter, a answer) {
	content, err := json.Marshal(a)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	connector.Answer(w, content)
}

// signed returns the signature scheme for a request's timestamp and raw body; see
// https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-validating-security-request-headers.
func signed(key ed25519.PublicKey) connector.Signed {
	return connector.Signed{
		Signature: SignatureHeader, Stamp: "X-Signature-Timestamp", Size: ed25519.SignatureSize,
		Proves: func(s connector.Signature, body []byte) bool {
			return ed25519.Verify(key, append([]byte(s.Stamp), body...), s.Bytes)
		},
	}
}
