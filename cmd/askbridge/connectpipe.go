package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/door/connect"
)

// piping is what the commands are told that run a host's command.
type piping struct {
	connecting

	o connect.PipeOptions
}

func (p *piping) flags(cmd *cobra.Command, rejecting string) {
	cmd.Flags().BoolVar(&p.o.Both, "both", false, "ask in the client too, at once; whoever is first counts")
	p.connecting.flags(cmd, &p.o.Options, rejecting)
	p.away = connect.DefaultAway
	// The agent's own flags are not ours.
	cmd.Flags().SetInterspersed(false)
}

// run runs the host's command with a pipe in between, and ends as it does.
func (p *piping) run(cmd *cobra.Command, pipe *connect.Pipe, command []string) error {
	// A client that has gone is no reason to end at once: cards are to be closed.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	front := connect.Ends{In: cmd.InOrStdin(), Out: leaveOpen{cmd.OutOrStdout()}}
	err := pipe.Command(cmd.Context(), command, cmd.ErrOrStderr(), front)
	if cmd.Context().Err() != nil {
		return nil // It was told to end, and so it has.
	}
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() > 0 {
		return &exit{code: failed.ExitCode()}
	}
	return err
}

// leaveOpen is a writer that others close.
type leaveOpen struct{ io.Writer }

func (leaveOpen) Close() error { return nil }

// aCommand refuses a command line without the command of the agent.
func aCommand(example string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(fmt.Errorf("give the agent's command, as in: %s\nSee: %s --help", example, cmd.CommandPath()))
		}
		return nil
	}
}

func newConnectKimi() *cobra.Command {
	var p piping
	const example = "askbridge connect kimi --to slack:C0000001 -- kimi --wire"
	cmd := &cobra.Command{
		Use:   "kimi [flags] -- command [argument ...]",
		Short: "Answer Kimi CLI's questions from chat",
		Long: `kimi stands between Kimi CLI in wire mode and the client that would start it: start this in its place, with the
command behind it. Every message passes as it is, but for questions: those are asked in chat and answered from there.

What chat does not answer goes to the client as if nobody were in between: when nobody has answered in time, or the
bridge cannot be reached for two minutes. A client that takes no questions gets none; Kimi is told then that the
question was dismissed, which is all it knows for that.

It ends with Kimi and exits as it does. A question that is open then is closed in chat.

It needs a running askbridge serve.`,
		Example: "  " + example,
		Args:    aCommand(example),
		RunE: func(cmd *cobra.Command, command []string) error {
			bridge, err := p.begin(cmd, &p.o.Options)
			if err != nil {
				return err
			}
			return p.run(cmd, connect.NewKimiPipe(bridge, &p.o), command)
		},
	}
	cmd.Flags().SortFlags = false
	p.flags(cmd, "leave it to the client, or reject it as dismissed")
	return cmd
}

func newConnectCodex() *cobra.Command {
	var p piping
	const example = "askbridge connect codex --to slack:C0000001 -- codex app-server"
	cmd := &cobra.Command{
		Use:   "codex [flags] -- command [argument ...]",
		Short: "Answer Codex's questions from chat",
		Long: `codex stands between Codex's app-server and the client that would start it: start this in its place, with the
command behind it. Every message passes as it is, but for questions: those are asked in chat and answered from there.

What chat does not answer goes to the client as if nobody were in between: when nobody has answered in time, when the
question asks for a secret, or when the bridge cannot be reached for two minutes. Approvals of commands and files are
not questions, and stay with the client.

It ends with Codex and exits as it does. A question that is open then is closed in chat.

It needs a running askbridge serve.`,
		Example: "  " + example,
		Args:    aCommand(example),
		RunE: func(cmd *cobra.Command, command []string) error {
			bridge, err := p.begin(cmd, &p.o.Options)
			if err != nil {
				return err
			}
			return p.run(cmd, connect.NewCodexPipe(bridge, &p.o), command)
		},
	}
	cmd.Flags().SortFlags = false
	p.flags(cmd, "leave it to the client, or reject it with an error")
	return cmd
}
