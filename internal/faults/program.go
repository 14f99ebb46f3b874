package faults

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// built is the program, made once for all tests of a binary.
var built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// Program builds askbridge and returns the path of the binary. [Remove] takes
// it away again.
func Program(tb testing.TB) string {
	tb.Helper()
	built.once.Do(func() {
		_, here, _, _ := runtime.Caller(0)
		built.dir, built.err = os.MkdirTemp("", "askbridge-faults") //nolint:usetesting // It serves every test of the binary.
		if built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "askbridge")
		cmd := exec.CommandContext(context.WithoutCancel(tb.Context()), "go", "build", "-o", built.path, "./cmd/askbridge")
		cmd.Dir = filepath.Join(filepath.Dir(here), "..", "..")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		tb.Fatalf("build askbridge: %v", built.err)
	}
	return built.path
}

// Remove deletes what Program built. TestMain calls it in the end.
func Remove() {
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
}

// process is a program in a process of its own. It is killed when the test ends.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
}

// run starts a program; each calls see with every line that it says.
func run(tb testing.TB, cmd *exec.Cmd, see func(line []byte)) *process {
	tb.Helper()
	p := &process{cmd: cmd, exited: make(chan struct{})}
	out, err := cmd.StderrPipe()
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stdout = cmd.Stderr
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.mu.Lock()
			fmt.Fprintf(&p.log, "%s\n", lines.Bytes())
			p.mu.Unlock()
			see(lines.Bytes())
		}
		_ = cmd.Wait() // How it ended is in its state.
	}()
	tb.Cleanup(func() { p.end(syscall.SIGKILL) })
	return p
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

func (p *process) signal(s os.Signal) { _ = p.cmd.Process.Signal(s) } // It may be gone already.

// end sends a signal and waits until the process is gone.
func (p *process) end(s os.Signal) {
	p.signal(s)
	<-p.exited
}

// listening finds the address in a line of askbridge's log.
func listening(line []byte) string {
	var entry struct{ Listen string }
	if json.Unmarshal(line, &entry) != nil {
		return ""
	}
	return entry.Listen
}

// patience is how long anything in a test may take; the machine may be busy.
const patience = 40 * time.Second

// Await waits until ok, asking again and again, and fails the test when that
// takes too long. It returns how long it took.
func Await(tb testing.TB, what string, ok func() bool) time.Duration {
	tb.Helper()
	began := time.Now()
	late := time.NewTimer(patience)
	defer late.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late.C:
			tb.Fatalf("waited %s in vain for %s", patience, what)
		}
	}
	return time.Since(began)
}
