package file

import (
	"os"
	"path/filepath"
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

// A process that waits for the lock has the old file open. It must not go on
// with that one when another has been put in its place.
func TestFileThatWasReplacedMeanwhileIsOpenedAnew(t *testing.T) {
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
		t.Errorf("version %d, %v; want what the file in place holds", r.Version, err)
	}
}
