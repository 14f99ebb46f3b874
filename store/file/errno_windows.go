package file

import (
	"errors"
	"syscall"
)

// The errors of Windows for a full and a write-protected disk:
// https://learn.microsoft.com/windows/win32/debug/system-error-codes--0-499-
const (
	errorWriteProtect   = syscall.Errno(19)
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
)

// isFull reports whether a disk leaves no room.
func isFull(err error) bool {
	return errors.Is(err, errorHandleDiskFull) || errors.Is(err, errorDiskFull) || errors.Is(err, syscall.ENOSPC)
}

// isReadOnly reports whether a disk is write-protected.
func isReadOnly(err error) bool { return errors.Is(err, errorWriteProtect) }
