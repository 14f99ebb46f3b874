//go:build mutants

package mutants

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// caches holds the go command's build cache for mutants. What is compiled for one is useless to the others, and all
// of it together is tens of gigabytes, enough to fill a disk if it went into the shared cache, which keeps entries
// for days.
const caches = root + "/.tools/mutants"

// whole is the cache of the unchanged program, a copy of which mutants start with.
var whole = sync.OnceValues(func() (string, error) {
	dir, err := filepath.Abs(filepath.Join(caches, "whole"))
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "list", "-export", "-test", "-deps", "-f", "{{with .Error}}{{.}}{{end}}", unoptimized, stripped, "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOCACHE="+dir)
	cmd.Stderr = os.Stderr
	return dir, cmd.Run()
})

// cache returns a copy of the whole program's cache for one mutant. It is removed with the mutant.
func cache(t *testing.T) string {
	t.Helper()
	from, err := whole()
	if err != nil {
		t.Fatalf("build the program as it is: %v", err)
	}
	to := filepath.Join(filepath.Dir(from), strings.ReplaceAll(t.Name(), "/", "_"))
	remove := func() {
		if err := os.RemoveAll(to); err != nil {
			t.Error(err)
		}
	}
	remove() // Left by a killed run.
	t.Cleanup(remove)
	err = filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		return os.Link(path, filepath.Join(to, name))
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}
