package state

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// PanicError is a recovered panic.
type PanicError struct{ value any }

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// Protect calls f, converts a panic into an error and logs it with its stack.
func Protect(log *slog.Logger, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = &PanicError{p}
		}
	}()
	return f()
}
