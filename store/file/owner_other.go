//go:build !unix

package file

import "os"

// keepOwner does nothing on systems where the directory determines the owner.
func keepOwner(string, os.FileInfo) error { return nil }
