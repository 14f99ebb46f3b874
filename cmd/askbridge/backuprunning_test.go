package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/wait"
)

// TestBackupOfRunningBridge copies the store under load, kills the bridge in the middle of it, and restores the copy.
func TestBackupOfRunningBridge(t *testing.T) {
	t.Parallel()
	ctx, sim, dir := bounded(t), workspace(t), t.TempDir()
	db, kept := filepath.Join(dir, "askbridge.db"), filepath.Join(dir, "kept.db")
	first := serve(t, sim, fmt.Sprintf("{type: file, path: %q, backup: %q}", db, kept))
	asks := func(p *process, n int) (string, error) {
		r := request()
		r.ToolCallID = fmt.Sprintf("call-%d", n)
		made, err := p.agent.Submit(ctx, r)
		if err != nil {
			return "", err
		}
		return made.ID, nil
	}
	var mu sync.Mutex
	ids := map[int]string{} // Of the requests that the bridge has accepted, by call.
	var busy sync.WaitGroup
	busy.Go(func() {
		for n := 1; ; n++ {
			id, err := asks(first, n)
			if err != nil {
				return // The bridge was killed.
			}
			mu.Lock()
			ids[n] = id
			mu.Unlock()
		}
	})
	accepted := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(ids)
	}
	before := 0
	for range 3 {
		for accepted() <= before+3 {
			if wait.For(ctx, simLook) != nil {
				t.Fatalf("the bridge accepted %d requests", accepted())
			}
		}
		before = accepted()
		p := newPrompt(t)
		if reply, _ := p.run(exitOK, "", "store", "backup", "--running", "--url", first.address); !strings.HasPrefix(reply, "The store was copied to "+kept+" (") {
			t.Errorf("backup prints %s", reply)
		}
	}
	third := start(t, "", "store", "backup", "--running", "--url", first.address)
	first.kill(syscall.SIGKILL)
	_ = third.cmd.Wait() // It may have been in time.
	busy.Wait()

	for path, least := range map[string]int{db: accepted(), kept: before} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		restored := filepath.Join(t.TempDir(), "askbridge.db")
		if err := os.WriteFile(restored, data, 0o600); err != nil {
			t.Fatal(err)
		}
		p := serve(t, sim, fmt.Sprintf("{type: file, path: %q}", restored))
		for n := 1; n <= least; n++ {
			if r, err := p.agent.Get(ctx, ids[n]); err != nil || r.State != ask.Open {
				t.Errorf("%s lacks the request %d: %v", filepath.Base(path), n, err)
			}
		}
		if id, err := asks(p, 1); err != nil || id != ids[1] {
			t.Errorf("asked again: %s, %v, want %s", id, err, ids[1])
		}
		p.kill(syscall.SIGKILL) // It still posts cards.
	}
}

func TestBackupOfRunningBridgeNeedsPlace(t *testing.T) {
	t.Parallel()
	p := serve(t, workspace(t), "{type: memory}")
	q := newPrompt(t)
	if _, stderr := q.run(exitFailed, "", "store", "backup", "--running", "--url", p.address); !strings.Contains(stderr, "names no store.backup") {
		t.Errorf("backup prints %s", stderr)
	}
	if _, stderr := q.run(exitUsage, "", "store", "backup", "--running", "--to", "x"); !strings.Contains(stderr, "--running and --to exclude each other") {
		t.Errorf("backup prints %s", stderr)
	}
}
