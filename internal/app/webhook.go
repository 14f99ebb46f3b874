package app

import (
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/webhook"
)

// webhooks makes the sender that calls agents.
func (a *App) webhooks() *webhook.Sender {
	own := map[string][]string{}
	for _, agent := range a.cfg.Agents {
		tenant := agent.Tenant
		if tenant == "" {
			tenant = agent.Name
		}
		own[tenant] = append(own[tenant], revealed(agent.WebhookSecret, agent.NextWebhookSecret)...)
	}
	general := revealed(a.cfg.Webhooks.Secret, a.cfg.Webhooks.NextSecret)
	return webhook.New(webhook.Options{
		Secrets: func(tenant string) []string {
			if secrets := own[tenant]; len(secrets) > 0 {
				return secrets
			}
			return general
		},
		Show:  func(r bridge.Record) any { return api.Show(r) },
		Local: a.cfg.Webhooks.Local, UserAgent: "askbridge/" + a.opts.Version,
	})
}

func revealed(secrets ...config.Secret) []string {
	var all []string
	for _, s := range secrets {
		if s.Set() {
			all = append(all, s.Reveal())
		}
	}
	return all
}
