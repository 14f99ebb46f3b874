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

	"github.com/askbridge/askbridge/hosts/connect"
	"github.com/askbridge/askbridge/internal/checkout"
)

// piping are the flags of the commands that run a host's command.
type piping struct {
	connecting

	o connect.PipeOptions
}

func (p *piping) flags(cmd *cobra.Command, rejecting string) {
	cmd.Flags().BoolVar(&p.o.Both, "both", false, "also ask in the client; the first answer counts")
	p.connecting.flags(cmd, &p.o.Options, rejecting)
	p.o.Source = checkout.Source // The command runs on this machine.
	p.away = connect.DefaultAway
	// The agent's own flags are not ours.
	cmd.Flags().SetInterspersed(false)
}

// run runs the host's command with a pipe in between, and ends as it does.
func (p *piping) run(cmd *cobra.Command, pipe *connect.Pipe, command []string) error {
	// If the client is gone, the cards still have to be closed.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	front := connect.Ends{In: cmd.InOrStdin(), Out: leaveOpen{cmd.OutOrStdout()}}
	err := pipe.Command(cmd.Context(), command, cmd.ErrOrStderr(), front)
	if cmd.Context().Err() != nil {
		return nil // It ended as requested.
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

func newConnectACP() *cobra.Command {
	var p piping
	var o connect.ACPOptions
	const example = "askbridge connect acp --to slack:C0000001 --responder slack:U0000001 -- gemini --acp"
	cmd := &cobra.Command{
		Use:   "acp [flags] -- command [argument ...]",
		Short: "Answer the questions and permission prompts of an ACP agent from chat",
		Long: `acp connects an editor with an agent that speaks the Agent Client Protocol, such as Gemini CLI, Qwen Code, Kimi Code,
OpenCode, and the adapters of Claude Code and Codex. Configure it in the editor as the agent's command, followed by
the real command. Every message passes unchanged, except for questions and permission prompts: they are answered in chat.

The editor asks if chat has no answer in time or the bridge is away for two minutes. With --both
chat and editor ask at the same time, and the first answer counts.

Permission prompts need a token, and the people who may decide. --questions-only leaves them to the editor.

It ends with the agent and returns its exit code. Open questions are then closed in chat.

It needs a running askbridge serve.`,
		Example: "  " + example + `
  askbridge connect acp --to slack:C0000001 --questions-only -- kimi acp`,
		Args: aCommand(example),
		RunE: func(cmd *cobra.Command, command []string) error {
			p.sealed = !o.QuestionsOnly
			bridge, err := p.begin(cmd, &p.o.Options)
			if err != nil {
				return err
			}
			o.PipeOptions = p.o
			pipe, err := connect.NewACPPipe(bridge, &o)
			switch {
			case errors.Is(err, connect.ErrWhoever):
				return usage(errors.New("give --responder or --anyone to say who may decide about permissions, or --questions-only to leave them to the editor"))
			case err != nil:
				return usage(err)
			}
			return p.run(cmd, pipe, command)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&o.QuestionsOnly, "questions-only", false, "leave permission prompts to the editor")
	cmd.Flags().BoolVar(&o.Anyone, "anyone", false, "let everyone who sees a card decide about permissions")
	p.flags(cmd, "leave it to the editor, or reject it")
	return cmd
}

func newConnectCodex() *cobra.Command {
	var p piping
	var socket connect.CodexOptions
	var address, tokenName string
	const example = "askbridge connect codex --to slack:C0000001 -- codex app-server"
	cmd := &cobra.Command{
		Use:   "codex [flags] [-- command [argument ...]]",
		Short: "Answer Codex's questions from chat",
		Long: `codex answers what Codex's app-server asks, in one of two ways.

With --url it joins an app-server that listens on a WebSocket, as a second client next to your terminal. It joins every
thread, and the first answer counts. It runs until it is interrupted, and survives restarts of Codex and of the bridge
without asking anything twice. Codex calls its WebSockets experimental.

With a command it runs between an app-server on standard input and output and its client: configure the client to start
this command instead. Every message passes unchanged, except for questions. The client asks a question itself if chat
has no answer within --wait, or the bridge is away for two minutes. It ends with
Codex and returns its exit code; open questions are then closed in chat.

Outside plan mode Codex asks questions only with this in config.toml:

  [features]
  default_mode_request_user_input = true

Approvals of commands and files, and questions that ask for a secret, stay with the client.

It needs a running askbridge serve.`,
		Example: `  codex app-server --listen ws://127.0.0.1:4500 & codex --remote ws://127.0.0.1:4500
  askbridge connect codex --to slack:C0000001 --url ws://127.0.0.1:4500

  ` + example,
		Args: func(cmd *cobra.Command, args []string) error {
			if (address != "") == (len(args) > 0) {
				return usage(fmt.Errorf("give either --url or the agent's command, as in: %s\nSee: %s --help", example, cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, command []string) error {
			if address != "" {
				p.away = 0 // Codex's own client has the question.
			}
			bridge, err := p.begin(cmd, &p.o.Options)
			if err != nil {
				return err
			}
			if address == "" {
				return p.run(cmd, connect.NewCodexPipe(bridge, &p.o), command)
			}
			socket.Options = p.o.Options
			if tokenName != "" {
				socket.Token = os.Getenv(tokenName)
			}
			client, err := connect.NewCodex(bridge, address, &socket)
			if err != nil {
				return usage(err)
			}
			client.Run(cmd.Context())
			return nil
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&address, "url", "", "the `address` of an app-server that listens, ws://host:port or unix:///path")
	cmd.Flags().StringVar(&tokenName, "remote-auth-token-env", "", "the `variable` of the environment that holds the app-server's token, as in codex --remote")
	p.flags(cmd, "leave it to Codex's own client, or reject it with an error")
	return cmd
}
