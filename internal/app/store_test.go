package app_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
)

// TestOpenStoreWarnings covers stores that others can read although nothing is broken: the mode of
// a file, and a remote Redis without TLS.
func TestOpenStoreWarnings(t *testing.T) {
	t.Parallel()
	const file, wire = "other users of this machine can read the store", "sent unencrypted"
	path := filepath.Join(t.TempDir(), "askbridge.db")
	opened := func(ctx context.Context, c config.Store) string {
		cfg := &config.Config{Store: c}
		t.Helper()
		var log bytes.Buffer
		s, err := app.OpenStore(ctx, cfg, slog.New(slog.NewTextHandler(&log, nil)))
		switch {
		case ctx.Err() != nil && err == nil:
			t.Error("opened with a canceled context")
		case ctx.Err() == nil && err != nil:
			t.Error(err)
		case err == nil:
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		return log.String()
	}
	if out := opened(t.Context(), config.Store{Type: config.StoreFile, Path: path}); strings.Contains(out, file) {
		t.Errorf("a new file: %s", out)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if out := opened(t.Context(), config.Store{Type: config.StoreFile, Path: path}); !strings.Contains(out, file) || !strings.Contains(out, path) {
		t.Errorf("a file that a group can read: %s", out)
	}

	gone, cancel := context.WithCancel(t.Context())
	cancel() // Prevents calls to these addresses.
	for addr, warns := range map[string]bool{"127.0.0.1:6379": false, "10.1.2.3:6379": true} {
		for tls, want := range map[bool]bool{false: warns, true: false} {
			out := opened(gone, config.Store{Type: config.StoreRedis, Redis: &config.Redis{Addrs: []string{addr}, TLS: tls}})
			if strings.Contains(out, wire) != want {
				t.Errorf("%s, tls %v: %q", addr, tls, out)
			}
		}
	}
}
