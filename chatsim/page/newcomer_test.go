package page_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/test/need"
)

// A newcomer runs the first command of the README, opens the link, pastes a request, answers it, and sees the
// agent's result. Then they copy the curl command from the terminal.
func TestQuickStartInBrowser(t *testing.T) {
	t.Parallel()
	chrome := browser(t)
	output := startFirstCommand(t)
	link := regexp.MustCompile(`Page +(http://\S+)`).FindStringSubmatch(output)[1]
	checkPicture(t, open(t, chrome, link, size{1280, 860, false}))
	for name, s := range widths {
		t.Run(name, func(t *testing.T) {
			p := open(t, chrome, link, s)
			p.sees("#slack-messages", "Which database should the new ledger use?")
			p.shoot("16 the first look " + name)
			p.look("agent")
			p.shoot("17 a box to ask in " + name)
			p.paste("#body", `{"agent": "my-bot", "questions": [{"question": "When do we move on `+name+`?", "options": ["On Friday", "On Monday"]}]}`)
			p.press("#send")
			p.sees("#exchanges", "When do we move on "+name+"?")
			if s.width < 1100 { // The tools lie over the chat.
				p.press("#panel-close")
			}
			p.sees(on("slack", ".message:last-child"), "When do we move on "+name+"?")
			p.tap("slack", "On Friday")
			p.sees(on("slack", ".message:last-child"), "Answered by")
			p.look("agent")
			p.sees("#exchanges", "“When do we move on "+name+"?” → answered")
			p.press("#exchanges li:last-child summary")
			p.sees("#exchanges li:last-child", `"selected": [`)
			p.sees("#exchanges li:last-child", `"On Friday"`)
			p.shoot("18 an answer for the agent " + name)
		})
	}
	t.Run("with broken connections", func(t *testing.T) { playBrokenSockets(t, open(t, chrome, link, desktop)) })
	curl := regexp.MustCompile(`(?m)^ +(curl .*)$`).FindStringSubmatch(output)[1]
	got := make(chan string, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		out, err := exec.CommandContext(ctx, need.Binary(t, "bash"), "-c", curl).CombinedOutput()
		if err != nil {
			out = append(out, err.Error()...)
		}
		got <- string(out)
	}()
	p := open(t, chrome, link, desktop)
	p.sees(on("discord", ".message:last-child"), "Deploy now?")
	p.tap("discord", "Yes")
	if answer := <-got; !strings.Contains(answer, `"state":"answered"`) || !strings.Contains(answer, `"selected":["Yes"]`) {
		t.Errorf("%s: response %s", curl, answer)
	}
	p.sees("#exchanges", "“Deploy now?” → answered")
}

// connected reports whether the program holds a connection to Discord open.
const connected = `fetch('/api/state').then((answer) => answer.json()).then(({platforms}) => platforms.some(({platform, sockets}) => platform === 'discord' && sockets > 0))`

// playBrokenSockets breaks the connection of the program, which comes back by itself and is answered as before.
func playBrokenSockets(t *testing.T, p *tab) {
	t.Helper()
	p.look("faults")
	p.wait(connected)
	p.press("#fault-discord-sockets")
	p.sees("#toast", "Connection closed.")
	p.sees("#events", "Discord: The app disconnected")
	p.wait(connected)
	p.look("agent")
	p.paste("#body", `{"agent": "my-bot", "questions": [{"question": "Are we back?", "options": ["Yes, we are", "No"]}]}`)
	p.press("#send")
	p.sees(on("discord", ".message:last-child"), "Are we back?")
	p.tap("discord", "Yes, we are")
	p.sees("#exchanges", "“Are we back?” → answered")
	p.sees(on("slack", ".message:last-child"), "Answered by")
}

// paste replaces the text of a field, as from the clipboard.
func (p *tab) paste(selector, text string) {
	p.t.Helper()
	put := fmt.Sprintf("document.querySelector(%q).select(), document.execCommand('insertText', false, %s)", selector, encoded(p.t, text))
	if !js[bool](p, put) {
		p.t.Fatalf("nothing can be pasted into %s", selector)
	}
}

// startFirstCommand runs the first command of the README until the test ends, and returns its output before it
// waits.
func startFirstCommand(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	first := regexp.MustCompile("(?s)```sh[^\n]*\n(.*?)\n").FindStringSubmatch(string(readme))
	if first == nil {
		t.Fatal("the README has no command")
	}
	command := exec.CommandContext(context.Background(), need.Binary(t, "bash"), "-c", first[1])
	command.Dir = "../.."
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGINT) // As Ctrl-C does, to all of them.
		_ = command.Wait()
	})
	ready := make(chan string, 1)
	go func() {
		output, reported := "", false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			output += lines.Text() + "\n"
			if !reported && strings.HasPrefix(lines.Text(), "Waiting") {
				reported = true
				ready <- output
			}
		}
		close(ready)
	}()
	select {
	case output := <-ready:
		if output == "" {
			t.Fatalf("%s ended", first[1])
		}
		return output
	case <-time.After(6 * time.Minute): // It may have to be built first.
		t.Fatalf("%s does not begin to wait", first[1])
		return ""
	}
}
