package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/internal/app"
)

const root = "../.."

// documents are those whose snippets people copy.
func documents(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/platforms/*.md", "docs/guides/*.md", "docs/operations/*.md", "examples/*/README.md"} {
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

// snippet is one fenced block of a document. What stands behind its language says
// what becomes of it: the file it is copied from; sim, which is running already; mocks, beside which it runs;
// not-run, for what needs somebody else's program or a workspace.
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

func TestEverySnippetOfTheDocumentsHolds(t *testing.T) {
	t.Parallel()
	for _, document := range documents(t) {
		for _, s := range snippets(t, document) {
			at := fmt.Sprintf("%s:%d", document, s.line)
			switch s.language {
			case "sh", "text":
			case "json":
				if !json.Valid([]byte(s.text)) {
					t.Errorf("%s is no JSON", at)
				}
			case "yaml":
				if s.note != "not-run" { // Of another program.
					checkConfig(t, at, s.text)
				}
			case "python", "ts":
				source, err := os.ReadFile(filepath.Join(root, s.note))
				if err != nil || !strings.Contains(string(source), s.text) {
					t.Errorf("%s is not what stands in %q: %v", at, s.note, err)
				}
			default:
				t.Errorf("%s: nobody tests a block of %q", at, s.language)
			}
		}
	}
}

// checkConfig reads a part of a configuration, with every variable set.
func checkConfig(t *testing.T, at, text string) {
	t.Helper()
	text = regexp.MustCompile(`\$\{\w+\}`).ReplaceAllStringFunc(text, func(name string) string {
		return "0123456789abcdef" + strings.Trim(name, "${}") // Each secret has its own value.
	})
	path := filepath.Join(t.TempDir(), "askbridge.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Load(path); err != nil {
		t.Errorf("%s: %v", at, err)
	}
}

// A newcomer copies every command of a document in the order in which it stands
// there; somebody answers on the page meanwhile.
func TestEveryCommandOfTheDocumentsWorksAgainstTheSimulator(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "askbridge")); err != nil {
		t.Fatal(err)
	}
	// The program is a test's, which stays for a minute.
	const install = "askbridge hook claude install"
	installs := install + " --program " + filepath.Join(bin, "askbridge")
	for _, document := range documents(t) {
		commands := snippets(t, document)
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			p := playSim(t, "--no-agent")
			defer p.answers("Postgres", "Yes", "Now", "In-process")()
			for _, s := range commands {
				if s.language != "sh" || s.note != "" || strings.HasPrefix(s.text, "go run ./cmd/askbridge sim") {
					continue
				}
				script := strings.NewReplacer("http://localhost:8080", p.bridge, "http://127.0.0.1:8080", p.bridge, "localhost:8080", p.bridge, install, installs).Replace(s.text)
				shell := exec.CommandContext(bounded(t), "bash", "-euo", "pipefail", "-c", script)
				shell.Dir = root
				shell.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+t.TempDir(), "ASKBRIDGE_URL="+p.bridge, "ASKBRIDGE_TOKEN=")
				var said bytes.Buffer
				shell.Stdout, shell.Stderr = &said, &said
				if err := shell.Run(); err != nil {
					t.Errorf("%s:%d: %v\n%s\n%s", document, s.line, err, script, &said)
				}
				for _, wrong := range []string{`"state":"open"`, `"status":4`, `"status":5`} {
					if strings.Contains(said.String(), wrong) {
						t.Errorf("%s:%d says %s", document, s.line, &said)
					}
				}
			}
		})
	}
}

// answers presses the first of those options whenever one of them stands there,
// until it is called off.
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
