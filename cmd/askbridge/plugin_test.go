package main

import (
	"strings"
	"testing"
)

func TestPluginHook(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, input     string
		args            []string
		code            int
		stdout, problem string
	}{
		{"nobody decides", "permission", []string{"--to", "slack:C0000001", "--data", "d"}, exitOK, "", ""},
		{"nobody decides a plan", "plan", []string{"--to", "slack:C0000001", "--data", "d", "--decide", "nobody"}, exitOK, "", ""},
		{"someone decides without a token", "permission", []string{"--to", "route:deploys", "--data", "d", "--decide", "slack:U0000001, slack:U0000002"}, exitFailed, "", "a permission needs a token"},
		{"no place", "permission", []string{"--data", "d"}, exitFailed, "", "--to is empty"},
		{"no route", "permission", []string{"--to", "route:", "--data", "d"}, exitFailed, "", "--to is empty"},
		{"no folder", "permission", []string{"--to", "slack:C0000001"}, exitFailed, "", "--data is empty"},
		{"no such token file", "permission", []string{"--to", "slack:C0000001", "--data", "d", "--token-file", "absent"}, exitFailed, "", "--token-file"},
		{"unknown flag", "permission", []string{"--too", "x"}, exitFailed, "", "unknown flag"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start(t, string(recorded(t, tt.input)), append([]string{"hook", "claude", "plugin"}, tt.args...)...).ends(tt.code, tt.stdout, tt.problem)
		})
	}
}

func TestPluginHookAsksInChat(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	o, file := openGuarded(t)
	args := []string{"hook", "claude", "plugin", "--url", o.address, "--to", "slack:C0000001", "--decide", "slack:U0000001", "--token-file", file, "--data", t.TempDir()}
	p := start(t, string(recorded(t, "permission")), args...)
	o.sees(ctx, "rm -rf build")
	o.presses(ctx, "Allow")
	p.ends(exitOK, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"rm -rf build","description":"Remove build output"}}}}`, "")
}

func TestPluginServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"permissions without a token", []string{"--to", "slack:C0000001", "--decide", "anyone"}, "permissions need a token"},
		{"no place", nil, "--to is empty"},
		{"an odd place", []string{"--to", "C0000001"}, "C0000001"},
		{"an odd address", []string{"--to", "slack:C0000001", "--url", "ftp://x"}, "ftp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, "", append([]string{"mcp", "plugin"}, tt.args...)...)
			if err := p.cmd.Wait(); err == nil || !strings.Contains(p.stderr.String(), tt.want) {
				t.Errorf("got %v and %q, want %q", err, p.stderr.String(), tt.want)
			}
		})
	}
}
