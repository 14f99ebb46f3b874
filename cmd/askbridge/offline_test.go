package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// configuration writes a file with this store and more lines.
func configuration(t *testing.T, store string, more ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "askbridge.yaml")
	text := fmt.Sprintf("store: %s\nslack: {bot_token: xoxb-sim, signing_secret: secret}\n%s", store, strings.Join(more, ""))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMissingStoreIsAnError runs commands without a store file.
func TestMissingStoreIsAnError(t *testing.T) {
	t.Parallel()
	settings := configuration(t, "{type: file, path: askbridge.db}", fmt.Sprintf("audit: {key: %q}\n", strings.Repeat("01", 32)))
	for _, command := range []string{
		"store backup --to kept.jsonl", "store reseal", "store erase --ended-before 2026-06-01 --yes", "token list", "token rotate bot", "token revoke bot",
		"audit verify", "audit export", "audit heads", "audit show r1", "audit erase --tenant team --person slack:U0000001 --yes",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			p := start(t, "", append(strings.Fields(command), "--config", settings)...)
			p.ends(exitUsage, "", "there is no store at "+filepath.Join(p.cmd.Dir, "askbridge.db"))
			if left, err := os.ReadDir(p.cmd.Dir); err != nil || len(left) > 0 {
				t.Errorf("files left: %v, %v", left, err)
			}
		})
	}
}

func TestFailedBackupKeepsPreviousOne(t *testing.T) {
	t.Parallel()
	settings, good := configuration(t, "{type: file, path: askbridge.db}"), filepath.Join(t.TempDir(), "good.jsonl")
	if err := os.WriteFile(good, []byte("everything\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, "", "store", "backup", "--to", good, "--config", settings).ends(exitUsage, "", "there is no store")
	if kept, err := os.ReadFile(good); err != nil || string(kept) != "everything\n" {
		t.Errorf("the backup is %q, %v", kept, err)
	}
}

func TestEmptyStoreFileError(t *testing.T) {
	t.Parallel()
	p, empty := newPrompt(t), filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	settings := configuration(t, fmt.Sprintf("{type: file, path: %q}", empty), fmt.Sprintf("audit: {key: %q}\n", strings.Repeat("01", 32)))
	for _, command := range []string{"store backup --to kept.jsonl", "store erase --person slack:U0000001 --yes", "audit verify", "token list"} {
		if _, stderr := p.run(exitFailed, "", append(strings.Fields(command), "--config", settings)...); !strings.Contains(stderr, "the file is empty") || strings.Contains(stderr, "askbridge serve") {
			t.Errorf("%s prints %s", command, stderr)
		}
	}
}
