package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/client"
)

const admin = "  - {name: admin, token: admin-0123456789abcdefghi, scopes: [admin]}\n"

// rewrite changes the configuration file of a process.
func (p *process) rewrite(change func(text string) string) {
	p.Helper()
	path := filepath.Join(p.cmd.Dir, "askbridge.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(change(string(text))), 0o600); err != nil {
		p.Fatal(err)
	}
}

// hangUp reloads a process and waits for its log line.
func (p *process) hangUp(ctx context.Context, want string) {
	p.Helper()
	p.signal(ctx, syscall.SIGHUP, want)
}

// signal sends a signal to a process and waits for a log line.
func (p *process) signal(ctx context.Context, signal syscall.Signal, want string) {
	p.Helper()
	before := strings.Count(p.log.String(), want)
	if err := p.cmd.Process.Signal(signal); err != nil {
		p.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for strings.Count(p.log.String(), want) == before {
		select {
		case <-tick.C:
		case <-ctx.Done():
			p.Fatalf("the log does not say %q:\n%s", want, p.log.String())
		}
	}
}

// status returns the status of a call with a token.
func (p *process) status(ctx context.Context, token string) int {
	p.Helper()
	c, err := client.New(p.address, &client.Options{Token: token, Tries: 1})
	if err != nil {
		p.Fatal(err)
	}
	_, err = c.List(ctx, client.ListQuery{})
	if problem, ok := errors.AsType[*client.Problem](err); ok {
		return problem.Status
	}
	if err != nil {
		p.Fatal(err)
	}
	return 200
}

func TestReloadAgents(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	p := serve(t, sim, "{type: memory}", team+admin)
	sim.DeliverTo(p.callbacks(), nil)
	const old, next = "bot-0123456789abcdefghijk", "bot-next-0123456789abcdef"
	waits, err := client.New(p.address, &client.Options{Token: old})
	if err != nil {
		t.Fatal(err)
	}
	made, err := waits.Submit(ctx, request())
	if err != nil {
		t.Fatal(err)
	}

	p.rewrite(func(text string) string {
		return strings.Replace(text, old, next, 1) + "  - {name: carol, token: carol-0123456789abcdefghi}\n"
	})
	if got := p.status(ctx, next); got != 401 {
		t.Errorf("a token counts before the reload: %d", got)
	}
	p.hangUp(ctx, `"configuration reloaded"`)
	for token, want := range map[string]int{old: 401, next: 200, "carol-0123456789abcdefghi": 200, "admin-0123456789abcdefghi": 200} {
		if got := p.status(ctx, token); got != want {
			t.Errorf("%s: %d, want %d", token, got, want)
		}
	}
	for _, reply := range []string{`"changed":"agents"`, `"agents_added":"carol"`, `"agents_changed":"bot"`} {
		if !strings.Contains(p.log.String(), reply) {
			t.Errorf("log lacks %s", reply)
		}
	}
	if strings.Contains(p.log.String(), next) {
		t.Error("log contains a token")
	}
	// The question that was asked before is still answered.
	if err := sim.Seat("U0000001").Press(ctx, "SQLite"); err != nil {
		t.Fatal(err)
	}
	again, err := client.New(p.address, &client.Options{Token: next, Sealed: true})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := again.Wait(ctx, made.ID); err != nil || r.Text != "Which database?\nSQLite" {
		t.Errorf("after the reload: %+v, %v", r, err)
	}
}

// A SIGHUP during a shutdown once killed the process and its unfinished work.
func TestSIGHUPDuringShutdown(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	p := serve(t, sim, "{type: memory}\nshutdown_delay: 5s", team+admin)
	p.signal(ctx, syscall.SIGTERM, `"shutting down"`)
	p.hangUp(ctx, `"configuration reloaded, nothing changed"`)
	if code := p.kill(syscall.SIGHUP); code != 0 {
		t.Errorf("exit code %d:\n%s", code, p.log.String())
	}
}

func TestReloadIsAtomic(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	p := serve(t, sim, "{type: memory}", team+admin)
	whole := ""
	p.rewrite(func(text string) string { whole = text; return text })
	command := func(token string) (int, string) {
		t.Helper()
		var out, stderr bytes.Buffer
		code := run(ctx, []string{"config", "reload", "--url", p.address, "--token", token}, &out, &stderr)
		return code, out.String() + stderr.String()
	}
	const more = "  - {name: carol, token: carol-0123456789abcdefghi}\n"
	for name, test := range map[string]struct {
		text, want string
	}{
		"a mistake":                  {whole + more + "colour: red\n", "unknown"},
		"a setting of the start":     {whole + more + "responders: [\"slack:U0000001\"]\nmetrics: {listen: 127.0.0.1:0}\n", "changing metrics, responders requires a restart"},
		"another secret of the app":  {strings.Replace(whole, "xoxb-sim", "xoxb-other", 1) + more, "changing slack requires a restart"},
		"addresses inside":           {whole + more + "webhooks: {local: true}\n", "changing webhooks.local requires a restart"},
		"no agents any more":         {whole[:strings.Index(whole, "agents:")], "adding the first agent or removing the last one requires a restart"},
		"two agents with one token":  {whole + strings.Replace(more, "carol-", "admin-", 1), "is the same as"},
		"a file that is not YAML":    {"{", "askbridge.yaml"},
		"a scope that may not stand": {whole + strings.Replace(more, "}", ", scopes: [ask, answer]}", 1), "cannot be combined with ask"},
	} {
		p.rewrite(func(string) string { return test.text })
		if code, reply := command("admin-0123456789abcdefghi"); code != exitFailed || !strings.Contains(reply, "nothing was changed") || !strings.Contains(reply, test.want) {
			t.Errorf("%s: %d %s", name, code, reply)
		}
		if a, b := p.status(ctx, "bot-0123456789abcdefghijk"), p.status(ctx, "carol-0123456789abcdefghi"); a != 200 || b != 401 {
			t.Errorf("%s: afterwards %d %d", name, a, b)
		}
	}
	p.hangUp(ctx, `"configuration not reloaded; the one before holds"`)

	p.rewrite(func(string) string { return whole })
	if code, reply := command("admin-0123456789abcdefghi"); code != exitOK || reply != "Nothing has changed.\n" {
		t.Errorf("the same again: %d %s", code, reply)
	}
	p.rewrite(func(string) string { return whole + more })
	if code, reply := command("bot-0123456789abcdefghijk"); code != exitFailed || !strings.Contains(reply, `lacks the scope "admin"`) {
		t.Errorf("an agent reloads: %d %s", code, reply)
	}
	if code, reply := command("admin-0123456789abcdefghi"); code != exitOK || reply != "Taken over: agents.\n" {
		t.Errorf("a new agent: %d %s", code, reply)
	}
	if got := p.status(ctx, "carol-0123456789abcdefghi"); got != 200 {
		t.Errorf("the new agent: %d", got)
	}
}
