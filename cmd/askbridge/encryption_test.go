package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/store/seal"
)

// TestEncryptStoreAndChangeKey follows docs/operations/encryption.md step by step while a question
// stays open.
func TestEncryptStoreAndChangeKey(t *testing.T) {
	t.Parallel()
	ctx, sim, dir := bounded(t), workspace(t), t.TempDir()
	db, keys, settings := filepath.Join(dir, "askbridge.db"), filepath.Join(dir, "keys"), filepath.Join(dir, "askbridge.yaml")
	store := fmt.Sprintf("{type: file, path: %q}", db)
	encryption := fmt.Sprintf("encryption: {keys: \"${file:%s}\"}\n", keys)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := func(code int, want string, args ...string) string {
		t.Helper()
		var out, stderr bytes.Buffer
		if got := run(ctx, args, &out, &stderr); got != code || !strings.Contains(out.String()+stderr.String(), want) {
			t.Fatalf("%v: exit code %d, want %q: %s%s", args, got, want, &out, &stderr)
		}
		return out.String()
	}
	clear := func(name string) bool {
		t.Helper()
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(data, []byte("SQLite"))
	}
	one, two := command(exitOK, "its name: ", "store", "key"), command(exitOK, "its name: ", "store", "key")
	plain := fmt.Sprintf("store: %s\nslack: {bot_token: xoxb-sim, signing_secret: secret, api_url: %s}\n", store, sim.APIURL())
	write(settings, plain)

	p := serve(t, sim, store)
	made, err := p.agent.Submit(ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	p.kill(syscall.SIGTERM)
	command(exitUsage, "no encryption", "store", "reseal", "--config", settings)
	if !clear(db) {
		t.Error("store without keys is not plain text")
	}

	write(settings, plain+encryption)
	write(keys, one)
	command(exitFailed, "1 request is in clear", "store", "reseal", "--config", settings)
	write(keys, one+"plain\n")
	command(exitOK, "Everything is sealed with key", "store", "reseal", "--config", settings)
	if clear(db) {
		t.Error("after it was encrypted the file still has the question")
	}
	write(keys, one)
	p = serve(t, sim, store, encryption)
	write(keys, two+one)
	p.hangUp(ctx, "store encryption keys changed")
	sim.DeliverTo(p.callbacks(), nil)
	if err := sim.Seat("U0000001").Press(ctx, "SQLite"); err != nil {
		t.Fatal(err)
	}
	if again, err := p.agent.Ask(ctx, request()); err != nil || again.ID != made.ID || again.State != ask.Answered {
		t.Errorf("answered with another key: %+v, %v", again, err)
	}
	write(keys, two)
	p.hangUp(ctx, "give it too until askbridge store reseal has run")
	p.kill(syscall.SIGTERM)

	kept := filepath.Join(dir, "kept.jsonl")
	command(exitFailed, "is not among the 1 given", "store", "backup", "--to", kept, "--config", settings)
	write(keys, two+one)
	command(exitOK, "Everything is sealed with key", "store", "reseal", "--config", settings)
	write(keys, two)
	command(exitOK, "1 requests and", "store", "backup", "--to", kept, "--config", settings)
	if clear(kept) || clear(db) {
		t.Error("backup or store is plain text")
	}
	// Commands read keys from a file.
	write(settings, plain+fmt.Sprintf("encryption: {command: [cat, %q]}\n", keys))
	command(exitOK, "0 requests and", "store", "restore", "--from", kept, "--config", settings)
	write(settings, plain+"encryption: {command: [\"false\"]}\n")
	command(exitFailed, "encryption.command", "store", "reseal", "--config", settings)
}

func TestRefusedReloadNeedsNoKey(t *testing.T) {
	t.Parallel()
	ctx, sim, dir := bounded(t), workspace(t), t.TempDir()
	keys := filepath.Join(dir, "keys")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(keys, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store := fmt.Sprintf("{type: file, path: %q}", filepath.Join(dir, "askbridge.db"))
	encryption := fmt.Sprintf("encryption: {keys: \"${file:%s}\"}\n", keys)
	one, two := seal.NewKey()+"\n", seal.NewKey()+"\n"
	write(one)
	p := serve(t, sim, store, encryption)
	write(two + one)
	p.rewrite(func(text string) string { return text + "expires_in: 2h\n" })
	p.hangUp(ctx, "changing expires_in requires a restart")
	p.kill(syscall.SIGTERM)
	// The reload was rejected, so the new key is not in use.
	write(one)
	serve(t, sim, store, encryption)
}
