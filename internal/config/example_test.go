package config

import (
	"io"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const exampleFile = "../../config.example.yaml"

// anywhere finds something behind every reference.
func anywhere() surroundings {
	return surroundings{
		env:  func(string) (string, bool) { return "canary-canary-canary-canary", true },
		open: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("canary")), nil },
	}
}

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

func TestTheExampleLoads(t *testing.T) {
	t.Parallel()
	c, err := parse("config.example.yaml", []byte(readExample(t)), anywhere())
	if err != nil {
		t.Fatal(err)
	}
	if c.Slack == nil || c.Slack.BotToken.Reveal() == "" || len(c.Routes["deploys"].To) != 1 {
		t.Errorf("the example says less than it should: %+v", c)
	}
}

func TestTheExampleShowsEverySetting(t *testing.T) {
	t.Parallel()
	var c Config
	d := decoder{world: anywhere()}
	d.decode([]byte(switchedOff.ReplaceAllString(readExample(t), "$1$2")), &c)
	if err := d.problems.err("config.example.yaml, with everything switched on"); err != nil {
		t.Fatal(err)
	}
	index := regexp.MustCompile(`\[\d+\]`)
	shown := map[string]bool{}
	for _, path := range slices.Collect(maps.Keys(d.found)) {
		path = index.ReplaceAllString(path, ".*")
		if rest, ok := strings.CutPrefix(path, "routes."); ok {
			_, rest, _ = strings.Cut(rest, ".")
			path = strings.TrimSuffix("routes.*."+rest, ".")
		}
		shown[path] = true
	}
	for _, path := range keys("", reflect.TypeFor[Config]()) {
		if !shown[path] {
			t.Errorf("%s is not in the example", path)
		}
	}
}

func TestTheExampleExplainsEverySetting(t *testing.T) {
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
	for _, path := range keys("", reflect.TypeFor[Config]()) {
		name := path[strings.LastIndex(path, ".")+1:]
		if name != "*" && !explained[name] {
			t.Errorf("%s has no words above it in the example", path)
		}
	}
}
