//go:build hosts

package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// endsWithTests has a child end with the test process, even if that is killed.
func endsWithTests(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// inGroup makes a program the leader of a process group, so that endGroup ends its children, too.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return endGroup(cmd) }
}

// endGroup kills a program that inGroup has prepared, with its children. It may have ended.
func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// prSetChildSubreaper makes a process the parent of its orphaned descendants.
// https://man7.org/linux/man-pages/man2/PR_SET_CHILD_SUBREAPER.2const.html
const prSetChildSubreaper = 36

// adoptOrphans lets leftProcesses find the descendants whose own parent has ended.
func adoptOrphans() error {
	if _, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); failed != 0 {
		return fmt.Errorf("adopt orphans: %w", failed)
	}
	return nil
}

// leftProcesses returns the command lines of the children of this process. It waits a while for those that are ending.
func leftProcesses() (left []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	until(ctx, func() bool {
		left = nil
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
		stats, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, name := range stats {
			stat, err := os.ReadFile(name)
			if err != nil {
				continue // It has ended.
			}
			var parent int
			_, fields, _ := strings.Cut(string(stat), ") ") // The name before it can contain spaces.
			if _, err := fmt.Sscanf(fields, "%1s %d", new(string), &parent); err != nil || parent != os.Getpid() {
				continue
			}
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
			left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
		}
		return left == nil
	})
	return left
}

// isolated runs this program again in a network namespace that has only loopback, and returns its exit code. In that
// process it returns ok=false, once loopback is up. https://man7.org/linux/man-pages/man7/network_namespaces.7.html
func isolated() (code int, ok bool, err error) {
	if os.Getenv(isolatedVariable) != "" {
		if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
			return 0, false, fmt.Errorf("bring loopback up: %w\n%s", err, out)
		}
		return 0, false, adoptOrphans()
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
