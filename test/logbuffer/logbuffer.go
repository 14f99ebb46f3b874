// Package logbuffer captures the output of a program for a test that reads it while the program runs.
package logbuffer

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// Buffer is a text that is safe for concurrent reads and writes. The zero value is empty.
type Buffer struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // Closed at the next write, if a reader waits.
}

// Write appends to the text. It never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
	return b.text.Write(p)
}

// Await waits until the output contains text. If the context ends first, it returns an error with the output so
// far.
func (b *Buffer) Await(ctx context.Context, text string) error {
	for {
		b.mu.Lock()
		found := strings.Contains(b.text.String(), text)
		if b.changed == nil {
			b.changed = make(chan struct{})
		}
		changed := b.changed
		b.mu.Unlock()
		if found {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waited for %q in %q: %w", text, b, ctx.Err())
		}
	}
}

// String returns what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Logger returns a logger for all levels, in slog's text format.
func (b *Buffer) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
