package app

import (
	"context"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/webhook"
)

// webhooks creates the sender that calls agents.
func (a *App) webhooks() *webhook.Sender {
	settings := callSettings(a.cfg)
	a.calling.Store(&settings)
	return webhook.New(webhook.Options{
		For:   func(tenant, agent string) webhook.Settings { return (*a.calling.Load())(tenant, agent) },
		Show:  a.show,
		Local: a.cfg.Webhooks.Local, UserAgent: "askbridge/" + a.opts.Version,
	})
}

// show returns a request for its webhook, as the API shows it.
func (a *App) show(r bridge.Record) any {
	if run := a.running.Load(); run != nil {
		return api.ShowOn(context.Background(), run.bridge, &r)
	}
	return api.Show(r)
}

// permalink returns the address of a card; "" if it is unknown.
func (a *App) permalink(ctx context.Context, to ask.Place, ref platform.MessageRef) string {
	if run := a.running.Load(); run != nil {
		return bridge.Permalink(ctx, run.bridge, to, ref)
	}
	return ""
}

// callSettings returns the webhook settings of agents. Agents that are no longer configured have none,
// nor have agents of the same name in other tenants. Settings under webhooks apply to one tenant,
// including its tokens created at run time.
func callSettings(cfg *config.Config) func(tenant, agent string) webhook.Settings {
	general := webhook.Settings{Secrets: revealed(cfg.Webhooks.Secret, cfg.Webhooks.NextSecret), Receivers: cfg.Webhooks.Receivers}
	if !cfg.TokensNeeded() {
		return func(string, string) webhook.Settings { return general }
	}
	type key struct{ tenant, name string }
	own := make(map[key]webhook.Settings, len(cfg.Agents))
	for _, agent := range cfg.Agents {
		s := webhook.Settings{Secrets: revealed(agent.WebhookSecret, agent.NextWebhookSecret), Receivers: agent.WebhookReceivers}
		if len(s.Secrets) == 0 && !cfg.SeveralTenants() {
			s.Secrets = general.Secrets
		}
		if s.Receivers == nil {
			s.Receivers = general.Receivers
		}
		own[key{agent.Owner(), agent.Name}] = s
	}
	return func(tenant, agent string) webhook.Settings {
		if s, listed := own[key{tenant, agent}]; listed || tenant == "" || tenant != cfg.Webhooks.Tenant {
			return s
		}
		return general
	}
}

// callsAnywhere returns the agents that may name any webhook address while agents belong to several
// tenants.
func callsAnywhere(cfg *config.Config) []string {
	if !cfg.SeveralTenants() {
		return nil
	}
	var all []string
	settings := callSettings(cfg)
	for _, agent := range cfg.Agents {
		if s := settings(agent.Owner(), agent.Name); len(s.Secrets) > 0 && s.Receivers == nil {
			all = append(all, agent.Name)
		}
	}
	return all
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
