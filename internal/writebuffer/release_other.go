//go:build !linux

package writebuffer

func release(uintptr) bool { return false }
