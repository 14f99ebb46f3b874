//go:build !unix

package app

// openFiles is the maximum number of open files.
func openFiles() uint64 { return fewFiles }
