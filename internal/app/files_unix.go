//go:build unix

package app

import "syscall"

// openFiles is the maximum number of open files. Go raises the soft limit to the hard one at the start
// (https://pkg.go.dev/os).
func openFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fewFiles
	}
	return uint64(limit.Cur) //nolint:unconvert // It is signed on some systems.
}
