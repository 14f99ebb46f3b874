package config

import (
	"fmt"

	"github.com/askbridge/askbridge/webhook"
)

// checkWebhooks reports invalid secrets, secrets shared by two tenants, and invalid receivers.
func (c *Config) checkWebhooks(say func(path, format string, args ...any)) {
	type owned struct{ path, tenant string }
	known := map[string]owned{}
	check := func(path, tenant string, secret Secret) {
		if !secret.Set() {
			return
		}
		if webhook.CheckSecret(secret.Reveal()) != nil {
			say(path, "must be whsec_ and 24 to 64 bytes in base64; create one with: echo whsec_$(openssl rand -base64 32)")
			return
		}
		first, used := known[secret.Reveal()]
		if !used {
			known[secret.Reveal()] = owned{path, tenant}
		} else if first.tenant != tenant {
			say(path, "is the same as %s, of another tenant, who could forge our calls; create another one", first.path)
		}
	}
	list := func(path string, receivers []string) {
		for n, entry := range receivers {
			if webhook.CheckReceiver(entry) != nil {
				say(fmt.Sprintf("%s[%d]", path, n), "must be a host such as agent.example or *.agent.example, or an origin such as https://agent.example:8443")
			}
		}
	}

	only := c.Webhooks.Tenant
	if len(c.Agents) > 0 {
		only = c.Agents[0].Owner()
		if c.Webhooks.Tenant != "" && c.Webhooks.Tenant != only {
			say("webhooks.tenant", "is not the tenant of the agents, %q, who would share the secret with it", only)
		}
	}
	for _, s := range []struct {
		path   string
		secret Secret
	}{{"webhooks.secret", c.Webhooks.Secret}, {"webhooks.next_secret", c.Webhooks.NextSecret}} {
		if s.secret.Set() && c.SeveralTenants() {
			say(s.path, "would be shared by agents of several tenants, who could forge our calls to each other; "+
				"give each agent that uses webhooks a webhook_secret instead")
			continue
		}
		check(s.path, only, s.secret)
	}
	list("webhooks.receivers", c.Webhooks.Receivers)
	for i, a := range c.Agents {
		path := fmt.Sprintf("agents[%d]", i)
		check(path+".webhook_secret", a.Owner(), a.WebhookSecret)
		check(path+".next_webhook_secret", a.Owner(), a.NextWebhookSecret)
		list(path+".webhook_receivers", a.WebhookReceivers)
	}
}
