//go:build hosts && !linux

package hosts

import "os/exec"

// endsWithTests does nothing: only Linux ends a child with its parent.
func endsWithTests(*exec.Cmd) {}

// isolated isolates nothing: only Linux has network namespaces.
func isolated() (code int, ok bool, err error) { return 0, false, nil }
