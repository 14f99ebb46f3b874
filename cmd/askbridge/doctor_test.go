package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// doctorConfig is a configuration with one Slack channel.
func doctorConfig(t *testing.T, sim *slacksim.Server, channel string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "askbridge.yaml")
	text := fmt.Sprintf("listen: 127.0.0.1:0\ncallbacks: {listen: 127.0.0.1:0}\nstore: {type: file, path: %s}\nslack: {bot_token: xoxb-sim, signing_secret: %s, api_url: %q}\n"+
		"routes: {deploys: {to: [{platform: slack, channel: %s}]}}\n", filepath.Join(t.TempDir(), "askbridge.db"), sim.SigningSecret(), sim.APIURL(), channel)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDoctorPrintsFindings(t *testing.T) {
	t.Parallel()
	sim := workspace(t)
	sim.Remove("C0000002", "U0000BOT")
	for _, tt := range []struct {
		channel string
		code    int
		want    []string
	}{
		{"C0000001", exitOK, []string{"ok      settings", "ok      slack/channel", "No problems found."}},
		{"C0000002", exitFailed, []string{"broken  slack/channel", "the bot is not in #general (C0000002)", "> In the channel: /invite @askbridge", "1 problem found."}},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"doctor", "--config", doctorConfig(t, sim, tt.channel)}, &stdout, &stderr)
		if code != tt.code || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d; %s", tt.channel, code, tt.code, &stderr)
		}
		for _, want := range tt.want {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%s: no %q in\n%s", tt.channel, want, &stdout)
			}
		}
	}
}

func TestConfigCheckWarnsAboutRouteWithoutReminder(t *testing.T) {
	t.Parallel()
	path := doctorConfig(t, workspace(t), "C0000001")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	schedule := `, schedule: {steps: [{after: 1h, do: remind}], hours: {zone: UTC, days: mon-fri, from: "22:00", to: "06:00"}}}}`
	if err := os.WriteFile(path, bytes.Replace(text, []byte("}]}}\n"), []byte("}]"+schedule+"\n"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr := newPrompt(t).run(exitOK, "", "config", "check", "--config", path)
	if out != path+" is fine.\n" || !strings.HasPrefix(stderr, "warning: "+path+":5:") || !strings.Contains(stderr, "requests made from Saturday 05:00 to Sunday 22:00 (UTC) expire before any step happens") {
		t.Errorf("config check prints %q and %q", out, stderr)
	}
}

func TestDoctorWritesJSON(t *testing.T) {
	t.Parallel()
	sim := workspace(t)
	sim.Revoke("xoxb-sim")
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"doctor", "--json", "-c", doctorConfig(t, sim, "C0000001")}, &stdout, &stderr)
	var report struct {
		OK       bool
		Findings []struct{ ID, State, Found, Do string }
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil || code != exitFailed || report.OK {
		t.Fatalf("exit code %d, %v: %s%s", code, err, &stdout, &stderr)
	}
	last := report.Findings[len(report.Findings)-1]
	if last.ID != "slack/token" || last.State != "broken" || !strings.Contains(last.Found, "token_revoked") || last.Do == "" {
		t.Errorf("last finding is %+v", last)
	}
}
