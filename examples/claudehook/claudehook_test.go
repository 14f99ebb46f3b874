package claudehook_test

import (
	"os"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/hosts/claude"
	"github.com/askbridge/askbridge/test/golden"
)

func TestSettingsMatchInstall(t *testing.T) {
	t.Parallel()
	i := claude.Install{
		Command: "/usr/local/bin/askbridge hook claude --to=slack:C0000001 --beside=/home/dana/.cache/askbridge/claude", Wait: claude.DefaultWait, Beside: true,
	}
	settings, err := i.Apply(nil)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "settings.json", settings.Text)
}

func TestHookAnswersFromChat(t *testing.T) {
	t.Parallel()
	w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}})
	dana := w.Slack.Seat("U0000001")
	pressed := make(chan error, 1)
	go func() {
		if err := dana.AwaitText(t.Context(), "[In-process]"); err != nil {
			pressed <- err
			return
		}
		pressed <- dana.Press(t.Context(), "In-process")
	}()
	input, err := os.ReadFile("testdata/question.json")
	if err != nil {
		t.Fatal(err)
	}
	h := claude.NewClaude(w.Client, &claude.Options{To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}})
	out, err := h.Run(t.Context(), input)
	if failed := <-pressed; err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	if !strings.Contains(string(out), `"answers":{"Which  \u003cqueue\u003e?":"In-process"}},"additionalContext":"Answered by `) {
		t.Errorf("the hook printed %s", out)
	}
}
