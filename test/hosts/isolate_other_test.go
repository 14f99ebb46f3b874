//go:build hosts && !linux

package hosts

import "os/exec"

// endsWithTests does nothing: only Linux ends a child with its parent.
func endsWithTests(*exec.Cmd) {}

// inGroup does nothing, and endGroup kills the program alone.
func inGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// leftProcesses finds nothing: only Linux lets a process adopt the orphans of its children.
func leftProcesses() []string { return nil }

// isolated isolates nothing: only Linux has network namespaces.
func isolated() (code int, ok bool, err error) { return 0, false, nil }
