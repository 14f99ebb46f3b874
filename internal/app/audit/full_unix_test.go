//go:build unix

package audit

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFileRemovesHalfLineOnFullDisk runs in a subprocess with a file size limit of 4096 bytes.
func TestFileRemovesHalfLineOnFullDisk(t *testing.T) {
	const within = "AUDIT_FULL_DISK"
	path := os.Getenv(within)
	if path == "" {
		t.Parallel()
		alone := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		alone.Env = append(os.Environ(), within+"="+filepath.Join(t.TempDir(), "trail.jsonl"))
		if out, err := alone.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
		t.Fatal(err)
	}
	first := bytes.Repeat([]byte("{}\n"), 1000)
	copied := File{path}
	if err := copied.Write(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if err := copied.Write(t.Context(), bytes.Repeat([]byte("x"), 3000)); err == nil {
		t.Error("the disk was not full")
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, first) {
		t.Errorf("%d bytes left of %d, %v", len(got), len(first), err)
	}
}
