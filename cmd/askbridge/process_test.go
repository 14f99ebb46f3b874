package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/test/logbuffer"
	"github.com/askbridge/askbridge/test/redistest"
)

// process is a running askbridge serve.
type process struct {
	*testing.T

	cmd     *exec.Cmd
	address string // of the API
	hooks   string // of the callbacks
	agent   *client.Client
	exited  chan struct{}

	log logbuffer.Buffer
}

// workspace is a mock Slack that other processes can reach.
func workspace(t *testing.T) *slacksim.Server {
	t.Helper()
	sim := slacksim.Start(t, &slacksim.Options{Patience: time.Minute})
	if _, err := sim.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	return sim
}

// serve starts a process over a store, with more lines of configuration, and waits until it talks to Slack.
func serve(t *testing.T, sim *slacksim.Server, store string, more ...string) *process {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "askbridge.yaml")
	text := fmt.Sprintf("listen: 127.0.0.1:0\ncallbacks: {listen: 127.0.0.1:0}\nstore: %s\nlog: {level: debug, format: json}\nslack:\n"+
		"  bot_token: xoxb-sim\n  signing_secret: ${file:secret}\n  mode: http\n  api_url: %s\n", store, sim.APIURL()) + strings.Join(more, "")
	for name, data := range map[string]string{file: text, filepath.Join(dir, "secret"): sim.SigningSecret() + "\n"} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := launch(t, dir, os.Environ(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// launch starts a process in the folder of its configuration, and waits until it talks to so many platforms.
func launch(t *testing.T, dir string, env []string, platforms int) (*process, error) {
	t.Helper()
	p, ready, err := begin(t, dir, env, platforms)
	if err != nil {
		return nil, err
	}
	select {
	case <-ready:
	case <-p.exited:
		return nil, fmt.Errorf("askbridge serve ended:\n%s", p.log.String())
	case <-time.After(time.Minute):
		return nil, fmt.Errorf("askbridge serve is not ready:\n%s", p.log.String())
	}
	p.agent, err = client.New(p.address, nil)
	return p, err
}

// begin is launch without the wait: ready is closed when the process talks to so many platforms.
func begin(t *testing.T, dir string, env []string, platforms int) (p *process, ready <-chan struct{}, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	p = &process{T: t, exited: make(chan struct{})}
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), self, "serve")
	p.cmd.Args[0] = "askbridge" // With this name the test binary runs the program, see TestMain.
	p.cmd.Dir, p.cmd.Env = dir, env
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, nil, err
	}
	talks := make(chan struct{})
	go p.read(bufio.NewScanner(stderr), platforms, talks)
	t.Cleanup(func() {
		p.kill(syscall.SIGKILL)
		if t.Failed() {
			t.Logf("process %d:\n%s", p.cmd.Process.Pid, p.log.String())
		}
	})
	return p, talks, nil
}

// read follows the log: it learns the address, and that each platform has been spoken to.
func (p *process) read(lines *bufio.Scanner, platforms int, ready chan<- struct{}) {
	for lines.Scan() {
		fmt.Fprintln(&p.log, lines.Text())
		var entry struct{ Msg, Listen, Callbacks string }
		if json.Unmarshal(lines.Bytes(), &entry) != nil {
			continue
		}
		if entry.Listen != "" {
			p.address, p.hooks = "http://"+entry.Listen, "http://"+entry.Callbacks
		}
		if strings.HasPrefix(entry.Msg, "connected to ") {
			if platforms--; platforms == 0 {
				close(ready)
			}
		}
	}
	_ = p.cmd.Wait() // ProcessState has the result.
	close(p.exited)
}

