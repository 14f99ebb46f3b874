package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// TestRestoreRefusesSecondTrail restores a backup into a used store, which has its own audit trail.
func TestRestoreRefusesSecondTrail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// trail creates a file store with one line in its trail.
	trail := func(name, line string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		s, err := file.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range map[keyvalue.Key]string{
			{Kind: "audit", Tenant: "ops", ID: "0000000000000001"}: line,
			{Kind: "audit-head", ID: "of ops"}:                     `{"tenant":"ops","n":1}`,
		} {
			if _, err := s.KeyValue().Put(t.Context(), key, []byte(value), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	settings := func(path string) string {
		t.Helper()
		at := path + ".yaml"
		if err := os.WriteFile(at, fmt.Appendf(nil, "store: {type: file, path: %q}\nslack: {bot_token: xoxb-sim, signing_secret: secret}\n", path), 0o600); err != nil {
			t.Fatal(err)
		}
		return at
	}
	command := func(code int, args ...string) string {
		t.Helper()
		var out, stderr bytes.Buffer
		if got := run(t.Context(), args, &out, &stderr); got != code {
			t.Fatalf("%v: exit code %d: %s%s", args, got, out.String(), stderr.String())
		}
		return out.String() + stderr.String()
	}
	ours, others, kept := trail("ours.db", "ours"), trail("others.db", "others"), filepath.Join(dir, "kept.jsonl")
	command(exitOK, "store", "backup", "--to", kept, "--config", settings(ours))
	for what, args := range map[string][]string{
		"nothing was restored": {"store", "restore", "--from", kept, "--config", settings(others)},
		"nothing was copied":   {"store", "migrate", "--from", ours, "--config", settings(others)},
	} {
		if reply := command(exitFailed, args...); !strings.Contains(reply, what) || !strings.Contains(reply, `the chain of tenant "ops" differs from line 1 on`) {
			t.Errorf("%v prints %s", args, reply)
		}
	}
	if reply := command(exitOK, "store", "restore", "--from", kept, "--config", settings(ours)); !strings.Contains(reply, "0 requests and 0 other values") {
		t.Errorf("the same trail again: %s", reply)
	}

	backup, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	s, err := file.Open(others, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := joins(t.Context(), io.LimitReader(bytes.NewReader(backup), 1<<20), s); err == nil || !strings.Contains(err.Error(), "hand the backup in as a file") {
		t.Errorf("backup from a pipe was accepted: %v", err)
	}
	// A truncated backup is read up to its end.
	half := bytes.NewReader(backup[:len(backup)/2])
	for e, err := range store.SavedValues(half, s, "audit") {
		if text, _ := json.Marshal(e.Key); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
