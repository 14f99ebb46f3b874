package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a running program.
type process struct {
	cmd     *exec.Cmd
	exited  chan struct{}
	address chan string

	mu   sync.Mutex
	last []string // The last lines of its output.
}

// start runs a program, with Node if it is a script, and sends the address from its output on address.
func start(ctx context.Context, env []string, name string, args ...string) (*process, error) {
	if filepath.Ext(name) == script {
		name, args, env = "node", append([]string{name}, args...), append(env, "NODE_ENV=production")
	}
	p := &process{exited: make(chan struct{}), address: make(chan string, 1)}
	p.cmd = exec.CommandContext(ctx, name, args...)
	p.cmd.Env = append(os.Environ(), env...)
	out, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("bench: start %s: %w", filepath.Base(name), err)
	}
	go func() {
		defer close(p.exited)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.hear(lines.Bytes())
		}
		_ = p.cmd.Wait() // The exit status is in cmd.ProcessState.
	}()
	return p, nil
}

func (p *process) hear(line []byte) {
	if bytes.Contains(line, []byte(`"listen":`)) {
		var entry struct{ Listen string }
		if json.Unmarshal(line, &entry) == nil && entry.Listen != "" {
			select {
			case p.address <- entry.Listen:
			default: // Only the first address counts.
			}
		}
	}
	if bytes.Contains(line, []byte(`"INFO"`)) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last = append(p.last, string(line)); len(p.last) > 20 {
		p.last = p.last[1:]
	}
}

// stderr returns the last lines of output, without the usual ones.
func (p *process) stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.last, "\n")
}

// listening waits for the program's address.
func (p *process) listening(ctx context.Context) (string, error) {
	select {
	case a := <-p.address:
		return a, nil
	case <-p.exited:
		return "", fmt.Errorf("bench: %s ended:\n%s", p.cmd.Path, p.stderr())
	case <-time.After(20 * time.Second):
		return "", fmt.Errorf("bench: %s does not listen:\n%s", p.cmd.Path, p.stderr())
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // It may have ended already.
	<-p.exited
}

// stop lets the program shut down, and kills it after a timeout.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // It may have ended already.
	select {
	case <-p.exited:
	case <-time.After(3 * time.Second):
		p.kill()
	}
}

// tick is the unit of the times in /proc: USER_HZ is 100 on every Linux.
const tick = 10 * time.Millisecond

// cpu returns the processor time used so far.
func (p *process) cpu() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name in parentheses may contain anything; utime and stime are fields 14 and 15.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	var sum time.Duration
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

// rss returns the resident memory in bytes.
func (p *process) rss() (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		var kb int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kb); err == nil {
			return kb << 10, nil
		}
	}
	return 0, fmt.Errorf("bench: no VmRSS of process %d", p.cmd.Process.Pid)
}

// programs are the measured programs, built once.
type programs struct{ root, dir, unpaced, floor string }

// build compiles the programs without debugging symbols.
func build(ctx context.Context, root string) (*programs, error) {
	dir, err := os.MkdirTemp("", "askbridge-bench")
	if err != nil {
		return nil, err
	}
	p := &programs{
		root: root, dir: dir, unpaced: filepath.Join(dir, "unpaced"), floor: filepath.Join(dir, "floor"),
	}
	if err := compile(ctx, root, "-o", dir, "./test/bench/unpaced", "./test/bench/floor"); err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

// compile builds programs with the flags of a release and the given arguments of "go build".
func compile(ctx context.Context, root string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-trimpath", "-ldflags", "-s -w"}, args...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("bench: build: %w\n%s", err, out)
	}
	return nil
}

func (p *programs) remove() { _ = os.RemoveAll(p.dir) }
