//go:build hosts

package hosts

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// endsWithTests has a child end with the test process, even if that is killed.
func endsWithTests(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// isolated runs this program again in a network namespace that has only loopback, and returns its exit code. In that
// process it returns ok=false, once loopback is up. https://man7.org/linux/man-pages/man7/network_namespaces.7.html
func isolated() (code int, ok bool, err error) {
	if os.Getenv(isolatedVariable) != "" {
		if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
			return 0, false, fmt.Errorf("bring loopback up: %w\n%s", err, out)
		}
		return 0, false, nil
	}
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), isolatedVariable+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	err = cmd.Run()
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		return exit.ExitCode(), true, nil
	}
	return 0, true, err
}
