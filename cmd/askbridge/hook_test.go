package main

import (
	"fmt"
	"os"
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
}

// What hosts really wrote on the standard input of a hook, and what they get.
func TestEachKindOfHookRunsAsAProgram(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, input string
		args        []string
		// shows is on the card, and press is what Dana then presses, if anything.
		shows, press string
		want         string
		// says is on the card in the end.
		says string
	}{
		{
			name: "a question", input: "question", shows: "Which  <queue>?", press: "In-process", says: "Answered by",
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"questions":[` +
				`{"question":"Which  \u003cqueue\u003e?", "header":"Queue","multiSelect":false,"options":[` +
				`{"label":"Redis Streams (Recommended)","description":"Already deployed"},{"label":"In-process","description":"No new parts"}]}],` +
				`"answers":{"Which  \u003cqueue\u003e?":"In-process"}},"additionalContext":"Answered by Dana on Slack."}}`,
		},
		{
			name: "a question that is dismissed", input: "question", shows: "[In-process]", press: "Dismiss", says: "Dismissed by",
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Dana cancelled the questions."}}`,
		},
		{
			name: "a question for the host's own screen", input: "question", args: []string{"--wait=1s"}, shows: "<queue>?",
			says: "nobody answered in time, and the agent's own screen asks now",
		},
		{
			name: "a question that nobody answers", input: "question", args: []string{"--wait=1s", "--on-timeout=deny"}, shows: "<queue>?",
			says: "nobody answered in time",
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Nobody answered in time, and the questions are closed. Do not assume an answer."}}`,
		},
		{
			name: "a headless run", input: "question", args: []string{"--defer", "--wait=1s"}, shows: "[In-process]", says: "[In-process]",
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`,
		},
		{
			name: "a permission", input: "permission", shows: "rm -rf build", press: "Allow", says: "Answered by",
			want: `{"hookSpecificOutput":{"decision":{"behavior":"allow"},"hookEventName":"PermissionRequest"}}`,
		},
		{
			name: "a permission that is refused", input: "permission", shows: "rm -rf build", press: "Deny", says: "Answered by",
			want: `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"Dana said no."},"hookEventName":"PermissionRequest"}}`,
		},
		{
			name: "a plan", input: "plan", shows: "this plan?", press: "Allow", says: "Answered by",
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"plan":"1. Move the <ledger>.\n2. Check it."}}}`,
		},
		{
			name: "another server's form", input: "elicitation", shows: "Asked by the MCP server tickets.", press: "us-east", says: "Answered by",
			want: `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"region":"us"}}}`,
		},
		{
			name: "another server's form that is declined", input: "elicitation", shows: "[eu-west]", press: "Dismiss", says: "Dismissed by",
			want: `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, o := bounded(t), openOffice(t)
			input, err := os.ReadFile("../../hosts/claude/testdata/" + tt.input + ".json")
			if err != nil {
				t.Fatal(err)
			}
			p := o.hook(string(input), tt.args...)
			o.sees(ctx, tt.shows)
			if tt.press != "" {
				o.presses(ctx, tt.press)
			}
			p.ends(exitOK, tt.want, "")
			o.sees(ctx, tt.says)
		})
	}
}

// Exit code 2 would block Claude Code.
func TestAHookNeverBlocksItsHost(t *testing.T) {
	t.Parallel()
	for stderr, args := range map[string][]string{
		"nothing listens at":  {"--url=http://127.0.0.1:1"},
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
