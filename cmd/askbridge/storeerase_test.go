package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
)

// TestEraseOffline erases a typed answer from the store file, including its free pages, and from the
// trail.
func TestEraseOffline(t *testing.T) {
	t.Parallel()
	ctx, sim, dir := bounded(t), workspace(t), t.TempDir()
	db, settings := filepath.Join(dir, "askbridge.db"), filepath.Join(dir, "askbridge.yaml")
	store := fmt.Sprintf("{type: file, path: %q}", db)
	trail := fmt.Sprintf("audit: {key: %s}\n", strings.Repeat("01", 32))
	text := fmt.Sprintf("store: %s\nslack: {bot_token: xoxb-sim, signing_secret: secret, api_url: %s}\n", store, sim.APIURL()) + trail
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(code int, want string, args ...string) string {
		t.Helper()
		var out, stderr bytes.Buffer
		args = append([]string{"store", "erase", "--config", settings}, args...)
		if got := run(ctx, args, &out, &stderr); got != code || !strings.Contains(out.String()+stderr.String(), want) {
			t.Fatalf("%v: exit code %d, want %q: %s%s", args, got, want, &out, &stderr)
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
			t.Fatal("trail lacks the typed text")
		}
	}
	p.kill(syscall.SIGTERM)
	command(exitUsage, "say what to erase")
	command(exitUsage, "cannot be undone", "--person", "slack:U0000001")
	command(exitUsage, "neither a day", "--ended-before", "yesterday", "--yes")
	command(exitOK, "1 of 1 requests that have ended would lose texts", "--person", "slack:U0000001", "--dry-run")
	command(exitOK, "0 of 0 requests", "--ended-before", "2020-01-01", "--yes")
	command(exitOK, "0 of 1 requests", "--person", "slack:U0000002", "--yes")
	if !holds("a text of Dana") {
		t.Error("text is missing before the erasure")
	}
	var out bytes.Buffer
	if code := run(ctx, []string{"audit", "erase", "--config", settings, "--tenant", "", "--person", "slack:U0000001", "--yes"}, &out, &out); code != exitOK || holds(`"said":["a text of Dana"]`) {
		t.Errorf("after the erasure from the trail (exit code %d), the file still has the text: %s", code, &out)
	}
	command(exitOK, "1 of 1 requests that have ended have lost texts", "--person", "slack:U0000001", "--yes")
	if holds("a text of Dana") {
		t.Error("file still has the text")
	}
	if !holds("Which database?") {
		t.Error("the agent's text was erased, too")
	}
	command(exitOK, "0 of 1 requests", "--person", "slack:U0000001", "--yes")
	command(exitOK, "1 of 1 requests that have ended have lost texts", "--request", made.ID, "--yes")
	if holds("Which database?") {
		t.Error("the agent's text was not erased")
	}
	command(exitFailed, "no such request", "--request", "a0000000000000000000000000", "--yes")
}

