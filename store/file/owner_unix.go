//go:build unix

package file

import (
	"fmt"
	"os"
	"syscall"
)

// keepOwner gives a file the owner, the group and the mode of another one.
func keepOwner(path string, like os.FileInfo) error {
	if of, ok := like.Sys().(*syscall.Stat_t); ok {
		if err := os.Chown(path, int(of.Uid), int(of.Gid)); err != nil {
			return fmt.Errorf("a copy cannot be given to the owner of the file: %w", err)
		}
	}
	// Afterwards, since a change of the owner takes bits of the mode away.
	return os.Chmod(path, like.Mode().Perm())
}
