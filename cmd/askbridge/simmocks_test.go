package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mocked runs a command with the doubles.
func mocked(t *testing.T, flags []string, command ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args := append([]string{"sim", "--mocks", "--addr", "127.0.0.1:0", "--slack-addr", "127.0.0.1:0", "--discord-addr", "127.0.0.1:0"}, flags...)
	code = run(bounded(t), append(append(args, "--"), command...), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestMocksRunCommand(t *testing.T) {
	t.Parallel()
	const breaks = `curl -s -d token=$SLACK_BOT_TOKEN ${SLACK_API_URL}no.such`
	for name, tc := range map[string]struct {
		flags    []string
		script   string
		code     int
		out, err string
	}{
		"nothing goes wrong":                {nil, `curl -s -d token=$SLACK_BOT_TOKEN ${SLACK_API_URL}auth.test`, 0, `"ok":true`, ""},
		"Discord is there":                  {nil, `curl -s -A "DiscordBot (a, 1)" -H "Authorization: Bot $DISCORD_BOT_TOKEN" $DISCORD_API_URL/v10/users/@me`, 0, `"username":"mybot"`, ""},
		"the page is there":                 {nil, `curl -s $MOCKS_URL/`, 0, "<html", ""},
		"a rule is broken":                  {nil, breaks, 0, "unknown_method", "A rule of Slack was broken: request.method"},
		"a rule is broken, and that counts": {[]string{"--fail-on-violation"}, breaks, 1, "", "1 rules of the platforms were broken"},
		"the command fails":                 {nil, "exit 7", 7, "", ""},
		"one platform":                      {[]string{"--platform", "slack"}, `test -z "${DISCORD_API_URL:-}" && echo alone`, 0, "alone", ""},
		"the command is not there":          {nil, "exec /no/such", 127, "", "no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := mocked(t, tc.flags, "sh", "-c", tc.script)
			if code != tc.code || !strings.Contains(out, tc.out) || !strings.Contains(errs, tc.err) {
				t.Errorf("exit code %d, want %d\n%s\n%s", code, tc.code, out, errs)
			}
		})
	}
}

func TestMocksFlags(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a command without the doubles": {[]string{"sim", "--", "true"}, "takes no argument"},
		"a flag of the doubles alone":   {[]string{"sim", "--fail-on-violation"}, "goes with --mocks"},
		"a word without the dashes":     {[]string{"sim", "--mocks", "true"}, "takes no argument"},
		"an address that others reach":  {[]string{"sim", "--mocks", "--slack-addr", "0.0.0.0:0", "--", "true"}, "loopback"},
		"the second of two of them":     {[]string{"sim", "--mocks", "--slack-addr", "0.0.0.0:0", "--discord-addr", "0.0.0.0:1", "--", "true"}, "--discord-addr 0.0.0.0:1 can be reached"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), tc.args, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), tc.want) {
			t.Errorf("%s: exit code %d: %s", name, code, &errs)
		}
	}
}

// People copy the printed configuration: it must load and reach people.
func TestMocksPrintedConfig(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"over sockets": nil,
		"over HTTP":    {"--slack-request-url", "http://127.0.0.1:1/slack", "--discord-interactions-url", "http://127.0.0.1:1/discord"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(bounded(t))
			p := &playing{T: t, exited: make(chan int, 1), more: make(chan struct{}, 1), stop: cancel}
			args := []string{"sim", "--mocks", "--addr", "127.0.0.1:0", "--slack-addr", "127.0.0.1:0", "--discord-addr", "127.0.0.1:0"}
			go func() { p.exited <- run(ctx, append(args, flags...), p, p) }()
			p.awaitText("Waiting for bots.", 1)
			text := regexp.MustCompile(`(?s)# askbridge.yaml:[^\n]*\n(.*?)\n# `).FindStringSubmatch(p.text.String())[1]
			path := filepath.Join(t.TempDir(), "askbridge.yaml")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, err := load(path)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			// It has only the settings that interactions need.
			if len(cfg.Platforms) != 2 || strings.Contains(text, "app_token") != (flags == nil) || strings.Contains(text, "public_key") != (flags != nil) {
				t.Errorf("the configuration is %s", text)
			}
			cancel()
			if code := p.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// The commands of the guide for other bots work unchanged.
func TestDocsCommandsWithMocks(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, document := range documents(t) {
		for _, s := range snippets(t, document) {
			if s.language != "sh" || s.note != "mocks" {
				continue
			}
			tried++
			code, out, errs := mocked(t, []string{"--fail-on-violation"}, "bash", "-euo", "pipefail", "-c", s.text)
			if code != 0 || !strings.Contains(out, `"met":true`) || !strings.Contains(out, `"outcome":"done"`) || !strings.Contains(out, `"reset":true`) {
				t.Errorf("%s:%d: exit code %d\n%s\n%s", document, s.line, code, out, errs)
			}
		}
	}
	if tried == 0 {
		t.Error("no document has commands for the mocks")
	}
}