// TestEraseThroughBridge interrupts the erasure after its first batch and continues with the cursor.
func TestEraseThroughBridge(t *testing.T) {
	t.Parallel()
	ctx, sim, dir := bounded(t), workspace(t), t.TempDir()
	private, stderr := newPrompt(t).run(exitOK, "", "audit", "key")
	public := strings.TrimSpace(strings.TrimPrefix(stderr, "public key: "))
	db := filepath.Join(dir, "askbridge.db")
	p := serve(t, sim, fmt.Sprintf("{type: file, path: %q}\naudit: {key: %q}\nagents:\n"+
		"  - {name: bot, token: bot-0123456789abcdefghijk, tenant: team}\n"+
		"  - {name: dana-shell, token: dana-0123456789abcdefghij, tenant: team, scopes: [read, answer]}\n"+
		"  - {name: operator, token: operator-0123456789abcdefghij, scopes: [admin]}\n", db, strings.TrimSpace(private)))
	holds := func(text string) bool {
		t.Helper()
		data, err := os.ReadFile(db)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(data, []byte(text))
	}
	bot, err := client.New(p.address, &client.Options{Token: "bot-0123456789abcdefghijk"})
	if err != nil {
		t.Fatal(err)
	}
	as := func(token string) *prompt {
		return newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN="+token+"-0123456789abcdefghij")
	}
	operator := as("operator")
	made, err := bot.Submit(ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	if _, stderr := operator.run(exitFailed, "", "store", "erase", "--request", made.ID, "--yes"); !strings.Contains(stderr, "still open") {
		t.Errorf("open request: %s", stderr)
	}
	as("dana").run(exitOK, "", "answer", made.ID, "--reply", "a text of Dana")
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds(`"said":["a text of Dana"]`) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("trail lacks the typed text")
		}
	}
	if _, stderr := as("dana").run(exitFailed, "", "store", "erase", "--person", "api:dana-shell", "--yes"); !strings.Contains(stderr, `lacks the scope "admin"`) {
		t.Errorf("a token for answers erases: %s", stderr)
	}
	if out, _ := operator.run(exitOK, "", "store", "erase", "--person", "api:dana-shell", "--dry-run"); !strings.Contains(out, "1 of 1 requests that have ended would lose texts") {
		t.Errorf("dry run prints %s", out)
	}
	if _, stderr := operator.run(exitFailed, "", "store", "erase", "--person", "api:dana-shell", "--cursor", "x", "--yes"); !strings.Contains(stderr, "is of no erasure") {
		t.Errorf("invalid cursor: %s", stderr)
	}
	admin, err := client.New(p.address, &client.Options{Token: "operator-0123456789abcdefghij"})
	if err != nil {
		t.Fatal(err)
	}
	first, err := admin.Erase(ctx, client.Erase{Person: "api:dana-shell"})
	if err != nil || first.Erased != 1 || first.Next == "" {
		t.Fatalf("first batch: %+v, %v", first, err)
	}
	if !holds("a text of Dana") {
		t.Error("first batch completed the erasure")
	}
	out, _ := operator.run(exitOK, "", "store", "erase", "--person", "api:dana-shell", "--yes", "--cursor", first.Next)
	if !strings.Contains(out, "1 events of the audit trail have lost their text") || holds("a text of Dana") {
		t.Errorf("continued erasure prints %s; file has the text: %v", out, holds("a text of Dana"))
	}
	if !holds("Which database?") {
		t.Error("the agent's text was erased, too")
	}
	if r, err := bot.Get(ctx, made.ID); err != nil || r.Reason != "[erased]" {
		t.Errorf("request is %+v, %v", r, err)
	}
	for out = ""; !strings.Contains(out, `"kind":"erased"`) || !strings.Contains(out, `"detail":"person=api:dana-shell"`); {
		if out, _ = operator.run(exitOK, "", "audit", "export", "--texts"); ctx.Err() != nil {
			t.Fatalf("trail lacks the erasure:\n%s", out)
		}
	}
	if out, _ := operator.run(exitOK, "", "audit", "verify", "--key", public); !strings.Contains(out, "nothing was changed") {
		t.Errorf("verify prints %s", out)
	}
}

func TestEraseInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(bounded(t))
	bridge := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		interrupt()
		<-r.Context().Done()
	}))
	defer bridge.Close()
	var out, reply bytes.Buffer
	code := run(ctx, []string{"store", "erase", "--request", "r1", "--yes", "--cursor", "here", "--url", bridge.URL, "--token", "operator-0123456789abcdefghij"}, &out, &reply)
	if code != exitInterrupted || !strings.Contains(reply.String(), ": interrupted\nGo on with: --cursor here\n") || strings.Contains(reply.String(), "canceled") {
		t.Errorf("exit code %d: %s", code, reply.String())
	}
}

// failing is an eraser that fails after some batches.
type failing struct{ after int }

func (d *failing) Erase(context.Context, client.Erase) (*client.Erased, error) {
	if d.after == 0 {
		return nil, errors.New("interrupted")
	}
	d.after--
	return &client.Erased{Requests: 100, Erased: 60, Next: "there"}, nil
}

func TestEraseFailureReportsProgress(t *testing.T) {
	t.Parallel()
	for shares, want := range map[int]string{
		0: "interrupted", // Part of the batch may be erased.
		1: "at least 60 requests and 0 events of the audit trail have lost texts: interrupted\nGo on with: --cursor there",
	} {
		cmd := &cobra.Command{}
		cmd.SetErr(io.Discard)
		if err := erase(cmd, &failing{shares}, client.Erase{Person: "slack:U0000001"}); err == nil || err.Error() != want {
			t.Errorf("after %d batches: %v", shares, err)
		}
	}
	cmd := &cobra.Command{}
	cmd.SetErr(io.Discard)
	if err := erase(cmd, &failing{1}, client.Erase{Person: "slack:U0000001", DryRun: true}); err == nil || !strings.Contains(err.Error(), "would lose texts") {
		t.Errorf("nothing erased: %v", err)
	}
}
