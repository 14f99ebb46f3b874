package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/app"
)

// setup is a new user at a terminal in an empty folder, with a Slack workspace and a Discord server.
type setup struct {
	*testing.T

	dir     string
	slack   *slacksim.Server
	discord *discordsim.Server
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	s := &setup{T: t, dir: t.TempDir(), slack: slacksim.Start(t, &slacksim.Options{Channels: []slacksim.Channel{
		{ID: "C0000001", Name: "deploys"}, {ID: "C0000002", Name: "general", Members: []string{"U0000001"}},
	}}), discord: discordsim.Start(t, nil)}
	if _, err := s.slack.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.discord.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	return s
}

// session is one run of askbridge init on a terminal of its own.
type session struct {
	*setup

	cmd *exec.Cmd
	far *os.File // the keyboard and the screen

	mu    sync.Mutex
	shown bytes.Buffer
	read  int // what has been awaited
	news  chatsim.Signal
}

// begin starts askbridge init.
func (s *setup) begin(ctx context.Context, args ...string) *session {
	s.Helper()
	self, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	near, far := terminalPair(s.T)
	p := &session{setup: s, far: far}
	p.cmd = exec.CommandContext(ctx, self, append([]string{"init", "--slack-api-url", s.slack.APIURL(), "--discord-api-url", s.discord.APIURL()}, args...)...)
	p.cmd.Args[0], p.cmd.Dir = "askbridge", s.dir
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = near, near, near
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	near.Close()
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := far.Read(buffer)
			p.mu.Lock()
			p.shown.Write(buffer[:n])
			p.mu.Unlock()
			p.news.Notify()
			if err != nil {
				return
			}
		}
	}()
	return p
}

// sees waits until the terminal shows a text, after everything that was awaited before.
func (p *session) sees(ctx context.Context, text string) {
	p.Helper()
	err := p.news.Await(ctx, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		at := strings.Index(p.shown.String()[p.read:], text)
		if at >= 0 {
			p.read += at + len(text)
		}
		return at >= 0
	})
	if err != nil {
		p.Fatalf("the terminal does not show %q after %q (%v)", text, p.screen()[:p.read], p.screen()[p.read:])
	}
}

func (p *session) screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown.String()
}

// types sends a line.
func (p *session) types(line string) {
	p.Helper()
	if _, err := p.far.WriteString(line + "\n"); err != nil {
		p.Fatal(err)
	}
}

