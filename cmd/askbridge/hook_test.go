package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func (o *office) hook(stdin string, args ...string) *program {
	o.Helper()
	return start(o.T, stdin, append([]string{"hook", "claude", "--url", o.address, "--to", "slack:C0000001"}, args...)...)
}

func TestAHookGetsItsAnswerFromChat(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	p := o.hook(auq)
	o.presses(ctx, "In-process")
	p.ends(exitOK, auqAnswer, "")
	o.hook(auq).ends(exitOK, auqAnswer, "")
	o.hook(auq, "--defer").ends(exitOK, auqAnswer, "")
	o.hook(strings.Replace(auq, "toolu_01", "toolu_02", 1), "--defer", "--wait=1s").ends(exitOK,
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`, "")
}

func TestAHookOutlivesItsBridge(t *testing.T) {
	t.Parallel()
	ctx, sim, at := bounded(t), workspace(t), newAddress(t)
	store := fmt.Sprintf("{type: file, path: %q}", filepath.Join(t.TempDir(), "askbridge.db"))
	first := serve(t, sim, store)
	at.leadTo(first)
	p := start(t, auq, "hook", "claude", "--url", at.URL, "--to", "slack:C0000001")
	dana := sim.Seat("U0000001")
	if err := dana.AwaitText(ctx, "[In-process]"); err != nil {
		t.Fatal(err)
	}
	first.kill(syscall.SIGKILL)
	second := serve(t, sim, store)
	sim.DeliverTo(second.callbacks(), nil)
	at.leadTo(second)
	if err := dana.Press(ctx, "In-process"); err != nil {
		t.Fatal(err)
	}
	p.ends(exitOK, auqAnswer, "")
}

func TestAHookThatIsEndedClosesTheCard(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	p := o.hook(auq)
	o.sees(ctx, "[In-process]")
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.ends(exitOK, "", "")
	if err := o.dana.Await(ctx, func(sees string) bool { return strings.Contains(sees, "the agent has stopped waiting") }); err != nil {
		t.Error(err)
	}
	p = o.hook(strings.Replace(auq, "toolu_01", "toolu_02", 1), "--wait=1s")
	p.ends(exitOK, "", "")
}

// Exit code 2 would block Claude Code.
func TestAHookNeverBlocksItsHost(t *testing.T) {
	t.Parallel()
	for stderr, args := range map[string][]string{
		"connection refused":  {"--url=http://127.0.0.1:1"},
		"unknown flag":        {"--too"},
		"is not a place":      {"--to=nowhere"},
		"--on-timeout must":   {"--on-timeout=guess"},
		"is not an address":   {"--url=here"},
		"there is no command": {"now"},
	} {
		t.Run(stderr, func(t *testing.T) {
			t.Parallel()
			start(t, auq, append([]string{"hook", "claude"}, args...)...).ends(exitFailed, "", stderr)
		})
	}
	start(t, "no JSON", "hook", "claude").ends(exitFailed, "", "is not what a hook gets")
	start(t, `{"hook_event_name":"Stop"}`, "hook", "claude").ends(exitOK, "", "")
}
