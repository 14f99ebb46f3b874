//go:build hosts

package hosts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	slack "github.com/askbridge/askbridge/slack/bundle"
	"github.com/askbridge/askbridge/test/hosts/model"
	"github.com/askbridge/askbridge/test/logbuffer"
)

const (
	// limit bounds one scenario.
	limit = 2 * time.Minute
	// token is that of the agent.
	token = "hosts-token"
	// place is where the cards go, and dana the person who may decide.
	place = "slack:C0000001"
	dana  = "slack:U0000001"
)

// world is a strict Slack, a bridge, a scripted model and one host with a home of its own.
type world struct {
	*testing.T

	ctx   context.Context
	slack *slacksim.Server
	model *model.Server

	// host is the folder in which the host is installed, home its home, and work the folder it works in.
	host, home, work string

	bridgeAddr string
	log        logbuffer.Buffer
	stop       context.CancelFunc
	ended      chan error
}

// newWorld starts everything but the host.
func newWorld(t *testing.T, host string, turns ...model.Turn) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	w := &world{T: t, ctx: ctx, host: installed[host], home: folder(t), work: folder(t), model: model.Start(t, turns...)}
	w.slack = slacksim.Start(t, &slacksim.Options{Patience: 20 * time.Second})
	if _, err := w.slack.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("Dana sees:\n%s\nthe bridge logged:\n%s", w.slack.Seat("U0000001").Sees(), &w.log)
		}
	})
	w.bridgeAddr = "127.0.0.1:0"
	w.startBridge()
	t.Cleanup(w.stopBridge)
	return w
}

// folder is a temporary folder. A host may write into it until it has ended, so its removal is tried again.
func folder(t *testing.T) string {
	t.Helper()
	path, err := os.MkdirTemp("", "askbridge-hosts") //nolint:usetesting // TempDir fails if its first removal fails.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		until(ctx, func() bool { return os.RemoveAll(path) == nil })
	})
	return path
}

// startBridge starts the bridge on the address and the file of the last one.
func (w *world) startBridge() {
	w.Helper()
	var lc net.ListenConfig
	ln, err := lc.Listen(w.ctx, "tcp", w.bridgeAddr)
	if err != nil {
		w.Fatal(err)
	}
	w.bridgeAddr = ln.Addr().String()
	cfg := &config.Config{
		Store:  config.Store{Type: config.StoreFile, Path: filepath.Join(w.home, "askbridge.db")},
		Agents: []config.Agent{{Name: "agent", Token: config.NewSecret(token)}},
		Routes: map[string]config.Route{"deploys": {To: []config.Target{{Platform: "slack", Channel: "C0000001"}}}}, DefaultRoute: "deploys", MaxQuestions: 10,
		Platforms: config.Platforms{"slack": &slack.Section{
			Mode: "http", APIURL: w.slack.APIURL(), BotToken: config.NewSecret("xoxb-sim"), SigningSecret: config.NewSecret(w.slack.SigningSecret()),
		}},
	}
	log := slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelInfo}))
	a, err := app.New(cfg, &app.Options{Version: "dev", Logger: log, Listener: ln, PlatformHTTP: &http.Client{}})
	if err != nil {
		w.Fatal(errors.Join(err, ln.Close()))
	}
	w.slack.DeliverTo(w.bridge()+provider.Callback("slack"), nil)
	run, stop := context.WithCancel(context.WithoutCancel(w.ctx))
	w.stop, w.ended = stop, make(chan error, 1)
	go func() { w.ended <- a.Run(run) }()
}

// stopBridge ends the bridge as a deployment does.
func (w *world) stopBridge() {
	w.Helper()
	w.stop()
	if err := <-w.ended; err != nil {
		w.Errorf("the bridge ended with: %v", err)
	}
	w.ended <- nil // A second call finds it ended.
}

// bridge is the address of the bridge.
func (w *world) bridge() string { return "http://" + w.bridgeAddr }

// play plays lines of a scene, see chatsim.Scene. The people are Dana, Sam and Kim.
func (w *world) play(steps string) {
	w.Helper()
	scene, err := chatsim.ParseScene("play", []byte("-- steps --\n"+steps+"\n"))
	if err != nil {
		w.Fatal(err)
	}
	cast := chatsim.Cast{Onward: []string{"Answer", "Answer…", "Next"}, People: map[string]chatsim.Seat{
		"dana": w.slack.Seat("U0000001"), "sam": w.slack.Seat("U0000002"), "kim": w.slack.Seat("U0000003"),
	}}
	if err := scene.Play(w.ctx, cast); err != nil {
		w.Fatal(err)
	}
}

// reads waits for the result of a tool call and checks the texts that the model reads.
func (w *world) reads(call string, want ...string) {
	w.Helper()
	got, err := w.model.Result(w.ctx, call)
	if err != nil {
		w.Fatal(err)
	}
	for _, text := range want {
		if !strings.Contains(got.Text, text) {
			w.Errorf("the model reads as the result of %s:\n%s\nwithout %q", call, got.Text, text)
		}
	}
}

// cards counts the messages in the channel that contain a text.
func (w *world) cards(text string) int {
	count := 0
	for _, m := range w.slack.Seat("U0000001").Messages("C0000001") {
		if strings.Contains(fmt.Sprint(m), text) {
			count++
		}
	}
	return count
}

// write writes a file below the home of the host, or below its folder for a relative path that begins with "./".
func (w *world) write(path, text string) {
	w.Helper()
	path = filepath.Join(w.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// environment is that of every host, with a home of its own.
func (w *world) environment(more ...string) []string {
	env := []string{
		"HOME=" + w.home, "PATH=" + filepath.Join(w.host, "node_modules", ".bin") + ":" + filepath.Dir(askbridge(w.T)) + ":" + os.Getenv("PATH"),
		"TMPDIR=" + w.home, "TERM=xterm-256color", "LANG=C.UTF-8", "CI=",
		"DO_NOT_TRACK=1", "ASKBRIDGE_TOKEN=" + token,
	}
	return append(env, more...)
}

// command prepares a program that runs in the folder of the host and is ended with the scenario, with the programs that it starts.
func (w *world) command(env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.ctx, w.program(name), args...)
	cmd.Dir, cmd.Env = w.work, env
	cmd.WaitDelay = 5 * time.Second
	inGroup(cmd)
	return cmd
}

// program is the path of a program that the host brings, of Node, or of askbridge.
func (w *world) program(name string) string {
	switch name {
	case "askbridge":
		return askbridge(w.T)
	case "sh":
		return "/bin/sh"
	}
	path := filepath.Join(w.host, "node_modules", ".bin", name)
	if _, err := os.Stat(path); err != nil && name == "node" {
		return name // The host runs with the Node that is installed.
	}
	return path
}

// start starts a program and keeps what it prints. It is killed when the scenario ends.
func (w *world) start(cmd *exec.Cmd) (output *logbuffer.Buffer, ended <-chan error) {
	w.Helper()
	output = &logbuffer.Buffer{}
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	w.Cleanup(func() {
		_ = endGroup(cmd) // It may have ended.
		if w.Failed() {
			w.Logf("%s printed:\n%s", filepath.Base(cmd.Path), output)
		}
	})
	return output, done
}

func askbridge(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
