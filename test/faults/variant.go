package faults

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Edit replaces a text of a source file, which has to be there exactly once.
type Edit struct{ File, Old, Becomes string }

// Variant is the program as it is built from sources with some edits.
type Variant struct {
	Name  string
	Edits []Edit
}

// root is where the module begins.
func root() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..")
}

// Edited is what each file contains after the edits, by path in the module.
func Edited(tb testing.TB, edits []Edit) map[string]string {
	tb.Helper()
	files := map[string]string{}
	for _, e := range edits {
		if _, known := files[e.File]; !known {
			data, err := os.ReadFile(filepath.Join(root(), e.File))
			if err != nil {
				tb.Fatal(err)
			}
			files[e.File] = string(data)
		}
		if n := strings.Count(files[e.File], e.Old); n != 1 || e.Old == e.Becomes {
			tb.Fatalf("%s has this %d times, want once and another text instead:\n%s", e.File, n, e.Old)
		}
		files[e.File] = strings.Replace(files[e.File], e.Old, e.Becomes, 1)
	}
	return files
}

// Overlay writes edited files into a directory and returns what go's -overlay
// takes, so that go builds them and the tree stays as it is.
func Overlay(tb testing.TB, dir string, edits []Edit) string {
	tb.Helper()
	list := struct{ Replace map[string]string }{map[string]string{}}
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	for file, content := range Edited(tb, edits) {
		list.Replace[filepath.Join(root(), file)] = write(strings.ReplaceAll(file, "/", "_"), []byte(content))
	}
	data, err := json.Marshal(list)
	if err != nil {
		tb.Fatal(err)
	}
	return write("overlay.json", data)
}
