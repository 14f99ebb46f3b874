package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// acpMain and codexMain are doubles of agents for one question: they ask at once, print the result, and exit at the end of
// their input. The strict doubles are in hosts/connect.
func acpMain() {
	agentMain(`{"jsonrpc":"2.0","method":"elicitation/create","id":0,"params":{"sessionId":"s1","toolCallId":"call_1","mode":"form","message":"Which queue?",`+
		`"requestedSchema":{"type":"object","properties":{"q0":{"type":"string","title":"Queue","oneOf":[{"const":"r","title":"Redis"},{"const":"p","title":"In-process"}]}}}}}`,
		"--acp", 0)
}

func codexMain() {
	agentMain(`{"method":"item/tool/requestUserInput","id":7,"params":{"threadId":"thr_1","turnId":"turn_1","itemId":"call_1","questions":[`+
		`{"id":"queue","question":"Which queue?","header":"Queue","options":[{"label":"Redis","description":"There"},{"label":"In-process","description":"New"}]}]}}`,
		"app-server", 3)
}

func agentMain(question, argument string, code int) {
	if len(os.Args) != 2 || os.Args[1] != argument {
		fmt.Fprintf(os.Stderr, "started as %q\n", os.Args)
		os.Exit(64)
	}
	fmt.Println(question)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		got, err := json.Marshal(lines.Text())
		if err != nil {
			got = []byte("null")
		}
		fmt.Printf("{\"method\":\"got\",\"params\":%s}\n", got)
	}
	os.Exit(code)
}

// agent returns the command of a double.
func agent(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// front is a client with the pipe that it started.
type front struct {
	*testing.T

	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr strings.Builder
}

func piped(t *testing.T, args ...string) *front {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &front{T: t, cmd: exec.CommandContext(bounded(t), self, args...)}
	c.cmd.Args[0] = "askbridge" // With this name the test binary runs the program, see TestMain.
	c.cmd.Stderr = &c.stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewScanner(out)
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *front) sends(line string) {
	c.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.Fatal(err)
	}
}

func (c *front) receives(want string) {
	c.Helper()
	if !c.out.Scan() || c.out.Text() != want {
		c.Fatalf("client received %s, %v\nwant %s\n%s", c.out.Text(), c.out.Err(), want, &c.stderr)
	}
}

// ends closes the client's side and waits for the pipe.
func (c *front) ends(code int) {
	c.Helper()
	c.in.Close()
	for c.out.Scan() {
		c.Errorf("client received %s", c.out.Text())
	}
	_ = c.cmd.Wait() // ProcessState has the result.
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		c.Errorf("exit code %d, want %d\n%s", got, code, &c.stderr)
	}
}

func TestConnectPipe(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		argument, answer string
		code             int
	}{
		"acp":   {"--acp", `{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{"q0":"p"}}}`, 0},
		"codex": {"app-server", `{"id":7,"result":{"answers":{"queue":{"answers":["In-process"]}}}}`, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, o := bounded(t), openOffice(t)
			args := []string{"connect", name, "--bridge", o.address, "--to", "slack:C0000001"}
			if name == "acp" {
				args = append(args, "--questions-only")
			}
			c := piped(t, append(args, "--", agent(t, name), tt.argument)...)
			c.sends(`{"method":"initialized"}`)
			c.receives(`{"method":"got","params":"{\"method\":\"initialized\"}"}`)
			o.presses(ctx, "In-process")
			quoted, err := json.Marshal(tt.answer)
			if err != nil {
				t.Fatal(err)
			}
			c.receives(`{"method":"got","params":` + string(quoted) + `}`)
			c.ends(tt.code)
		})
	}
}

func TestConnectPipeWithdrawsWhenAgentExits(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(c *front){
		"its client has gone": func(c *front) { c.ends(exitOK) },
		"it gets a signal": func(c *front) {
			_ = c.cmd.Process.Signal(syscall.SIGTERM)
			for c.out.Scan() {
				c.Errorf("client received %s", c.out.Text())
			}
			_ = c.cmd.Wait() // ProcessState has the result.
			if got := c.cmd.ProcessState.ExitCode(); got != exitOK {
				c.Errorf("exit code %d\n%s", got, &c.stderr)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, o := bounded(t), openOffice(t)
			c := piped(t, "connect", "acp", "--questions-only", "--bridge", o.address, "--to", "slack:C0000001", agent(t, "acp"), "--acp")
			o.sees(ctx, "[Redis]")
			end(c)
			o.sees(ctx, "the agent has ended")
		})
	}
}

// Commands of an agent inherit its environment.
func TestConnectPipeHidesToken(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{T: t, cmd: exec.CommandContext(bounded(t), self, "connect", "acp", "--questions-only", "--", "env")}
	p.cmd.Args[0] = "askbridge"
	p.cmd.Env = append(os.Environ(), "ASKBRIDGE_TOKEN="+token, "ASKBRIDGE_URL=http://127.0.0.1:1", "OTHER=stays")
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if err := p.cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &p.stderr)
	}
	if out := p.stdout.String(); strings.Contains(out, "ASKBRIDGE_") || strings.Contains(out, token) || !strings.Contains(out, "OTHER=stays") {
		t.Errorf("agent environment has %s", out)
	}
}

func TestConnectPipeNeedsCommand(t *testing.T) {
	t.Parallel()
	start(t, "", "connect", "acp").ends(exitUsage, "", "askbridge connect acp --to slack:C0000001 --responder slack:U0000001 -- gemini --acp")
	start(t, "", "connect", "acp", "--", "gemini").ends(exitUsage, "", "give --responder or --anyone")
	start(t, "", "connect", "codex").ends(exitUsage, "", "give either --url or the agent's command")
	start(t, "", "connect", "codex", "--url=ws://127.0.0.1:1", "--", "codex").ends(exitUsage, "", "give either --url or the agent's command")
	start(t, "", "connect", "codex", "--url=here").ends(exitUsage, "", "give Codex's address")
	start(t, "", "connect", "codex", "--on-timeout=guess", "--", "codex").ends(exitUsage, "", "must be leave or reject")
	start(t, "", "connect", "codex", "--", "/nowhere/codex").ends(exitFailed, "", "start the agent")
}