// kill sends a signal and waits for the end, which it returns as the exit code, -1 when a signal did it.
func (p *process) kill(signal syscall.Signal) int {
	_ = p.cmd.Process.Signal(signal) // It may have exited already.
	select {
	case <-p.exited:
	case <-time.After(time.Minute):
		p.Errorf("process %d does not end on %v", p.cmd.Process.Pid, signal)
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) callbacks() string { return p.hooks + provider.Callback("slack") }

func request() ask.Request {
	return ask.Request{
		ToolCallID: "toolu_01", Session: "s1", To: []ask.Place{{Platform: "slack", Channel: "C0000001"}},
		Questions: []ask.Question{{Text: "Which database?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}},
	}
}

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestAnswerSurvivesKill(t *testing.T) {
	t.Parallel()
	stores := map[string]func(t *testing.T) string{
		"file": func(t *testing.T) string {
			t.Helper()
			return fmt.Sprintf("{type: file, path: %q}", filepath.Join(t.TempDir(), "askbridge.db"))
		},
		"redis": func(t *testing.T) string {
			t.Helper()
			return fmt.Sprintf("{type: redis, redis: {url: %q}}", redistest.Start(t).URL)
		},
	}
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, sim, where := bounded(t), workspace(t), store(t)
			first := serve(t, sim, where)
			made, err := first.agent.Submit(ctx, request())
			if err != nil || made.State != ask.Open || made.Delivery[0].Message == "" {
				t.Fatalf("Submit = %+v, %v", made, err)
			}
			first.kill(syscall.SIGKILL)

			second := serve(t, sim, where)
			sim.DeliverTo(second.callbacks(), nil)
			if err := sim.Seat("U0000001").Press(ctx, "SQLite"); err != nil {
				t.Fatal(err)
			}
			// A kill right after the acknowledgment keeps the recorded answer.
			second.kill(syscall.SIGKILL)

			third := serve(t, sim, where)
			again, err := third.agent.Ask(ctx, request())
			if err != nil {
				t.Fatal(err)
			}
			if again.ID != made.ID || again.State != ask.Answered || again.Text != "Which database?\nSQLite" || again.By.Key() != "slack:U0000001" {
				t.Errorf("asked again: %+v", again)
			}
			if n := len(sim.Timeline().Events(chatsim.Posted)); n != 1 {
				t.Errorf("%d messages were posted", n)
			}
			// The next process updates the card.
			err = sim.Seat("U0000001").Await(ctx, func(sees string) bool { return !strings.Contains(sees, "[SQLite]") })
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestReplicasWakeEachOther(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	store := fmt.Sprintf("{type: redis, redis: {addrs: [%q]}}", redistest.Start(t).Addr)
	asked, clicked := serve(t, sim, store), serve(t, sim, store)
	sim.DeliverTo(clicked.callbacks(), nil)

	got := make(chan *client.Request, 1)
	go func() {
		r, err := asked.agent.Ask(ctx, request())
		if err != nil {
			t.Error(err)
		}
		got <- r
	}()
	dana := sim.Seat("U0000001")
	if err := dana.AwaitText(ctx, "[Postgres]"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := dana.Press(ctx, "Postgres"); err != nil {
		t.Fatal(err)
	}
	if r := <-got; r == nil || r.State != ask.Answered || r.Text != "Which database?\nPostgres" {
		t.Errorf("the other bridge's agent got %+v", r)
	}
	if took := time.Since(began); took > 10*time.Second { // Without a notification it polls every twenty.
		t.Errorf("it took %s to wake the other bridge's agent", took)
	}
}

func TestSIGTERMShutsDownGracefully(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	p := serve(t, sim, fmt.Sprintf("{type: file, path: %q}", filepath.Join(t.TempDir(), "askbridge.db")))
	body := `{"to":[{"platform":"slack","channel":"C0000001"}],"questions":[{"question":"Go?","type":"yesno"}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.address+"/v1/requests?wait=30s", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	replied := make(chan *http.Response, 1)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Errorf("connection of the waiting call was cut: %v", err)
		}
		replied <- resp
	}()
	if err := sim.Seat("U0000001").AwaitText(ctx, "Go?"); err != nil {
		t.Fatal(err)
	}
	if code := p.kill(syscall.SIGTERM); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	resp := <-replied
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated || resp.Header.Get("Retry-After") == "" {
		t.Errorf("waiting call got %s with Retry-After %q", resp.Status, resp.Header.Get("Retry-After"))
	}
}

func TestSecondSignalExitsAtOnce(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	p := serve(t, sim, "{type: memory}")
	// Slack does not respond, so a graceful shutdown has to wait.
	sim.Fault("chat.postMessage", chatsim.Hang().Always())
	go func() {
		_, err := p.agent.Submit(ctx, request())
		if err == nil {
			t.Error("Submit should have been cut")
		}
	}()
	err := sim.Await(ctx, func() bool { return len(sim.Timeline().Events(chatsim.Faulted)) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(p.log.String(), "shutting down") {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("shutdown did not begin")
		}
	}
	p.kill(syscall.SIGTERM)
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("exit state %v", p.cmd.ProcessState)
	}
}
