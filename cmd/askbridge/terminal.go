package main

import (
	"io"
	"os"

	"github.com/askbridge/askbridge/internal/visible"
)

// screen is a terminal. It prints what others wrote and does nothing else: no text
// of theirs moves the cursor, changes its own direction or hides. Whoever wants
// the bytes sends them elsewhere, or asks for JSON.
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

// terminal reports whether somebody is likely to look at w.
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
