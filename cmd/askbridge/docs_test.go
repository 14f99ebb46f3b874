package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/askbridge/askbridge/internal/app"
)

const root = "../.."

// documents lists the pages with snippets to copy.
func documents(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md", "CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "docs/platforms/*.md", "docs/recipes/*.md", "docs/operations/*.md", "docs/reference/*.md", "examples/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			all = append(all, strings.TrimPrefix(path, root+"/"))
		}
	}
	return all
}

// snippet is one fenced block of a document. The note after its language defines how it is tested:
//
//	(nothing)   commands run with the simulator; a configuration is loaded
//	bridge      run with a separate bridge, see reader
//	mocks       run with the doubles only
//	sim         starts the simulator or the doubles, which run already
//	make        targets of the Makefile
//	workflow    a workflow of GitHub Actions that uses our action
//	prometheus  a Prometheus configuration that must match ours
//	a file      is in this file verbatim
//	hosts <id>  used by a scenario of test/hosts, with a real host
//	not-run     needs an external service, which notRun names
type snippet struct {
	line                 int
	language, note, text string
}

func snippets(t *testing.T, document string) []snippet {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	var all []snippet
	inside := false
	for n, line := range strings.Split(string(data), "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && !inside:
			language, note, _ := strings.Cut(fence, " ")
			all, inside = append(all, snippet{line: n + 1, language: language, note: note}), true
		case isFence:
			inside = false
		case inside:
			all[len(all)-1].text += line + "\n"
		}
	}
	return all
}

func TestDocsSnippets(t *testing.T) {
	t.Parallel()
	for _, document := range documents(t) {
		for _, s := range snippets(t, document) {
			at := fmt.Sprintf("%s:%d", document, s.line)
			if strings.HasPrefix(s.note, "hosts ") { // Only with a real host: test/hosts checks that a scenario uses it.
				continue
			}
			switch s.language {
			case "text", "js": // A fragment of a program.
			case "mermaid":
				if kind, _, _ := strings.Cut(s.text, "\n"); !slices.Contains([]string{"flowchart LR", "stateDiagram-v2"}, kind) {
					t.Errorf("%s: a drawing of the kind %q", at, kind)
				}
			case "sh":
				if why := checkNote(t, document, s); why != "" {
					t.Errorf("%s: %s", at, why)
				}
			case "json":
				if !json.Valid([]byte(s.text)) {
					t.Errorf("%s is not valid JSON", at)
				}
			case "yaml":
				switch s.note {
				case "": // A part of a configuration, as its reader has it.
					checkConfig(t, at, s.text)
				case "bridge": // It is served.
				case "workflow":
					checkWorkflow(t, at, s.text)
				case "prometheus":
					checkScrape(t, at, document, s.text)
				default:
					t.Errorf("%s: unknown note %q for a configuration", at, s.note)
				}
			case "go": // An excerpt.
				if _, err := format.Source([]byte(s.text)); err != nil {
					t.Errorf("%s is not valid Go: %v", at, err)
				}
			case "python", "ts":
				source, err := os.ReadFile(filepath.Join(root, s.note))
				if err != nil || !strings.Contains(string(source), s.text) {
					t.Errorf("%s differs from %q: %v", at, s.note, err)
				}
			default:
				t.Errorf("%s: unknown language %q", at, s.language)
			}
		}
	}
}

// checkNote returns an error for an invalid note of a block of commands.
func checkNote(t *testing.T, document string, s snippet) string {
	t.Helper()
	first, _, _ := strings.Cut(s.text, "\n")
	switch s.note {
	case "", "bridge", "mocks": // They are run.
	case "sim":
		if !slices.Contains([]string{"askbridge sim --no-agent\n", "askbridge sim --mocks\n"}, s.text) {
			return "the tests start the simulator otherwise"
		}
	case "make":
		makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(s.text) {
			command, _, _ := strings.Cut(line, "#")
			command = strings.TrimSpace(command)
			target, _ := strings.CutPrefix(command, "make ")
			if !strings.Contains(string(makefile), "\n"+target+": ") && !strings.Contains(string(makefile), "\n\t"+command+"\n") {
				return "the Makefile has no " + command
			}
		}
	case "not-run":
		if notRun[document+": "+first] == "" {
			return "no entry in notRun"
		}
	default: // A script, which has a test of its own.
		script, err := os.ReadFile(filepath.Join(root, s.note))
		if err != nil || !strings.HasSuffix(string(script), "\n"+s.text) {
			return fmt.Sprintf("the commands are not the end of %q: %v", s.note, err)
		}
	}
	return ""
}

