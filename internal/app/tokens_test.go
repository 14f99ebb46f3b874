package app_test

import (
	"testing"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/config"
)

func TestTokensThatAreMadeShareNoSecretAcrossTenants(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{RequireTokens: true, Webhooks: config.Webhooks{Secret: config.NewSecret("whsec_x"), Tenant: "team"}}
	settings := app.CallSettings(cfg)
	if got := settings("team", "made-bot"); len(got.Secrets) != 1 {
		t.Errorf("the tenant that is named has %+v", got)
	}
	for _, tenant := range []string{"other", ""} {
		if got := settings(tenant, "made-bot"); len(got.Secrets) != 0 {
			t.Errorf("another tenant has %d secrets", len(got.Secrets))
		}
	}
	cfg.Webhooks.Tenant = ""
	if got := app.CallSettings(cfg)("team", "made-bot"); len(got.Secrets) != 0 {
		t.Errorf("another tenant has %d secrets where none is named", len(got.Secrets))
	}
}
