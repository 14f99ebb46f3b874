package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/test/redistest"
)

// The IDs in the guides that readers replace by their own.
const (
	guideChannel, guideOther           = "C0123ABCD", "C0456EFGH"
	guideDana, guideSam                = "U0123ABCD", "U0456EFGH"
	guideGroup                         = "S0123ABCD"
	guideDiscordChannel, guideDiscordA = "234567890123456789", "123456789012345678" // A is Dana, and the application.
)

// atOnce has a program that was built with the race detector end when it is done, and not a second later.
const atOnce = "atexit_sleep_ms=0"

// reader follows a guide with an own bridge, Redis and workspace. Blocks with the note "bridge" run unchanged and in order
// in one folder: YAML becomes part of askbridge.yaml, which takes effect at the next command. System folders are mapped
// into that folder, and some programs are stand-ins: "askbridge serve" and systemctl let the test start, reload and
// restart the process.
type reader struct {
	*testing.T

	slack     *slacksim.Server
	discord   *discordsim.Server
	redis     string
	dir       string
	config    map[string]any
	changed   bool // since the process was started
	starts    bool // to start it, by the guide
	env       map[string]string
	instead   map[string]string // replacements for texts of a document
	input     string            // what is typed at the next block
	printed   string            // by the last block
	bridge    *process
	platforms int
	jobs      chan job
	spans     <-chan *tracepb.Span // that its collector has taken
}

