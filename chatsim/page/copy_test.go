package page_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/test/need"
)

func TestPageCopies(t *testing.T) {
	t.Parallel()
	chrome := browser(t)
	for name, play := range map[string]func(*testing.T, context.Context){
		"a request as a program in four languages": playPrograms,
		"the session as a test":                    playSession,
	} {
		t.Run(name, func(t *testing.T) { play(t, chrome) })
	}
}

// copied presses a button that copies, and returns the text.
func (p *tab) copied(button string) string {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void]("navigator.clipboard.writeText = async (text) => { window.clip = text; }; window.clip = ''"))
	p.press(button)
	p.wait("window.clip !== ''")
	p.sees("#toast", "Copied.")
	return js[string](p, "window.clip")
}

// playPrograms runs what is copied: each program asks once more what was asked, and finds the same request.
func playPrograms(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{ToolCallID: "toolu_01", Session: "s1", Agent: "o'hara's \"bot\"", Questions: []ask.Question{
		{Text: "Which `database`, for $5 & 100 % of <it> \\ 日本 🎉?", Options: options("Postgres", "SQLite")},
	}})
	p := open(t, chrome, w.url, desktop)
	p.press("#exchanges li:first-child summary")
	p.sees("#exchanges", "Copy as")
	for language, run := range map[string]struct {
		file    string
		command []string
	}{
		"curl":       {"ask.sh", []string{need.Binary(t, "bash"), "ask.sh"}},
		"Go":         {"ask.go", []string{need.Binary(t, "go"), "run", "ask.go"}},
		"Python":     {"ask.py", []string{need.Binary(t, "python3"), "ask.py"}},
		"TypeScript": {"ask.mjs", []string{need.Binary(t, "node"), "ask.mjs"}}, // It is TypeScript without a type.
	} {
		folder := t.TempDir()
		program := p.copied(fmt.Sprintf("#exchanges li:first-child [aria-label='Copy the request as %s']", language))
		if err := os.WriteFile(filepath.Join(folder, run.file), []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		command := exec.CommandContext(ctx, run.command[0], run.command[1:]...)
		command.Dir = folder
		output, err := command.CombinedOutput()
		cancel()
		if err != nil || !strings.Contains(string(output), `"state":"open"`) || !strings.Contains(string(output), "日本 🎉") {
			t.Errorf("%s: %v\n%s\n%s", language, err, output, program)
		}
	}
	if all, _ := w.traffic.Since(0); len(all) != 5 {
		t.Errorf("the bridge was asked %d times, want once by the agent and once in each language", len(all))
	}
}

func playSession(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	w.asks(ask.Request{Questions: oneQuestion})
	p := open(t, chrome, w.url, desktop)
	p.tap("discord", "Postgres")
	p.sees(on("slack", ".message"), "Answered by Dana on Discord")
	dana := w.Slack.Seat(danaOnSlack)
	w.does(dana.Answer("thanks"))
	w.does(dana.Reword("thank you"))
	w.does(dana.TakeBack())
	p.look("events")
	test := p.copied("#copy-test button")
	if output := "dana@slack replies \"thanks\"\ndana@slack rewrites \"thank you\"\ndana@slack retracts\n"; !strings.Contains(test, output) {
		t.Errorf("what Dana wrote is not in what is copied:\n%s", test)
	}
	if !strings.HasPrefix(test, "// A test.\n-- steps --\nagent asks request.json\ndana@discord presses \"Postgres\" under \"Which database") {
		t.Errorf("what is copied is:\n%s", test)
	}
}
