package main

import (
	"io"
	"os"

	"github.com/askbridge/askbridge/internal/visible"
)

// screen is a terminal on which untrusted texts cannot move the cursor, change the writing direction or hide. Redirect the output,
// or use JSON, to get the bytes.
type screen struct {
	visible.Writer

	file *os.File
}

// printed returns a writer to w that is safe where it is a terminal.
func printed(w io.Writer) io.Writer {
	if !terminal(w) {
		return w
	}
	f := w.(*os.File) //nolint:forcetypeassert // A terminal is one.
	return &screen{visible.Writer{W: f}, f}
}

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	if _, ok := w.(*screen); ok {
		return true
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