func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{T: t, dir: t.TempDir(), changed: true, jobs: make(chan job)}
	r.slack = slacksim.Start(t, &slacksim.Options{
		Patience: time.Minute,
		People:   []slacksim.Person{{ID: guideDana, Name: "dana", RealName: "Dana"}, {ID: guideSam, Name: "sam", RealName: "Sam"}},
		Channels: []slacksim.Channel{
			{ID: guideChannel, Name: "deploys", Members: []string{guideDana, guideSam, "U0000BOT"}},
			{ID: guideOther, Name: "team", Members: []string{guideDana, guideSam, "U0000BOT"}},
		},
		Groups: []slacksim.Group{{ID: guideGroup, Handle: "oncall", Members: []string{guideDana, guideSam}}},
		Events: []string{slacksim.EventMessage, slacksim.EventAppMention},
	})
	r.discord = discordsim.Start(t, &discordsim.Options{
		Application: guideDiscordA, MaxConcurrency: 9, Patience: time.Minute,
		People:   []discordsim.Person{{ID: guideDiscordA, Name: "dana", RealName: "Dana"}},
		Channels: []discordsim.Channel{{ID: guideDiscordChannel, Name: "deploys"}},
	})
	for _, listen := range []func(string) (string, error){r.slack.Listen, r.discord.Listen} {
		if _, err := listen("127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	r.redis = redistest.Start(t).Addr
	r.config = map[string]any{
		"listen": "127.0.0.1:0", "shutdown_delay": "1ms", "log": map[string]any{"level": "debug", "format": "json"},
		"store":         map[string]any{"type": "redis", "redis": map[string]any{"addrs": []any{r.redis}}},
		"routes":        map[string]any{"deploys": map[string]any{"to": []any{map[string]any{"platform": "slack", "channel": guideChannel}}}},
		"default_route": "deploys",
	}
	r.instead = map[string]string{"--hold 10s": "--hold 1s"} // Keeps the test short.
	for _, folder := range []string{"/etc/askbridge", "/run/secrets", "/var/lib/askbridge"} {
		r.instead[folder+"/"] = r.dir + folder + "/"
		if err := os.MkdirAll(r.dir+folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(r.dir, "askbridge.yaml"), filepath.Join(r.dir, "etc/askbridge/askbridge.yaml")); err != nil {
		t.Fatal(err)
	}
	control := httptest.NewServer(http.HandlerFunc(r.control))
	t.Cleanup(control.Close)
	bin := programs(t, map[string]string{
		"askbridge": `[ "$*" != serve ] || exec bash -c 'env -0 | curl -sS --fail-with-body --data-binary @- "$READER/serve"'` + "\n" + `exec "$PROGRAM" "$@"`,
		"systemctl": `[ "$#:$2" = 2:askbridge ] && env -0 | curl -sS --fail-with-body --data-binary @- "$READER/$1"`,
		"pidof":     `[ "$*" = askbridge ] && curl -sS --fail-with-body -d '' "$READER/pid" && cat "$HOME/pid"`,
	})
	r.env = map[string]string{
		"HOME": r.dir, "XDG_CONFIG_HOME": filepath.Join(r.dir, ".config"), "READER": control.URL, "PROGRAM": agent(t, "askbridge"),
		"PATH": bin + ":" + os.Getenv("PATH"), "ASKBRIDGE_TOKEN": "", "CLAUDE_CODE_SESSION_ID": "", "GORACE": atOnce,
		"SLACK_BOT_TOKEN": "xoxb-sim", "SLACK_APP_TOKEN": "xapp-sim", "DISCORD_BOT_TOKEN": "discord-sim-token",
	}
	changedFiles(t, r.env)
	return r
}

// programs creates a folder with shell scripts and the double of Claude Code.
func programs(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/bash\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(agent(t, "claude"), filepath.Join(dir, "claude")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// changedFiles makes a repository for "git diff" to see a change in, wherever it is run.
func changedFiles(t *testing.T, env map[string]string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "deploy.txt")
	script := `git init -q . && echo one >deploy.txt && git add deploy.txt && git -c user.name=dana -c user.email=dana@example.com commit -qm one && echo two >deploy.txt`
	cmd := exec.CommandContext(bounded(t), "bash", "-ec", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, out)
	}
	env["GIT_DIR"], env["GIT_WORK_TREE"] = filepath.Join(dir, ".git"), dir
}

// job is what a stand-in among the programs asks for, in the environment that it is called with.
type job struct {
	what string
	env  []string
	done chan<- error
}

// control takes jobs to the test.
func (r *reader) control(w http.ResponseWriter, req *http.Request) {
	env, err := io.ReadAll(req.Body)
	if err == nil {
		done := make(chan error, 1)
		r.jobs <- job{req.URL.Path, strings.Split(strings.TrimRight(string(env), "\x00"), "\x00"), done}
		err = <-done
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (r *reader) run(j job) error {
	switch {
	case j.what == "/serve", j.what == "/restart":
		return r.start(j.env)
	case r.bridge == nil:
		return errors.New("nothing runs")
	case j.what == "/reload":
		return r.reload()
	case j.what == "/pid":
		return os.WriteFile(filepath.Join(r.dir, "pid"), []byte(strconv.Itoa(r.bridge.cmd.Process.Pid)), 0o600)
	}
	return errors.New("unknown job " + j.what)
}

// start replaces the process by a new one.
func (r *reader) start(env []string) error {
	if r.bridge != nil {
		r.bridge.kill(syscall.SIGTERM)
	}
	if err := r.write(); err != nil {
		return err
	}
	p, err := launch(r.T, r.dir, env, r.platforms)
	if err != nil {
		return err
	}
	r.bridge, r.changed = p, false
	ctx := bounded(r.T)
	for {
		err := ready(ctx, p.address)
		if err == nil || wait.For(ctx, simLook) != nil {
			return err
		}
	}
}

func (r *reader) reload() error {
	const done = `"configuration reloaded"`
	if err := r.bridge.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		return err
	}
	return r.logs(done)
}

// logs waits for a text in the log of the process.
func (r *reader) logs(text string) error {
	for ctx := bounded(r.T); !strings.Contains(r.bridge.log.String(), text); {
		if wait.For(ctx, simLook) != nil {
			return fmt.Errorf("the log does not say %s:\n%s", text, r.bridge.log.String())
		}
	}
	return nil
}

// write writes askbridge.yaml, with the addresses of the platforms that it names; Slack where it names none.
func (r *reader) write() error {
	r.platforms = 0
	all := maps.Clone(r.config)
	if all["slack"] == nil && all["discord"] == nil {
		all["slack"] = map[string]any{"bot_token": "${SLACK_BOT_TOKEN}", "app_token": "${SLACK_APP_TOKEN}"}
	}
	for name, at := range map[string]string{"slack": r.slack.APIURL(), "discord": r.discord.APIURL()} {
		if section, ok := all[name].(map[string]any); ok {
			section["api_url"] = at
			r.platforms++
		}
	}
	text, err := yaml.Marshal(all)
	if err != nil {
		return err
	}
	for _, name := range regexp.MustCompile(`\$\{(\w+)\}`).FindAllStringSubmatch(string(text), -1) {
		if r.env[name[1]] == "" {
			r.env[name[1]] = "0123456789abcdef" + name[1] // Each secret has its own value.
		}
	}
	return os.WriteFile(filepath.Join(r.dir, "askbridge.yaml"), text, 0o600)
}

// set replaces whole settings.
func (r *reader) set(text string) {
	r.Helper()
	var part map[string]any
	if err := yaml.Unmarshal([]byte(r.here(text)), &part); err != nil {
		r.Fatal(err)
	}
	maps.Copy(r.config, part)
	r.changed = true
	if err := r.write(); err != nil {
		r.Fatal(err)
	}
}

// here is a text of a document with what is meant in this folder.
func (r *reader) here(text string) string {
	var pairs []string
	for _, old := range slices.Sorted(maps.Keys(r.instead)) {
		pairs = append(pairs, old, r.instead[old])
	}
	if r.bridge != nil {
		for _, old := range []string{"http://127.0.0.1:8080", "http://localhost:8080", "https://askbridge.example.com"} {
			pairs = append(pairs, old, r.bridge.address)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (r *reader) environment() []string {
	env := os.Environ()
	for name, value := range r.env {
		env = append(env, name+"="+value)
	}
	if r.bridge != nil {
		env = append(env, "ASKBRIDGE_URL="+r.bridge.address)
	}
	return env
}

// serves ensures that a process runs with the current configuration.
func (r *reader) serves() {
	r.Helper()
	if !r.changed {
		return
	}
	if err := r.write(); err != nil { // It fills the environment.
		r.Fatal(err)
	}
	if err := r.start(r.environment()); err != nil {
		r.Fatal(err)
	}
}

// startsItself finds blocks that begin with the process as it is, and have a changed configuration count themselves.
var startsItself = regexp.MustCompile(`(?m)^(askbridge (serve|config reload)|systemctl |kill -HUP)`)

// follows runs a block. Who asks in it is answered.
func (r *reader) follows(at, text string) {
	r.Helper()
	if !startsItself.MatchString(text) && (r.bridge != nil || !r.starts) {
		r.serves()
	}
	quiet, asks := func() {}, regexp.MustCompile(`askbridge ask |wait=|/v1/ask/`).MatchString(text)
	if asks {
		quiet = r.answers("Postgres", "Yes", "Now", "Deploy", "Desplegar", "Monday", "1. Allow", "Drop")
	}
	shell := exec.CommandContext(bounded(r.T), "bash", "-euo", "pipefail", "-c", r.here(text))
	shell.Dir, shell.Env = r.dir, r.environment()
	shell.Stdin = strings.NewReader(r.input)
	var reply bytes.Buffer
	shell.Stdout, shell.Stderr = &reply, &reply
	ended := make(chan error, 1)
	go func() { ended <- shell.Run() }()
	var err error
	for going := true; going; {
		select {
		case j := <-r.jobs:
			j.done <- r.run(j)
		case err = <-ended:
			going = false
		}
	}
	quiet()
	r.printed, r.input = reply.String(), ""
	if err != nil {
		r.Fatalf("%s: %v\n%s\n%s", at, err, shell.Args[len(shell.Args)-1], &reply)
	}
	if strings.Contains(r.printed, `"status":4`) || strings.Contains(r.printed, `"status":5`) || asks && strings.Contains(r.printed, `"state":"open"`) {
		r.Errorf("%s replied %s", at, &reply)
	}
}

// answers presses one of these options whenever a card has it, and confirms it if a form asks for that,
// until the returned function is called.
func (r *reader) answers(options ...string) (stop func()) {
	ctx, cancel := context.WithCancel(r.Context())
	gone := make(chan struct{})
	seats := []chatsim.Seat{r.slack.Seat(guideDana), r.slack.Seat(guideSam), r.discord.Seat(guideDiscordA)}
	for _, seat := range seats {
		go func() {
			defer func() { gone <- struct{}{} }()
			var act func(context.Context) error
			shown := func(sees string) bool {
				if strings.Contains(sees, "Confirm your answer") {
					act = seat.Submit
					return true
				}
				n := slices.IndexFunc(options, func(option string) bool { return strings.Contains(sees, "["+option+"]") })
				if n >= 0 {
					act = func(ctx context.Context) error { return seat.Press(ctx, options[n]) }
				}
				return n >= 0
			}
			for ctx.Err() == nil && seat.Await(ctx, shown) == nil { // A form may stay open.
				_ = act(ctx) // Another person may have been faster.
			}
		}()
	}
	return func() {
		cancel()
		for range seats {
			<-gone
		}
	}
}

// asks submits a question of an agent and waits until Dana sees it.
func (r *reader) asks(asked ask.Request) string {
	r.Helper()
	r.serves()
	made, err := r.caller().Submit(bounded(r.T), asked)
	if err != nil {
		r.Fatal(err)
	}
	if err := r.slack.Seat(guideDana).AwaitText(bounded(r.T), asked.Questions[0].Text); err != nil {
		r.Fatal(err)
	}
	return made.ID
}

func TestDocsCommandsWithBridge(t *testing.T) {
	t.Parallel()
	for _, document := range documents(t) {
		blocks := slices.DeleteFunc(snippets(t, document), func(s snippet) bool { return s.note != "bridge" })
		if len(blocks) == 0 {
			continue
		}
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			r := newReader(t)
			r.starts = slices.ContainsFunc(blocks, func(s snippet) bool { return strings.Contains(s.text, "askbridge serve\n") })
			for _, s := range blocks {
				at := fmt.Sprintf("%s:%d", document, s.line)
				if s.language == "yaml" {
					r.set(s.text)
					continue
				}
				around := asides[document+": "+strings.SplitN(s.text, "\n", 2)[0]]
				if around.before != nil {
					around.before(r)
				}
				r.follows(at, s.text)
				if around.after != nil {
					around.after(r)
				}
			}
		})
	}
}

func TestDocsAsidesAreUsed(t *testing.T) {
	t.Parallel()
	first := map[string]bool{}
	for _, document := range documents(t) {
		for _, s := range snippets(t, document) {
			first[document+": "+strings.SplitN(s.text, "\n", 2)[0]] = true
		}
	}
	for _, key := range slices.Concat(slices.Collect(maps.Keys(asides)), slices.Collect(maps.Keys(notRun))) {
		if !first[key] {
			t.Errorf("no document has a block with the first line %s", key)
		}
	}
}
