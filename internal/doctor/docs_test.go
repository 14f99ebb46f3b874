package doctor_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/slack"
)

func guide(t *testing.T, platform string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/platforms/" + platform + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whoever looks for a finding in the guides finds it there.
func TestEveryFindingIsExplained(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`"((slack|discord)/[a-z]+)"`)
	found := 0
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, id := range named.FindAllStringSubmatch(string(text), -1) {
			found++
			if !strings.Contains(guide(t, id[2]), "| `"+id[1]+"` |") {
				t.Errorf("docs/platforms/%s.md does not explain %s", id[2], id[1])
			}
		}
	}
	if found < 15 {
		t.Errorf("only %d findings are named in the sources", found)
	}
}

// What the guides tell people to write and to send is taken.
func TestTheGuidesWork(t *testing.T) {
	t.Setenv("SLACK_BOT_TOKEN", "xoxb-1")
	t.Setenv("SLACK_APP_TOKEN", "xapp-1-A0000001-2")
	t.Setenv("DISCORD_BOT_TOKEN", "canary")
	yaml := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	body := regexp.MustCompile(`--json '([^']+)'`)
	for _, platform := range []string{"slack", "discord"} {
		text := guide(t, platform)
		path := filepath.Join(t.TempDir(), "askbridge.yaml")
		if err := os.WriteFile(path, []byte(yaml.FindStringSubmatch(text)[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(cfg.Routes[cfg.DefaultRoute].To) != 1 {
			t.Errorf("%s: the default route leads nowhere: %+v", platform, cfg)
		}
		request, notes, err := ask.DecodeRequest([]byte(body.FindStringSubmatch(text)[1]))
		if err != nil || len(notes) > 0 || len(request.Questions) != 1 || len(request.Questions[0].Options) != 2 {
			t.Errorf("%s: %+v, %q, %v", platform, request, notes, err)
		}
	}
	for _, s := range slack.Scopes() {
		if !strings.Contains(guide(t, "slack"), "`"+s.Name+"`") {
			t.Errorf("the guide does not tell what %s is for", s.Name)
		}
	}
}
