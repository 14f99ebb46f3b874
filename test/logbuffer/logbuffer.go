// Package logbuffer keeps what a program logs or prints, for a test that reads it meanwhile.
package logbuffer

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// Buffer is a text that many may write to and read at once. The zero value is empty.
type Buffer struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // It is closed at the next write, if someone waits.
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

// Await waits until the text contains another one. It returns an error with the text so far if the context ends first.
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

// Logger returns a logger of everything, in slog's text form.
func (b *Buffer) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
