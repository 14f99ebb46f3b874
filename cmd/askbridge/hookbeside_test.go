package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/claudehost"
)

// session installs the hook and opens a session of a host that runs it.
func (o *office) session(tokenFile string) *claudehost.Host {
	o.Helper()
	self, err := os.Executable()
	if err != nil {
		o.Fatal(err)
	}
	// With this name the test binary runs the program, see TestMain.
	program := filepath.Join(o.TempDir(), "askbridge")
	if err := os.Symlink(self, program); err != nil {
		o.Fatal(err)
	}
	path := filepath.Join(o.TempDir(), "settings.json")
	p := start(o.T, "", "hook", "claude", "install", "--settings", path, "--program", program, "--beside", o.TempDir(),
		"--url", o.address, "--to", "slack:C0000001", "--token-file", tokenFile, "--responder", "slack:U0000001", "--permissions")
	if err := p.cmd.Wait(); err != nil {
		o.Fatalf("install: %v\n%s", err, &p.stderr)
	}
	settings, err := os.ReadFile(path)
	if err != nil {
		o.Fatal(err)
	}
	return &claudehost.Host{Settings: settings, Mode: "default", Session: "6b0f7c3e", Folder: "/home/dana/ledger", Run: shell}
}

// shell runs a command like the host.
func shell(ctx context.Context, command string, stdin []byte) ([]byte, int) {
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.Stdin = bytes.NewReader(stdin)
	out, _ := c.Output() // ProcessState has the result.
	return out, c.ProcessState.ExitCode()
}

func TestTerminalAndChatAreAskedTogether(t *testing.T) {
	t.Parallel()
	const input = `{"command":"rm -rf build","description":"Remove build output"}`
	for name, c := range map[string]struct {
		decide func(o *office, use *claudehost.Use) bool
		by     string
		want   string
	}{
		"the terminal is first": {by: "terminal", want: "answered in the terminal", decide: func(_ *office, use *claudehost.Use) bool { return use.Allow() }},
		"the chat is first": {by: "hook", want: "Answered by", decide: func(o *office, _ *claudehost.Use) bool {
			return o.dana.Press(o.Context(), "Allow") == nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := bounded(t)
			o, file := openGuarded(t)
			host := o.session(file)
			use := host.Use(ctx, claudehost.Call{Tool: "Bash", Input: input})
			<-use.Dialog()
			o.sees(ctx, "[Allow]")
			if !c.decide(o, use) {
				t.Error("terminal prompt is gone")
			}
			if v := use.Wait(); v.By != c.by || !v.Ran || v.Input != input {
				t.Errorf("decided: %+v", v)
			}
			o.sees(ctx, c.want)
			if transcript, faults := host.Close(); len(faults) > 0 {
				t.Errorf("host rejects: %s\n%s", strings.Join(faults, "\n"), transcript)
			}
		})
	}
}

// The terminal allows a call that returns a long file, which the host passes to the hook.
func TestLongToolResultClosesCard(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	o, file := openGuarded(t)
	args := []string{"--beside", o.TempDir(), "--token-file", file, "--responder", "slack:U0000001"}
	const call = `"session_id":"6b0f7c3e","permission_mode":"default","tool_name":"Read","tool_input":{"file_path":"/home/dana/ledger/all.csv"}`
	asks := o.hook(`{"hook_event_name":"PermissionRequest",`+call+`}`, args...)
	o.sees(ctx, "[Allow]")
	content := strings.Repeat("2026-11-25,dana,12.50;", 200_000)
	o.hook(`{"hook_event_name":"PostToolUse",`+call+`,"tool_use_id":"toolu_01","tool_response":{"file":{"content":"`+content+`"}}}`, args...).ends(exitOK, "", "")
	o.sees(ctx, "answered in the terminal")
	asks.ends(exitOK, "", "")
}
