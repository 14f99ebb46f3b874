package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app"
)

func guide(t *testing.T, platform string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/platforms/" + platform + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The configurations and requests in the guides are valid.
func TestGuidesWork(t *testing.T) {
	t.Setenv("SLACK_BOT_TOKEN", "xoxb-1")
	t.Setenv("SLACK_APP_TOKEN", "xapp-1-A0000001-2")
	t.Setenv("DISCORD_BOT_TOKEN", "canary")
	yaml := regexp.MustCompile("(?s)```yaml[^\n]*\n(.*?)```")
	body := regexp.MustCompile(`--json '([^']+)'`)
	for _, platform := range []string{"slack", "discord"} {
		text := guide(t, platform)
		path := filepath.Join(t.TempDir(), "askbridge.yaml")
		if err := os.WriteFile(path, []byte(yaml.FindStringSubmatch(text)[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := app.LoadOffline(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(cfg.Routes[cfg.DefaultRoute].To) != 1 {
			t.Errorf("%s: default route has no target: %+v", platform, cfg)
		}
		request, notes, err := ask.DecodeRequest([]byte(body.FindStringSubmatch(text)[1]))
		if err != nil || len(notes) > 0 || len(request.Questions) != 1 || len(request.Questions[0].Options) != 2 {
			t.Errorf("%s: %+v, %q, %v", platform, request, notes, err)
		}
	}
}
