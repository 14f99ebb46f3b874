//go:build unix

package file

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// An administrator compacts the file as root, and the service must still be able to open it.
func TestCompactByRootKeepsOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	filled(t, path, 3)
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 4711, 4712 // Only root may change owners.
	}
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Compact(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	of, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(of.Uid) != uid || int(of.Gid) != gid || info.Mode().Perm() != 0o640 {
		t.Errorf("owner is %d:%d with %v, want %d:%d with 0640", of.Uid, of.Gid, info.Mode(), uid, gid)
	}
}
