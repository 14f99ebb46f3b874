package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/test/redistest"
)

func TestMigrateOpenQuestionToRedis(t *testing.T) {
	t.Parallel()
	ctx, sim, dir := bounded(t), workspace(t), t.TempDir()
	file := filepath.Join(dir, "old.db")
	first := serve(t, sim, fmt.Sprintf("{type: file, path: %q}", file))
	made, err := first.agent.Submit(ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	first.kill(syscall.SIGTERM)

	redis := fmt.Sprintf("{type: redis, redis: {url: %q}}", redistest.Start(t).URL)
	settings := filepath.Join(dir, "askbridge.yaml")
	text := fmt.Sprintf("store: %s\nslack: {bot_token: xoxb-sim, signing_secret: secret, api_url: %s}\n", redis, sim.APIURL())
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 requests were copied.", "0 requests were copied."} {
		var out, stderr bytes.Buffer
		if code := run(ctx, []string{"store", "migrate", "--from", file, "--config", settings}, &out, &stderr); code != exitOK {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		if got := strings.TrimSpace(out.String()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}

	second := serve(t, sim, redis)
	sim.DeliverTo(second.callbacks(), nil)
	if err := sim.Seat("U0000001").Press(ctx, "SQLite"); err != nil {
		t.Fatal(err)
	}
	again, err := second.agent.Ask(ctx, request())
	if err != nil || again.ID != made.ID || again.State != ask.Answered || again.Text != "Which database?\nSQLite" {
		t.Errorf("asked again: %+v, %v", again, err)
	}
	if n := len(sim.Timeline().Events(chatsim.Posted)); n != 1 {
		t.Errorf("%d messages were posted", n)
	}
}

func TestMigrateUsageErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "old.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string]struct{ store, from string }{
		"no such file":             {"{type: file, path: other.db}", filepath.Join(dir, "none.db")},
		"forget everything":        {"{type: memory}", file},
		"change store there first": {fmt.Sprintf("{type: file, path: %q}", file), file},
		"the file is empty":        {fmt.Sprintf("{type: file, path: %q}", filepath.Join(dir, "new.db")), file},
	} {
		settings := filepath.Join(t.TempDir(), "askbridge.yaml")
		if err := os.WriteFile(settings, []byte("store: "+args.store+"\nslack: {bot_token: xoxb-sim, signing_secret: secret}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, stderr bytes.Buffer
		code := run(t.Context(), []string{"store", "migrate", "--from", args.from, "--config", settings}, &out, &stderr)
		if code == exitOK || !strings.Contains(stderr.String(), want) {
			t.Errorf("exit code %d and %q, want %q", code, stderr.String(), want)
		}
	}
}

func TestMigrateFromSameStore(t *testing.T) {
	t.Parallel()
	p, dir := newPrompt(t), t.TempDir()
	file, again := filepath.Join(dir, "askbridge.db"), filepath.Join(dir, "again.db")
	settings := configuration(t, fmt.Sprintf("{type: file, path: %q}", file))
	p.run(exitOK, "", "token", "create", "ops", "--config", settings)
	if err := os.Symlink(file, again); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{file, again, dir + "/./askbridge.db"} {
		if _, stderr := p.run(exitUsage, "", "store", "migrate", "--from", from, "--config", settings); !strings.Contains(stderr, "--from is the store of the configuration") {
			t.Errorf("migrate from %s prints %s", from, stderr)
		}
	}
}

func TestMigrateKeepsLongRetention(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), newPrompt(t)
	from := filepath.Join(dir, "old.db")
	old, err := file.Open(from, &file.Options{Retention: 30 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	_, err = old.Create(t.Context(), bridge.Record{ID: "a1"}, func(r *bridge.Record, now time.Time) error {
		r.Outcome.State, r.EndedAt = ask.Answered, now.AddDate(0, 0, -20)
		return nil
	})
	if err := errors.Join(err, old.Close()); err != nil {
		t.Fatal(err)
	}
	settings := configuration(t, fmt.Sprintf("{type: file, path: %q, retention: 30d}", filepath.Join(dir, "new.db")))
	if reply, _ := p.run(exitOK, "", "store", "migrate", "--from", from, "--config", settings); reply != "1 requests were copied.\n" {
		t.Errorf("migrate prints %q", reply)
	}
}
