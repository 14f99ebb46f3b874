package file

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// holder describes the process that has locked the file, for an error message. It is empty if the process
// is unknown, for example in another container.
func holder(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	locks, err := os.ReadFile("/proc/locks")
	if !ok || err != nil {
		return ""
	}
	// 1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF
	inode := fmt.Sprintf(":%d", stat.Ino)
	for line := range strings.Lines(string(locks)) {
		words := strings.Fields(line)
		if len(words) > 5 && words[1] == "FLOCK" && words[4] != "0" && strings.HasSuffix(words[5], inode) {
			return " (pid " + words[4] + ")"
		}
	}
	return ""
}
