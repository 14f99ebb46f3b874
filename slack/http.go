package slack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/askbridge/askbridge/internal/connector"
)

// SignatureHeader is the header with Slack's request signature.
const SignatureHeader = "X-Slack-Signature"

// Handler serves interactions over HTTP, for POST /slack/interactions. It responds with 503
// unless Listen is running.
func (c *Connector) Handler() http.Handler { return connector.Posted(c.serve) }

func (c *Connector) serve(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	if c.cfg.SigningSecret == "" {
		w.WriteHeader(http.StatusNotFound) // Socket Mode only.
		return
	}
	body, signature, err := c.inbox.Read(w, r, arrived)
	if err != nil {
		c.log.Warn("slack request refused", "reason", err)
		return
	}
	if answer, asked := challenged(body); asked {
		acknowledge(w, answer) // Slack sends the challenge whenever the URL is saved.
		return
	}
	if !c.acts.Listening() {
		connector.Unavailable(w)
		return
	}
	if len(body) > 0 && body[0] == '{' {
		c.serveAct(w, r, body, arrival{at: arrived, sent: signature.Sent}, c.heard)
		return
	}
	if command, typed := commandOf(body); typed {
		c.serveAct(w, r, command, arrival{at: arrived, sent: signature.Sent}, c.inboxes.commanded)
		return
	}
	payload, ok := field(body, "payload")
	if !ok || len(payload) == 0 {
		c.log.Warn("slack request without a payload", "bytes", len(body))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.serveAct(w, r, payload, arrival{at: arrived, sent: signature.Sent}, c.take)
}

// serveAct handles a request from Slack.
func (c *Connector) serveAct(w http.ResponseWriter, r *http.Request, body []byte, when arrival, take func([]byte, arrival, replier) fate) {
	pending := connector.NewPending[any]()
	switch take(body, when, pending.Send) {
	case busy:
		connector.Unavailable(w)
	case dropped:
		acknowledge(w, nil)
	case begun:
		pending.Serve(r.Context(), func(body any) { acknowledge(w, body) })
	}
}

// acknowledge writes the response. Slack accepts only 200, and closes a form only for an empty
// body.
func acknowledge(w http.ResponseWriter, body any) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			content = nil // The bodies are plain structs; an empty response is valid too.
		}
	}
	connector.Answer(w, content)
}

// signed returns the signature scheme for raw request bodies. See
// https://docs.slack.dev/authentication/verifying-requests-from-slack.
func signed(secret string) connector.Signed {
	return connector.Signed{
		Signature: SignatureHeader, Stamp: "X-Slack-Request-Timestamp", Prefix: "v0=", Size: sha256.Size,
		Proves: func(s connector.Signature, body []byte) bool {
			mac := hmac.New(sha256.New, []byte(secret))
			_, _ = fmt.Fprintf(mac, "v0:%s:", s.Stamp) // Hash writes never fail.
			_, _ = mac.Write(body)
			return hmac.Equal(mac.Sum(nil), s.Bytes)
		},
	}
}
