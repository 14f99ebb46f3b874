package config_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	slack "github.com/askbridge/askbridge/slack/bundle"
)

const exampleFile = "../../../config.example.yaml"

// platforms returns the sections of the program's platforms.
func platforms() []config.Section { return provider.Sections(app.Platforms()) }

func readExample(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// switchedOff matches a setting that is commented out.
var switchedOff = regexp.MustCompile(`(?m)^( *)#(\S)`)

func TestExampleLoads(t *testing.T) {
	t.Parallel()
	c, err := config.Everywhere("config.example.yaml", []byte(readExample(t)), platforms())
	if err != nil {
		t.Fatal(err)
	}
	section, _ := c.Platforms["slack"].(*slack.Section)
	if section == nil || section.BotToken.Reveal() == "" || len(c.Routes["deploys"].To) != 1 {
		t.Errorf("example lacks settings: %+v", c)
	}
}

func TestExampleShowsEverySetting(t *testing.T) {
	t.Parallel()
	there, err := config.Shown("config.example.yaml, with everything switched on", []byte(switchedOff.ReplaceAllString(readExample(t), "$1$2")), platforms())
	if err != nil {
		t.Fatal(err)
	}
	index := regexp.MustCompile(`\[\d+\]`)
	shown := map[string]bool{}
	for _, path := range there {
		path = index.ReplaceAllString(path, ".*")
		for _, named := range []string{"routes.", "rotas."} {
			if rest, ok := strings.CutPrefix(path, named); ok {
				_, rest, _ = strings.Cut(rest, ".")
				path = strings.TrimSuffix(named+"*."+rest, ".")
			}
		}
		shown[path] = true
	}
	for _, path := range config.Known(platforms()) {
		if !shown[path] {
			t.Errorf("%s is not in the example", path)
		}
	}
}

func TestExampleExplainsEverySetting(t *testing.T) {
	t.Parallel()
	lines := strings.Split(readExample(t), "\n")
	setting := regexp.MustCompile(`^ *#?(?:- )?([a-z_]+):(?: |$)`)
	explained := map[string]bool{}
	for i, line := range lines {
		m := setting.FindStringSubmatch(line)
		if m != nil && i > 0 && strings.HasPrefix(strings.TrimSpace(lines[i-1]), "# ") {
			explained[m[1]] = true
		}
	}
	for _, path := range config.Known(platforms()) {
		name := path[strings.LastIndex(path, ".")+1:]
		if name != "*" && !explained[name] {
			t.Errorf("%s has no comment in the example", path)
		}
	}
}
