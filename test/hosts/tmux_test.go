//go:build hosts

package hosts

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/askbridge/askbridge/test/need"
)

// terminal is a tmux session with one host in it.
type terminal struct {
	*world

	socket string
	// pid is the host's process.
	pid int
}

// terminal starts a command in a terminal of its own.
func (w *world) terminal(env []string, name string, args ...string) *terminal {
	w.Helper()
	need.Binary(w, "tmux")
	t := &terminal{world: w, socket: filepath.Join(w.home, "tmux")}
	t.serve()
	line := []string{"new-session", "-d", "-x", "160", "-y", "50", "-c", w.work, "--", "env", "-i"}
	line = append(append(line, env...), w.program(name))
	t.tmux(append(line, args...)...)
	if _, err := fmt.Sscan(t.tmux("display-message", "-p", "#{pane_pid}"), &t.pid); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("the terminal shows:\n%s", t.screen())
		}
		t.close()
	})
	return t
}

// serve starts the server of the terminal as a child, so that it ends with the test process, even a killed one.
func (t *terminal) serve() {
	t.Helper()
	server := exec.Command("tmux", "-S", t.socket, "-f", "/dev/null", "-D")
	endsWithTests(server)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill() // It has ended if the session has.
		_ = server.Wait()
	})
	t.until("tmux listens", func() bool {
		_, err := os.Stat(t.socket)
		return err == nil
	})
}

func (t *terminal) tmux(args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.ctx, "tmux", append([]string{"-S", t.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

// screen is what the terminal shows; empty once it is closed.
func (t *terminal) screen() string {
	out, _ := exec.Command("tmux", "-S", t.socket, "capture-pane", "-p").Output()
	return string(out)
}

// close closes the window, as a person does, and waits until the host has ended.
func (t *terminal) close() {
	_ = exec.Command("tmux", "-S", t.socket, "kill-server").Run() // It has ended if the host has.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), 10*time.Second)
	defer cancel()
	until(ctx, func() bool { return syscall.Kill(t.pid, 0) != nil })
}

// shows waits until the terminal shows all of these texts.
func (t *terminal) shows(texts ...string) {
	t.Helper()
	t.until("the terminal shows "+strings.Join(texts, ", "), func() bool {
		screen := t.screen()
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// keys types keys, by the names that tmux gives them.
func (t *terminal) keys(keys ...string) {
	t.Helper()
	t.tmux(append([]string{"send-keys"}, keys...)...)
}

// accepts presses Enter while the terminal shows a question. A busy host shows it before it takes keys.
func (t *terminal) accepts(question string) {
	t.Helper()
	t.shows(question)
	t.until("the terminal accepts "+question, func() bool {
		t.keys("Enter")
		ctx, cancel := context.WithTimeout(t.ctx, 3*time.Second)
		defer cancel()
		return until(ctx, func() bool { return !strings.Contains(t.screen(), question) })
	})
}

// until waits for a condition that nothing signals.
func (w *world) until(what string, ok func() bool) {
	w.Helper()
	if !until(w.ctx, ok) {
		w.Fatalf("waited in vain: %s", what)
	}
}

// until waits for a condition, and reports whether it was met in time.
func until(ctx context.Context, ok func() bool) bool {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}
