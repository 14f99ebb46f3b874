package config

import (
	"net/url"
	"time"

	"github.com/askbridge/askbridge/internal/loopback"
	"github.com/askbridge/askbridge/webhook"
)

// Audit configures the audit trail; without a key there is none.
type Audit struct {
	Key     Secret       `yaml:"key"`
	KeepFor Span         `yaml:"keep_for"`
	MaxLag  Span         `yaml:"max_lag"`
	File    string       `yaml:"file"`
	Stdout  bool         `yaml:"stdout"`
	Webhook AuditWebhook `yaml:"webhook"`
	// CountPeople allows numbers about single people.
	CountPeople bool `yaml:"count_people"`
}

// AuditWebhook receives the trail over HTTP.
type AuditWebhook struct {
	URL    string `yaml:"url"`
	Secret Secret `yaml:"secret"`
}

// On reports whether there is a trail.
func (a Audit) On() bool { return a.Key.Set() }

// minLag is the minimum of max_lag: the trail is written once a second.
const minLag = 10 * time.Second

func (c *Config) checkAudit(say func(path, format string, args ...any)) {
	a := c.Audit
	if !c.set("audit") {
		return
	}
	if !isHexKey(a.Key.Reveal()) {
		say("audit.key", "must be 64 hexadecimal digits; create one with: askbridge audit key")
	}
	if c.set("audit.max_lag") && time.Duration(a.MaxLag) < minLag {
		say("audit.max_lag", "must be at least %s", minLag)
	}
	if c.Store.Type == StoreMemory {
		say("audit", "needs a store of type file or redis; memory loses the trail")
	}
	w := a.Webhook
	if !c.set("audit.webhook") {
		return
	}
	u, err := url.Parse(w.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback.Is(u.Host)) {
		say("audit.webhook.url", "must be an https:// address, or an http:// one on this machine")
	}
	if webhook.CheckSecret(w.Secret.Reveal()) != nil {
		say("audit.webhook.secret", "must be whsec_ and 24 to 64 bytes in base64; create one with: echo whsec_$(openssl rand -base64 32)")
	}
}

func isHexKey(text string) bool {
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(text) == 64
}
