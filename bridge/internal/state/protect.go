package state

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// panicError is a panic that was caught where it could have ended the process.
type PanicError struct{ value any }

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// protect turns a panic of f into an error, and logs it with its stack.
func Protect(log *slog.Logger, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = &PanicError{p}
		}
	}()
	return f()
}