// checkWorkflow compares the inputs and outputs that a workflow uses with those of action.yml.
func checkWorkflow(t *testing.T, at, text string) {
	t.Helper()
	var action struct{ Inputs, Outputs map[string]any }
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				ID, Uses string
				With     map[string]string
			}
		}
	}
	raw, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err := errors.Join(err, yaml.Unmarshal(raw, &action), yaml.Unmarshal([]byte(text), &workflow)); err != nil {
		t.Fatal(err)
	}
	used := false
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			if !strings.HasPrefix(step.Uses, "askbridge/askbridge@") && step.Uses != "./" {
				continue
			}
			used = true
			for input := range step.With {
				if _, ok := action.Inputs[input]; !ok {
					t.Errorf("%s: action.yml has no input %q", at, input)
				}
			}
			for _, m := range regexp.MustCompile(`steps\.`+regexp.QuoteMeta(step.ID)+`\.outputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
				if _, ok := action.Outputs[m[1]]; !ok {
					t.Errorf("%s: action.yml has no output %q", at, m[1])
				}
			}
		}
	}
	if !used {
		t.Errorf("%s: no step uses the action", at)
	}
}

// checkScrape compares a Prometheus configuration with its page, and its rules with the files that we distribute. "make
// packages" loads it with Prometheus.
func checkScrape(t *testing.T, at, document, text string) {
	t.Helper()
	var scrape struct {
		Configs []struct {
			Static []struct {
				Targets []string `yaml:"targets"`
			} `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
		Rules []string `yaml:"rule_files"`
	}
	if err := yaml.Unmarshal([]byte(text), &scrape); err != nil || len(scrape.Configs) != 1 || len(scrape.Configs[0].Static) != 1 {
		t.Fatalf("%s: %+v, %v", at, scrape, err)
	}
	for _, s := range snippets(t, document) {
		var ours struct {
			Metrics struct {
				Listen string `yaml:"listen"`
			} `yaml:"metrics"`
		}
		if s.language != "yaml" || s.note != "" {
			continue
		}
		if err := yaml.Unmarshal([]byte(s.text), &ours); err != nil || !slices.Contains(scrape.Configs[0].Static[0].Targets, ours.Metrics.Listen) {
			t.Errorf("%s does not scrape %q: %v", at, ours.Metrics.Listen, err)
		}
	}
	for _, file := range scrape.Rules {
		if _, err := os.Stat(filepath.Join(root, "deploy", "prometheus", filepath.Base(file))); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// checkConfig parses a part of a configuration with every variable set.
func checkConfig(t *testing.T, at, text string) {
	t.Helper()
	text = regexp.MustCompile(`\$\{\w+\}`).ReplaceAllStringFunc(text, func(name string) string {
		return "0123456789abcdef" + strings.Trim(name, "${}") // Each secret has its own value.
	})
	path := filepath.Join(t.TempDir(), "askbridge.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := app.LoadOffline(path); err != nil {
		t.Errorf("%s: %v", at, err)
	}
}

// A newcomer copies every command of a document in order, while a person answers on the page.
func TestDocsCommandsWithSimulator(t *testing.T) {
	t.Parallel()
	bin := programs(t, map[string]string{"askbridge": `exec "` + agent(t, "askbridge") + `" "$@"`})
	// The program is a test that runs for a minute.
	const install = "askbridge hook claude install"
	installs := install + " --program " + filepath.Join(bin, "askbridge")
	for _, document := range documents(t) {
		commands := slices.DeleteFunc(snippets(t, document), func(s snippet) bool { return s.language != "sh" || s.note != "" })
		if len(commands) == 0 {
			continue
		}
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			p := playSim(t, "--no-agent")
			defer p.answers("Postgres", "Yes", "Now", "In-process")()
			for _, s := range commands {
				script := strings.NewReplacer("http://localhost:8080", p.bridge, "http://127.0.0.1:8080", p.bridge, "localhost:8080", p.bridge, install, installs).Replace(s.text)
				shell := exec.CommandContext(bounded(t), "bash", "-euo", "pipefail", "-c", script)
				shell.Dir = root
				shell.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+t.TempDir(), "ASKBRIDGE_URL="+p.bridge, "ASKBRIDGE_TOKEN=", "GORACE="+atOnce)
				var reply bytes.Buffer
				shell.Stdout, shell.Stderr = &reply, &reply
				if err := shell.Run(); err != nil {
					t.Errorf("%s:%d: %v\n%s\n%s", document, s.line, err, script, &reply)
				}
				for _, wrong := range []string{`"state":"open"`, `"status":4`, `"status":5`} {
					if strings.Contains(reply.String(), wrong) {
						t.Errorf("%s:%d prints %s", document, s.line, &reply)
					}
				}
			}
		})
	}
}

// answers presses the first of these options whenever one is on the page, until the returned function
// is called.
func (p *playing) answers(options ...string) (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				for _, label := range options {
					p.post("", `{"do":"press","control":"`+label+`"}`)
				}
			}
		}
	}()
	return func() { close(quit); <-gone }
}
