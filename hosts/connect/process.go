package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// endTime is the time between asking a host to end and killing it.
const endTime = 5 * time.Second

// Command runs a host's command and passes messages between it and the front
// client until it ends, as [Pipe.Run] does. The end of ctx asks it to end. The
// error is an [*exec.ExitError] if the command failed.
func (p *Pipe) Command(ctx context.Context, command []string, stderr io.Writer, front Ends) error {
	running, end := context.WithCancel(ctx)
	defer end()
	cmd := exec.CommandContext(running, command[0], command[1:]...) //nolint:gosec // The user chooses the command.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endTime
	cmd.Stderr = stderr
	cmd.Env = withoutOurs(os.Environ())
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("connect: start the agent: %w", err)
	}
	// A script around the agent may not pass the signal on.
	stop := context.AfterFunc(running, func() { _ = in.Close() }) // Twice is fine.
	defer stop()
	broke := p.Run(ctx, Ends{In: out, Out: in}, front)
	if broke != nil {
		end()
	}
	return errors.Join(broke, cmd.Wait())
}

// withoutOurs returns an environment without our variables, such as the token: a
// command of the agent could read it, and ask or answer.
func withoutOurs(env []string) []string {
	return slices.DeleteFunc(env, func(s string) bool { return strings.HasPrefix(s, "ASKBRIDGE_") })
}
