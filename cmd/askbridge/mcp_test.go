package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
)

// tool is an askbridge mcp process with its MCP client.
type tool struct {
	*testing.T

	cmd     *exec.Cmd
	in      io.WriteCloser
	results chan result
}

// result is a message from the server.
type result struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Message string `json:"message"`
	} `json:"params"`
	Result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Structured struct {
			ID    string `json:"id"`
			State string `json:"state"`
		} `json:"structuredContent"`
		IsError bool `json:"isError"`
	} `json:"result"`
}

// startTool starts a process and initializes the session.
func startTool(t *testing.T, args ...string) *tool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &tool{T: t, results: make(chan result, 1000), cmd: exec.CommandContext(t.Context(), self, append([]string{"mcp"}, args...)...)}
	p.cmd.Args[0] = "askbridge" // With this name the test binary runs the program, see TestMain.
	p.cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "CLAUDE_CODE_SESSION_ID=") })
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.results)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var s result
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				t.Errorf("not a message: %s", lines.Text())
			}
			p.results <- s
		}
	}()
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	p.until(func(s result) bool { return s.ID == 1 })
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

func (p *tool) send(line string) {
	p.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.Fatal(err)
	}
}

// until reads messages until one matches.
func (p *tool) until(f func(result) bool) result {
	p.Helper()
	enough := time.After(time.Minute)
	for {
		select {
		case s, ok := <-p.results:
			if !ok {
				p.Fatal("the process has ended")
			}
			if f(s) {
				return s
			}
		case <-enough:
			p.Fatal("no matching message")
		}
	}
}

func (p *tool) waits() {
	p.until(func(s result) bool { return strings.HasPrefix(s.Params.Message, "Waiting for a person") })
}

func (p *tool) result(id int) result {
	return p.until(func(s result) bool { return s.ID == id && s.Method == "" })
}

// end sends a signal and waits for the end.
func (p *tool) end(signal syscall.Signal) int {
	_ = p.cmd.Process.Signal(signal) // It may have exited already.
	for range p.results {            // Drains unread messages.
	}
	_ = p.cmd.Wait() // ProcessState has the result.
	return p.cmd.ProcessState.ExitCode()
}

const askDatabase = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_user","arguments":{"questions":[{"question":"Which database?",` +
	`"options":["Postgres","SQLite"]}]},"_meta":{"claudecode/toolUseId":"toolu_01","progressToken":2}}}`

// address returns a stable address that forwards to the current bridge.
type address struct {
	*httptest.Server

	now atomic.Pointer[url.URL]
}

func newAddress(t *testing.T) *address {
	t.Helper()
	a := &address{}
	a.Server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(a.now.Load()) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.Cleanup(a.Close)
	return a
}

func (a *address) leadTo(p *process) {
	p.Helper()
	u, err := url.Parse(p.address)
	if err != nil {
		p.Fatal(err)
	}
	a.now.Store(u)
}

func TestMCPClientAndBridgeRestart(t *testing.T) {
	t.Parallel()
	ctx, sim, at := bounded(t), workspace(t), newAddress(t)
	store := fmt.Sprintf("{type: file, path: %q}", filepath.Join(t.TempDir(), "askbridge.db"))
	first := serve(t, sim, store)
	at.leadTo(first)
	agent := startTool(t, "--url", at.URL, "--to", "slack:C0000001")
	agent.send(askDatabase)
	agent.waits()
	agent.end(syscall.SIGKILL)
	first.kill(syscall.SIGKILL)

	second := serve(t, sim, store)
	at.leadTo(second)
	again := startTool(t, "--url", at.URL, "--to", "slack:C0000001")
	again.send(askDatabase)
	again.waits()
	second.kill(syscall.SIGKILL)

	third := serve(t, sim, store)
	at.leadTo(third)
	sim.DeliverTo(third.callbacks(), nil)
	if err := sim.Seat("U0000001").Press(ctx, "SQLite"); err != nil {
		t.Fatal(err)
	}
	got := again.result(2).Result
	if got.IsError || got.Structured.State != "answered" || len(got.Content) != 1 || got.Content[0].Text != "Which database?\nSQLite" {
		t.Errorf("got %+v", got)
	}
	if n := len(sim.Timeline().Events(chatsim.Posted)); n != 1 {
		t.Errorf("%d messages were posted", n)
	}
	again.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait_for_answer","arguments":{"id":%q}}}`, got.Structured.ID))
	if late := again.result(3).Result; late.Structured.State != "answered" {
		t.Errorf("wait for an answered request: %+v", late)
	}
}

func TestMCPServerStops(t *testing.T) {
	t.Parallel()
	sim, at := workspace(t), newAddress(t)
	at.leadTo(serve(t, sim, "{type: memory}"))
	t.Run("on SIGTERM", func(t *testing.T) {
		t.Parallel()
		agent := startTool(t, "--url", at.URL, "--to", "slack:C0000001")
		agent.send(askDatabase)
		agent.waits()
		if code := agent.end(syscall.SIGTERM); code != exitOK {
			t.Errorf("exit code %d", code)
		}
	})
	t.Run("at the end of input", func(t *testing.T) {
		t.Parallel()
		agent := startTool(t, "--url", at.URL, "--to", "slack:C0000001")
		agent.send(strings.Replace(askDatabase, "toolu_01", "toolu_02", 1))
		agent.waits()
		agent.in.Close()
		for range agent.results {
		}
		if err := agent.cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestParseTargets(t *testing.T) {
	t.Parallel()
	got, err := parsePlaces([]string{"slack:C0000001", "slack:C0000001/1700000000.000100", "slack:U0000001", "discord:@1000000001"})
	want := []ask.Place{
		{Platform: "slack", Channel: "C0000001"},
		{Platform: "slack", Channel: "C0000001", Thread: "1700000000.000100"},
		{Platform: "slack", User: "U0000001"},
		{Platform: "discord", User: "1000000001"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, wrong := range []string{"", "slack", "slack:", ":C1", "slack:@"} {
		if got, err := parsePlaces([]string{wrong}); err == nil {
			t.Errorf("%q parses to %v", wrong, got)
		}
	}
}
