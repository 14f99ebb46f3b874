//go:build unix

package file

import (
	"fmt"
	"os"
	"syscall"
)

// keepOwner copies owner, group and mode of another file.
func keepOwner(path string, like os.FileInfo) error {
	if of, ok := like.Sys().(*syscall.Stat_t); ok {
		if err := os.Chown(path, int(of.Uid), int(of.Gid)); err != nil {
			return fmt.Errorf("set owner of the copy: %w", err)
		}
	}
	// Afterwards, since changing the owner clears bits of the mode.
	return os.Chmod(path, like.Mode().Perm())
}
