package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// TestWhatAPersonWroteIsErasedFromTheStore erases it of one question that was answered with
// text, from the file and its free part, once the trail has it too.
func TestWhatAPersonWroteIsErasedFromTheStore(t *testing.T) {
	t.Parallel()
	ctx, sim, dir := bounded(t), workspace(t), t.TempDir()
	db, settings := filepath.Join(dir, "askbridge.db"), filepath.Join(dir, "askbridge.yaml")
	store := fmt.Sprintf("{type: file, path: %q}", db)
	trail := fmt.Sprintf("audit: {key: %s}\n", strings.Repeat("01", 32))
	text := fmt.Sprintf("store: %s\nslack: {bot_token: xoxb-sim, signing_secret: secret, api_url: %s}\n", store, sim.APIURL()) + trail
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(code int, says string, args ...string) string {
		t.Helper()
		var out, complaints bytes.Buffer
		args = append([]string{"store", "erase", "--config", settings}, args...)
		if got := run(ctx, args, &out, &complaints); got != code || !strings.Contains(out.String()+complaints.String(), says) {
			t.Fatalf("%v: exit code %d, want %q: %s%s", args, got, says, &out, &complaints)
		}
		return out.String()
	}
	holds := func(text string) bool {
		t.Helper()
		data, err := os.ReadFile(db)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(data, []byte(text))
	}
	p := serve(t, sim, store, trail)
	sim.DeliverTo(p.callbacks(), nil)
	made, err := p.agent.Submit(ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	dana := chatsim.Hand{Seat: sim.Seat("U0000001")}
	if err := dana.Own(ctx, "Which database?", "a text of Dana"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.agent.Wait(ctx, made.ID); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds(`"said":["a text of Dana"]`) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("the trail does not have what was written")
		}
	}
	p.kill(syscall.SIGTERM)
	command(exitUsage, "say what to erase")
	command(exitUsage, "cannot be undone", "--person", "slack:U0000001")
	command(exitUsage, "neither a day", "--ended-before", "yesterday", "--yes")
	command(exitOK, "1 of 1 requests that have ended would lose texts", "--person", "slack:U0000001", "--dry-run")
	command(exitOK, "0 of 1 requests", "--ended-before", "2020-01-01", "--yes")
	command(exitOK, "0 of 1 requests", "--person", "slack:U0000002", "--yes")
	if !holds("a text of Dana") {
		t.Error("it is gone before it was to go")
	}
	command(exitOK, "1 of 1 requests that have ended have lost texts", "--person", "slack:U0000001", "--yes")
	if holds("a text of Dana") {
		t.Error("the file still has it")
	}
	if !holds("Which database?") {
		t.Error("what the agent asked is gone too")
	}
	command(exitOK, "0 of 1 requests", "--person", "slack:U0000001", "--yes")
	command(exitOK, "1 of 1 requests that have ended have lost texts", "--request", made.ID, "--yes")
	if holds("Which database?") {
		t.Error("what the agent asked is still there")
	}
	command(exitFailed, "no such request", "--request", "a0000000000000000000000000", "--yes")
}
