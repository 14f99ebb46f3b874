package faults

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/test/logbuffer"
)

// built caches the program and its variants for all tests of a binary.
var built struct {
	mu   sync.Mutex
	dir  string
	made map[string]*build
}

// build is a cached program.
type build struct {
	once sync.Once
	path string
	err  error
}

// Program builds askbridge, or a variant of it, and returns the path of the binary. [Remove] deletes it.
func Program(tb testing.TB, v *Variant) string {
	tb.Helper()
	name := "askbridge"
	if v != nil {
		name = v.Name
	}
	built.mu.Lock()
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "askbridge-faults") //nolint:usetesting // All tests of the binary share it.
		if err != nil {
			built.mu.Unlock()
			tb.Fatal(err)
		}
		built.dir, built.made = dir, map[string]*build{}
	}
	b := built.made[name]
	if b == nil {
		b = &build{path: filepath.Join(built.dir, name)}
		built.made[name] = b
	}
	built.mu.Unlock()
	b.once.Do(func() {
		dir, more := v.sources(tb)
		args := append([]string{"build", "-o", b.path}, more...)
		cmd := exec.CommandContext(context.WithoutCancel(tb.Context()), "go", append(args, "./cmd/askbridge")...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if b.err != nil {
		tb.Fatalf("build %s: %v", name, b.err)
	}
	return b.path
}

// Remove deletes what Program built. Call it at the end of TestMain.
func Remove() {
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
}

// process is a running program. It is killed when the test ends.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{}

	log logbuffer.Buffer
}

// run starts a program and calls see with each line of its output.
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
			fmt.Fprintf(&p.log, "%s\n", lines.Bytes())
			see(lines.Bytes())
		}
		_ = cmd.Wait() // The exit status is in cmd.ProcessState.
	}()
	tb.Cleanup(func() { p.end(syscall.SIGKILL) })
	return p
}

func (p *process) signal(s os.Signal) { _ = p.cmd.Process.Signal(s) } // It may have ended already.

// end sends a signal and waits until the process has ended.
func (p *process) end(s os.Signal) {
	p.signal(s)
	<-p.exited
}

// listening extracts the address from a log line of askbridge, and how far the clock of that process is ahead of
// this one's.
func listening(line []byte) (at string, ahead time.Duration) {
	var entry struct {
		Listen string
		Time   time.Time
	}
	if json.Unmarshal(line, &entry) != nil {
		return "", 0
	}
	return entry.Listen, time.Until(entry.Time)
}

// patience limits how long anything in a test may take; the machine may be busy.
const patience = 40 * time.Second

// Await polls until ok returns true, and fails the test after a timeout. It returns how long it took.
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
			tb.Fatalf("timeout after %s waiting for %s", patience, what)
		}
	}
	return time.Since(began)
}
