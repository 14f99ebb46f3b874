package file

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/store/internal/fixture"
)

// openHandles counts how often this process has the file open.
func openHandles(t *testing.T, path string) (n int) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && to == path {
			n++
		}
	}
	return n
}

// A process that waits for the lock has the old file open. It must reopen the file
// if another one has replaced it.
func TestFileReplacedWhileOpeningIsReopened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "askbridge.db"), filepath.Join(dir, "other.db")
	_, want := filled(t, other, 3)
	f := openFile(t, path)
	type opening struct {
		f   *Store
		err error
	}
	opened := make(chan opening, 1)
	begun := make(chan struct{})
	go func() {
		close(begun)
		f, err := Open(path, &Options{Wait: time.Minute})
		opened <- opening{f, err}
	}()
	<-begun
	fixture.WaitFor(t, "the second one to wait for the lock", func() bool { return openHandles(t, path) > 1 })
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	second := <-opened
	if second.err != nil {
		t.Fatal(second.err)
	}
	defer second.f.Close()
	if r, err := second.f.Load(t.Context(), "a001"); err != nil || r.Version != want["a001"].Version {
		t.Errorf("version %d, %v; want the one of the new file", r.Version, err)
	}
}

// TestFileHelperHasNoRoom is the subprocess of the test below, with a file size limit of a few
// bytes. It does nothing by itself.
func TestFileHelperHasNoRoom(t *testing.T) {
	path := os.Getenv("ASKBRIDGE_TEST_NO_ROOM")
	if path == "" {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 5000, Max: 5000}); err != nil {
		t.Fatal(err)
	}
	_, err := Open(path, nil)
	fmt.Println("opened:", err)
}

func TestFirstStartOnFullDiskLeavesNoFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFileHelperHasNoRoom$")
	cmd.Env = append(os.Environ(), "ASKBRIDGE_TEST_NO_ROOM="+path)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "file too large") {
		t.Fatalf("open on a full disk: %v\n%s", err, out)
	}
	f, err := Open(path, nil)
	if err != nil {
		t.Fatalf("open with free space: %v", err)
	}
	fixture.Must(t)(f.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(path + "*"); err != nil || !slices.Equal(left, []string{path}) {
		t.Errorf("files %q, %v; want only the store", left, err)
	}
}
