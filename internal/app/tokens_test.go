package app_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/audit"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/keyvalue"
)

func TestStoredTokensShareNoSecretAcrossTenants(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{RequireTokens: true, Webhooks: config.Webhooks{Secret: config.NewSecret("whsec_x"), Tenant: "team"}}
	settings := app.CallSettings(cfg)
	if got := settings("team", "made-bot"); len(got.Secrets) != 1 {
		t.Errorf("named tenant has %+v", got)
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

// The trail once listed tokens whose creation or revocation had failed.
func TestFailedTokenChangesAreInTheTrail(t *testing.T) {
	t.Parallel()
	key, _ := audit.NewKey()
	cfg := &config.Config{
		RequireTokens: true, Store: config.Store{Type: config.StoreFile, Path: filepath.Join(t.TempDir(), "askbridge.db")},
		Audit: config.Audit{Key: config.NewSecret(key)},
	}
	desk, err := app.OpenTokens(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	made := func(name string) error {
		_, err := desk.CreateToken(t.Context(), client.NewToken{TokenSettings: client.TokenSettings{Name: name}})
		return err
	}
	_, rotated := desk.RotateToken(t.Context(), "nobody", client.RotateToken{})
	_, revoked := desk.RevokeToken(t.Context(), "nobody")
	if made("bot") != nil || made("Bot") == nil || rotated == nil || revoked == nil {
		t.Errorf("rotated: %v, revoked: %v", rotated, revoked)
	}
	if _, err := desk.RevokeToken(t.Context(), "bot"); err != nil {
		t.Error(err)
	}
	if err := desk.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"token_rotate nobody", "token_rotate_failed nobody", "token_revoke nobody", "token_revoke_failed nobody",
		"token_create bot", "token_create Bot", "token_create_failed Bot", "token_revoke bot",
	}
	if got := notesOf(t, cfg.Store.Path); !slices.Equal(got, want) {
		t.Errorf("trail has %q", got)
	}
}

// notesOf returns the kinds and details of the notes for the trail.
func notesOf(t *testing.T, path string) (all []string) {
	t.Helper()
	s, err := file.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // Only read.
	for e, err := range keyvalue.All(t.Context(), s.KeyValue(), keyvalue.Range{Kind: "audit-note"}) {
		var l audit.Line
		if err = errors.Join(err, json.Unmarshal(e.Value, &l)); err != nil {
			t.Fatal(err)
		}
		all = append(all, l.Kind+" "+l.Detail)
	}
	return all
}
