package writebuffer

import (
	"os"
	"syscall"
)

// release gives a page back, in the place of which there will be another full of zeros when it is touched again.
func release(page uintptr) bool {
	if os.Getpagesize() != size {
		return false
	}
	_, _, failed := syscall.Syscall(syscall.SYS_MADVISE, page, size, syscall.MADV_DONTNEED)
	return failed == 0
}
