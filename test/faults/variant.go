package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/test/need"
)

// Edit replaces a text that must occur exactly once in a source file, which is named by its path in the module or
// an absolute path.
type Edit struct{ File, Old, Becomes string }

// Variant is the program built from other sources.
type Variant struct {
	Name string
	// Edits are applied to the sources.
	Edits []Edit
	// Commit is the commit to build; empty means the working tree.
	Commit string
}

// sources returns the directory to build in, and extra arguments of go build.
func (v *Variant) sources(tb testing.TB) (dir string, args []string) {
	tb.Helper()
	switch {
	case v == nil:
		return root(), nil
	case v.Commit == "":
		return root(), []string{"-overlay", Overlay(tb, tb.TempDir(), Edited(tb, v.Edits))}
	}
	dir = tb.TempDir()
	archive := filepath.Join(dir, "sources.tar")
	for _, cmd := range []*exec.Cmd{
		exec.CommandContext(tb.Context(), need.Binary(tb, "git"), "-C", root(), "archive", "--format=tar", "-o", archive, v.Commit),
		exec.CommandContext(tb.Context(), need.Binary(tb, "tar"), "-C", dir, "-xf", archive),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			tb.Fatalf("get the sources of %s, which needs the full history of this repository: %v\n%s", v.Commit, err, out)
		}
	}
	return dir, nil
}

// root is the root of the module, found from the working directory, because test binaries may be built with
// -trimpath.
var root = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	panic(fmt.Sprintf("no go.mod found: %v", err))
})

// source returns the absolute path of a file.
func source(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(root(), file)
}

// Edited returns the contents of the edited files, by path in the module.
func Edited(tb testing.TB, edits []Edit) map[string]string {
	tb.Helper()
	files := map[string]string{}
	for _, e := range edits {
		if _, known := files[e.File]; !known {
			data, err := os.ReadFile(source(e.File))
			if err != nil {
				tb.Fatal(err)
			}
			files[e.File] = string(data)
		}
		if n := strings.Count(files[e.File], e.Old); n != 1 || e.Old == e.Becomes {
			tb.Fatalf("%s: text occurs %d times, want once and different from its replacement:\n%s", e.File, n, e.Old)
		}
		files[e.File] = strings.Replace(files[e.File], e.Old, e.Becomes, 1)
	}
	return files
}

// Overlay writes edited files into a directory and returns the file for go build -overlay, which leaves the working
// tree unchanged. The files are keyed by their paths in the module.
func Overlay(tb testing.TB, dir string, edited map[string]string) string {
	tb.Helper()
	list := struct{ Replace map[string]string }{map[string]string{}}
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	for file, content := range edited {
		list.Replace[source(file)] = write(strings.ReplaceAll(file, "/", "_"), []byte(content))
	}
	data, err := json.Marshal(list)
	if err != nil {
		tb.Fatal(err)
	}
	return write("overlay.json", data)
}
