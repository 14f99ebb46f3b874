//go:build unix

package file

import (
	"errors"
	"syscall"
)

// isFull reports whether a disk, a quota or a limit of the process leaves no room.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// isReadOnly reports whether a disk is mounted read-only.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
