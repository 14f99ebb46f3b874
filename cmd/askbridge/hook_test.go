package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
)

func (o *office) hook(stdin string, args ...string) *program {
	o.Helper()
	return start(o.T, stdin, append([]string{"hook", "claude", "--url", o.address, "--to", "slack:C0000001"}, args...)...)
}

func TestHookGetsAnswerFromChat(t *testing.T) {
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

// Without a bridge, a headless hook once exited with an error after its decision. Claude Code ignores the decision of
// a failed hook: the run continued with the question refused, and could not be resumed.
func TestHeadlessHookDefersWithoutBridge(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	away := httptest.NewServer(nil)
	away.Close()
	const deferred = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`
	start(t, auq, "hook", "claude", "--defer", "--url", away.URL, "--to", "slack:C0000001").ends(exitOK, deferred, "")
	start(t, auq, "hook", "claude", "--defer", "--url", o.address, "--route=nowhere").ends(exitFailed, "", "nowhere")
}

func TestHookOutlivesBridge(t *testing.T) {
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

func TestTerminatedHookClosesCard(t *testing.T) {
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

// dismiss is the action of ending a question without an answer.
const dismiss = "Dismiss…"

// The inputs were recorded from real hosts.
func TestHookKinds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, input string
		args        []string
		// shows is a text of the card, and press the control that Dana presses, if any.
		shows, press string
		want         string
		// ends is part of the final card.
		ends string
	}{
		{
			name: "a question", input: "question", shows: "Which  <queue>?", press: "In-process", ends: "Answered by",
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"questions":[` +
				`{"question":"Which  \u003cqueue\u003e?", "header":"Queue","multiSelect":false,"options":[` +
				`{"label":"Redis Streams (Recommended)","description":"Already deployed"},{"label":"In-process","description":"No new parts"}]}],` +
				`"answers":{"Which  \u003cqueue\u003e?":"In-process"}},"additionalContext":"Answered by Dana on Slack."}}`,
		},
		{
			name: "a question that is dismissed", input: "question", shows: "[In-process]", press: dismiss, ends: "Dismissed by",
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Dana cancelled the questions."}}`,
		},
		{
			name: "a question for the host's own screen", input: "question", args: []string{"--wait=1s"}, shows: "<queue>?",
			ends: "nobody answered in time, and the agent's own screen asks now",
		},
		{
			name: "a question without an answer", input: "question", args: []string{"--wait=1s", "--on-timeout=deny"}, shows: "<queue>?",
			ends: "no answer in time",
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Nobody answered in time, and the questions are closed. Do not assume an answer."}}`,
		},
		{
			name: "a headless run", input: "question", args: []string{"--defer", "--wait=1s"}, shows: "[In-process]", ends: "[In-process]",
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`,
		},
		{
			name: "a permission", input: "permission", shows: "rm -rf build", press: "Allow", ends: "Answered by",
			want: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"rm -rf build","description":"Remove build output"}}}}`,
		},
		{
			name: "a permission that is refused", input: "permission", shows: "rm -rf build", press: "Deny", ends: "Answered by",
			want: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Dana denied this."}}}`,
		},
		{
			name: "a plan", input: "plan", shows: "this plan", press: "Allow", ends: "Answered by",
			want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"plan":"1. Move the <ledger>.\n2. Check it."}}}`,
		},
		{
			name: "another server's form", input: "elicitation", shows: "Asked by the MCP server tickets.", press: "us-east", ends: "Answered by",
			want: `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"region":"us"}}}`,
		},
		{
			name: "another server's form that is declined", input: "elicitation", shows: "[eu-west]", press: dismiss, ends: "Dismissed by",
			want: `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx := bounded(t)
			o, file := openGuarded(t)
			p := o.hook(string(recorded(t, tt.input)), append([]string{"--token-file", file, "--responder", "slack:U0000001"}, tt.args...)...)
			o.sees(ctx, tt.shows)
			switch tt.press {
			case "":
			case dismiss:
				if err := (chatsim.Hand{Seat: o.dana}).Decline(ctx, ""); err != nil {
					t.Fatal(err)
				}
			default:
				o.presses(ctx, tt.press)
			}
			p.ends(exitOK, tt.want, "")
			o.sees(ctx, tt.ends)
		})
	}
}

// recorded returns the recorded input of a hook.
func recorded(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../hosts/claude/testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Project settings can add variables to the environment of a hook.
func TestProjectCannotRedirectHook(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	o, file := openGuarded(t)
	heard := make(chan string, 100)
	trap := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard <- r.Header.Get("Authorization")
		w.Header().Set(client.HeaderState, "answered")
		fmt.Fprint(w, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`)
	}))
	t.Cleanup(trap.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{T: t, cmd: exec.CommandContext(ctx, self, "hook", "claude", "--url", o.address, "--to", "slack:C0000001", "--token-file", file, "--responder", "slack:U0000001")}
	p.cmd.Args[0] = "askbridge"
	p.cmd.Env = append(os.Environ(), "ASKBRIDGE_URL="+trap.URL, "ASKBRIDGE_TOKEN=other", "HTTP_PROXY="+trap.URL, "http_proxy="+trap.URL)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = bytes.NewReader(recorded(t, "permission")), &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o.presses(ctx, "Deny")
	p.ends(exitOK, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Dana denied this."}}}`, "")
	if len(heard) > 0 {
		t.Errorf("hook called %s with %q", trap.URL, <-heard)
	}
	// Even a redirected command sends nothing.
	start(t, string(recorded(t, "permission")), "hook", "claude", "--url", trap.URL, "--token-file", file, "--anyone").ends(exitFailed, "", "does not prove knowledge of the token")
	for range len(heard) {
		if sent := <-heard; !strings.HasPrefix(sent, "Askbridge ") || strings.Contains(sent, token) {
			t.Errorf("hook sent %q", sent)
		}
	}
}

// Exit code 2 would block Claude Code.
func TestHookNeverBlocksHost(t *testing.T) {
	t.Parallel()
	for stderr, args := range map[string][]string{
		"nothing listens at":  {"--url=http://127.0.0.1:1"},
		"unknown flag":        {"--too"},
		"is not a place":      {"--to=nowhere"},
		"--on-timeout must":   {"--on-timeout=guess"},
		"no terminal":         {"--beside=x", "--defer"},
		"is not an address":   {"--url=here"},
		"there is no command": {"now"},
	} {
		t.Run(stderr, func(t *testing.T) {
			t.Parallel()
			start(t, auq, append([]string{"hook", "claude"}, args...)...).ends(exitFailed, "", stderr)
		})
	}
	start(t, string(recorded(t, "permission")), "hook", "claude").ends(exitFailed, "", "who may allow that?")
	start(t, string(recorded(t, "permission")), "hook", "claude", "--anyone").ends(exitFailed, "", "a permission needs a token")
	start(t, "no JSON", "hook", "claude").ends(exitFailed, "", "is not what a hook gets")
	start(t, `{"hook_event_name":"Stop"}`, "hook", "claude").ends(exitOK, "", "")
}