// ends waits for the end of the program and returns its exit code.
func (p *session) ends() int {
	p.Helper()
	var status *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &status) {
		p.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// file returns what a file of the folder contains, or "" if there is none.
func (s *setup) file(name string) string {
	data, _ := os.ReadFile(filepath.Join(s.dir, name))
	return string(data)
}

func TestInitGuidesAndContinues(t *testing.T) {
	t.Parallel()
	ctx, s := bounded(t), newSetup(t)

	// Wrong input is asked again, and Ctrl-C stops.
	p := s.begin(ctx)
	p.sees(ctx, "3  all of them\r\nNumber: ")
	p.types("Teams")
	p.sees(ctx, "Type a number from 1 to 3.")
	p.types("3")
	p.sees(ctx, "https://api.slack.com/apps?manifest_yaml=")
	p.sees(ctx, "(it is not shown): ")
	p.types("xapp-sim")
	p.sees(ctx, "✗ This token does not begin with xoxb-, so it is another kind of token.\r\n\r\nBot token")
	p.sees(ctx, "(it is not shown): ")
	p.types("xoxb-wrong")
	p.sees(ctx, "✗ Slack does not accept this token: invalid_auth.\r\n\r\nBot token")
	p.sees(ctx, "(it is not shown): ")
	p.types("xoxb-sim")
	p.sees(ctx, "✓ It is @")
	p.sees(ctx, "App-level token (xapp-…): Basic Information")
	p.sees(ctx, "(it is not shown): ")
	if _, err := p.far.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	p.sees(ctx, "askbridge: interrupted; run askbridge init again to continue here")
	if code := p.ends(); code != exitInterrupted {
		t.Errorf("Ctrl-C: exit code %d", code)
	}
	if strings.Contains(p.screen(), "xoxb-sim") {
		t.Error("the terminal shows a token")
	}

	// It continues after the last step; a lost terminal stops it again.
	p = s.begin(ctx)
	p.sees(ctx, "Continuing where you stopped.")
	p.sees(ctx, "✓ It is @")
	p.sees(ctx, "(it is not shown): ")
	if strings.Contains(p.screen(), "Where do people answer?") || strings.Contains(p.screen(), "api.slack.com") && strings.Contains(p.screen(), "Bot token (") {
		t.Errorf("steps again that were done:\n%s", p.screen())
	}
	p.types("xapp-sim")
	p.sees(ctx, "✓ Socket Mode: Slack gives us a connection.")
	p.sees(ctx, " 1  #deploys\r\n   2  #general\r\n")
	p.types("#deploy")
	p.sees(ctx, "There is no #deploy. Similar names:\r\n      #deploys")
	p.types("#general")
	p.sees(ctx, "✗ The bot is not in #general (C0000002).\r\n  In the channel: /invite @")
	p.types("#deploys")
	p.sees(ctx, "✓ The bot is in #deploys (C0000001).")
	p.sees(ctx, "Bot token: Bot, Reset Token")
	p.sees(ctx, "(it is not shown): ")
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil { // As the kernel does when the terminal goes away.
		t.Fatal(err)
	}
	if code := p.ends(); code == exitOK {
		t.Error("a lost terminal ended it with success")
	}
	if s.file("askbridge.yaml") != "" {
		t.Error("there is a configuration before the end")
	}

	p = s.begin(ctx)
	p.sees(ctx, "Continuing where you stopped.")
	p.sees(ctx, "✓ The bot is in #deploys (C0000001).")
	p.sees(ctx, "(it is not shown): ")
	p.types("discord-sim-token")
	p.sees(ctx, " 1  #deploys (")
	p.types("1")
	p.sees(ctx, "✓ The bot may ask in #deploys")
	p.sees(ctx, "Posting a test card to #deploys on Slack")
	p.sees(ctx, "Press a button on it. To go on without, type skip: ")
	if err := s.slack.Seat("U0000001").Press(ctx, "It works"); err != nil {
		t.Fatal(err)
	}
	p.sees(ctx, `pressed "It works".`)
	p.sees(ctx, "on Discord")
	p.sees(ctx, "type skip: ")
	p.types("skip")
	p.sees(ctx, "askbridge.yaml is written")
	p.sees(ctx, "  askbridge serve\r\n")
	if code := p.ends(); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, p.screen())
	}

	text, secrets := s.file("askbridge.yaml"), filepath.Join(s.dir, "askbridge.secrets")
	for _, want := range []string{
		"channel: C0000001} # #deploys\n", `bot_token: "${file:` + filepath.Join(secrets, "slack_bot_token") + "}\"\n",
		"api_url: " + s.slack.APIURL(), "application_id: \"600000000000000001\"\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("askbridge.yaml lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "xoxb-") || strings.Contains(text, "discord-sim-token") {
		t.Errorf("askbridge.yaml contains a token:\n%s", text)
	}
	for name, want := range map[string]string{"slack_bot_token": "xoxb-sim\n", "slack_app_token": "xapp-sim\n", "discord_bot_token": "discord-sim-token\n", ".gitignore": "*\n", "progress.json": ""} {
		if got := s.file(filepath.Join("askbridge.secrets", name)); got != want {
			t.Errorf("%s contains %q", name, got)
		}
		if info, err := os.Stat(filepath.Join(secrets, name)); err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %s", name, info.Mode())
		}
	}
	if _, err := app.LoadOffline(filepath.Join(s.dir, "askbridge.yaml")); err != nil {
		t.Error(err)
	}
	closed := func(sees string) bool { return strings.Contains(sees, "It works · Answered by") }
	if err := s.slack.Seat("U0000001").Await(ctx, closed); err != nil {
		t.Errorf("the test card is not closed: %v", err)
	}
	sees := s.discord.Seat("300000000000000001").Sees()
	if strings.Contains(sees, "[It works]") || !strings.Contains(sees, "Can you see this card?") {
		t.Errorf("the skipped card has buttons:\n%s", sees)
	}

	p = s.begin(ctx)
	p.sees(ctx, "askbridge.yaml is there already")
	if code := p.ends(); code != exitUsage {
		t.Errorf("with a configuration: exit code %d", code)
	}
}

// The card cannot be posted, and the person goes on.
func TestInitGuideSurvivesFailedCard(t *testing.T) {
	t.Parallel()
	ctx, s := bounded(t), newSetup(t)
	p := s.begin(ctx)
	p.sees(ctx, "Number: ")
	p.types("slack")
	for _, token := range []string{"xoxb-sim", "xapp-sim"} {
		p.sees(ctx, "(it is not shown): ")
		p.types(token)
	}
	p.sees(ctx, "lists them again: ")
	s.slack.Fault("chat.postMessage", chatsim.Refuse("is_archived"))
	p.types("C0000001")
	p.sees(ctx, "✗ The card was not posted: ")
	p.sees(ctx, "Press Enter to go on without this test, or Ctrl-C to stop here. ")
	p.types("")
	p.sees(ctx, "askbridge.yaml is written")
	if code := p.ends(); code != exitOK || s.file("askbridge.yaml") == "" {
		t.Errorf("exit code %d:\n%s", code, p.screen())
	}
}
