package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/hosts/claude"
)

func newHook() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Be a hook of a coding agent's host",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newHookClaude())
	return cmd
}

// hookFlags are those of the hook, which install writes into its command.
type hookFlags struct {
	bridge    bridgeFlags
	places    []string
	opts      claude.Options
	onTimeout string
}

func (f *hookFlags) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	placeFlags(flags, &f.places, &f.opts.Route)
	flags.StringArrayVar(&f.opts.Responders, "responder", nil, "who may answer, as in slack:U0000001; repeat it for `more`")
	flags.StringVar(&f.opts.Agent, "agent", "", "the `name` shown to people, where the token does not name the agent")
	flags.DurationVar(&f.opts.Wait, "wait", 0, fmt.Sprintf("wait for people this `time` (default %s; with --defer %s)", claude.DefaultWait, claude.DefaultDeferWait))
	flags.BoolVar(&f.opts.Defer, "defer", false, "for headless runs (claude -p): end the run after --wait, so that it can be resumed when there is an answer")
	flags.StringVar(&f.onTimeout, "on-timeout", handBack, "what then: hand-back to the host's own picker, or deny with the reason")
	f.bridge.add(flags)
}

// handBack and denyLate are what --on-timeout can be.
const (
	handBack = "hand-back"
	denyLate = "deny"
)

func (f *hookFlags) claude() (*claude.Claude, error) {
	var err error
	if f.opts.To, err = parsePlaces(f.places); err != nil {
		return nil, err
	}
	if f.opts.Wait < 0 || f.onTimeout != handBack && f.onTimeout != denyLate {
		return nil, fmt.Errorf("--wait must not be negative, and --on-timeout must be %s or %s", handBack, denyLate)
	}
	f.opts.Deny = f.onTimeout == denyLate
	c, err := api.NewClient(
		cmp.Or(f.bridge.url, os.Getenv("ASKBRIDGE_URL"), defaultBridge),
		&api.ClientOptions{Token: cmp.Or(f.bridge.token, os.Getenv("ASKBRIDGE_TOKEN")), Away: claude.DefaultAway})
	if err != nil {
		return nil, err
	}
	return claude.NewClaude(c, &f.opts), nil
}

func newHookClaude() *cobra.Command {
	f := &hookFlags{}
	cmd := &cobra.Command{
		Use:   "claude",
		Short: "Answer Claude Code's questions from chat",
		Long: `claude is a command hook for Claude Code: it reads the hook's JSON on standard input, asks in chat, and prints
the decision. It answers AskUserQuestion (PreToolUse), permission prompts and plans (PermissionRequest), and the
forms of MCP servers (Elicitation).

It needs a running askbridge serve, whose address and token it takes from ASKBRIDGE_URL and ASKBRIDGE_TOKEN.
When nobody answers in time, or the bridge is away, it decides nothing and Claude Code asks on its own screen; the
card in chat then says so. Restarts of the bridge are waited out.

Set it up with:  askbridge hook claude install --to slack:C0000001

Exit codes: 0, also where nothing was decided; 1 with the reason, which Claude Code shows and goes on. Never 2,
which would block it.`,
		Example: `  askbridge hook claude install --route deploys
  askbridge hook claude --to slack:C0000001 < hook.json`,
		Args: func(cmd *cobra.Command, args []string) error { return mild(noArguments(cmd, args)) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := f.claude()
			if err != nil {
				return mild(err)
			}
			input, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), dialect.MaxInput))
			if err != nil {
				return fmt.Errorf("read standard input: %w", err)
			}
			out, err := h.Run(cmd.Context(), input)
			if _, failed := cmd.OutOrStdout().Write(out); failed != nil {
				return fmt.Errorf("write standard output: %w", failed)
			}
			if errors.Is(err, claude.ErrTime) || cmd.Context().Err() != nil {
				err = nil // The host's own picker is all there is to say.
			}
			return err
		},
	}
	f.add(cmd.Flags())
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return mild(err) })
	cmd.AddCommand(newHookInstall(), newHookUninstall())
	return cmd
}

// mild is an error that does not block the host: exit code 2 would.
func mild(err error) error {
	if err == nil {
		return nil
	}
	return &exit{exitFailed, err}
}

// installedWait is how long an installed hook waits.
func (f *hookFlags) installedWait() time.Duration {
	switch {
	case f.opts.Wait > 0:
		return f.opts.Wait
	case f.opts.Defer:
		return claude.DefaultDeferWait
	}
	return claude.DefaultWait
}
