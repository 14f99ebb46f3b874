package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/hosts/claude"
	"github.com/askbridge/askbridge/internal/checkout"
	"github.com/askbridge/askbridge/internal/textinput"
)

func newHook() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Run as a hook of a coding agent",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newHookClaude())
	return cmd
}

// hookFlags are the flags of the hook, which install writes into its command. The hook uses nothing else, because the settings of
// the project, which are not the user's, can change its environment (https://code.claude.com/docs/en/settings).
type hookFlags struct {
	url, tokenFile string
	places         []string
	opts           claude.Options
	onTimeout      string
}

func (f *hookFlags) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	placeFlags(flags, &f.places, &f.opts.Route)
	flags.StringArrayVar(&f.opts.Responders, "responder", nil, "a `person` who may answer, as in slack:U0000001, or a group, as in slack-group:S0000001; repeat it for more")
	flags.BoolVar(&f.opts.Anyone, "anyone", false, "let everyone who sees a card decide about permissions and plans, instead of --responder")
	flags.StringVar(&f.opts.Agent, "agent", "", "the `name` shown to people, where the token does not name the agent")
	lengthVar(flags, &f.opts.Wait, "wait", fmt.Sprintf("wait for people this `time` (default %s; with --defer %s)", claude.DefaultWait, claude.DefaultDeferWait))
	flags.BoolVar(&f.opts.Defer, "defer", false, "for headless runs (claude -p): end the run after --wait, so that it can be resumed when there is an answer")
	flags.StringVar(&f.onTimeout, "on-timeout", handBack, "the `action` without an answer in time: hand-back to the host's own picker, or deny with the reason")
	flags.StringVar(&f.opts.Beside, "beside", "", "also ask in the terminal, the first answer counts; the `folder` in which the hooks of a session find each other")
	flags.StringVar(&f.url, "url", defaultBridge, "the `address` of the running askbridge")
	flags.StringVar(&f.tokenFile, "token-file", "", "the `file` with the agent's token, readable only by you")
}

// handBack and denyLate are what --on-timeout can be.
const (
	handBack = "hand-back"
	denyLate = "deny"
)

// check reads the flags but for the token.
func (f *hookFlags) check() error {
	var err error
	if f.opts.To, err = parsePlaces(f.places); err != nil {
		return err
	}
	if f.onTimeout != handBack && f.onTimeout != denyLate {
		return fmt.Errorf("--on-timeout must be %s or %s", handBack, denyLate)
	}
	if f.opts.Anyone && len(f.opts.Responders) > 0 {
		return errors.New("give either --responder or --anyone")
	}
	if f.opts.Beside != "" && f.opts.Defer {
		return errors.New("give either --beside or --defer: a headless run has no terminal")
	}
	f.opts.Deny = f.onTimeout == denyLate
	_, err = client.New(f.url, nil)
	return err
}

func (f *hookFlags) claude() (*claude.Claude, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	token := ""
	if f.tokenFile != "" {
		var err error
		if token, err = readToken(f.tokenFile); err != nil {
			return nil, err
		}
	}
	c, err := client.New(f.url, &client.Options{Token: token, Sealed: true, Away: claude.DefaultAway})
	if err != nil {
		return nil, err
	}
	f.opts.Began = began
	f.opts.Source = checkout.Source
	f.opts.Home, _ = os.UserHomeDir() // Without it cards name folders in full.
	return claude.NewClaude(c, &f.opts), nil
}

// began is about when this program was started.
var began = time.Now()

// readToken reads a token from a file of the user's own.
func readToken(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	if open := info.Mode().Perm() & 0o077; open != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("--token-file %s: others may read or change it (%s); say: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	if data, err = textinput.UTF8(data); err != nil {
		return "", fmt.Errorf("--token-file %s: %w", path, err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("--token-file %s: it must hold one token and nothing else", path)
	}
	return token, nil
}

// unread adds to an error the environment variable that a hook no longer reads.
func (f *hookFlags) unread(err error) error {
	for _, name := range []string{"ASKBRIDGE_TOKEN", "ASKBRIDGE_URL"} {
		if err != nil && os.Getenv(name) != "" {
			return fmt.Errorf("%w\n%s is not read here, since the settings of a project can set it; install the hook again with: askbridge hook claude install", err, name)
		}
	}
	return err
}

// maxEvent is the largest event that is read, in bytes. An event that closes a card contains the tool's result, including whole
// files. The bridge has a lower limit for questions.
const maxEvent = 64 << 20

func newHookClaude() *cobra.Command {
	f := &hookFlags{}
	cmd := &cobra.Command{
		Use:   "claude",
		Short: "Answer Claude Code's questions from chat",
		Long: `claude is a command hook for Claude Code: it reads the hook's JSON from standard input, asks in chat, and prints
the decision. It answers AskUserQuestion (PreToolUse), permission prompts and plans (PermissionRequest), and the
forms of MCP servers (Elicitation). With --beside the terminal also asks and the first answer counts: the hook then
answers questions by PermissionRequest (in the mode dontAsk, which has no dialog, by PreToolUse), and closes the card
on the events that follow (PostToolUse, PostToolUseFailure, UserPromptSubmit, Stop, SubagentStop, SessionEnd).

It needs a running askbridge serve, which must prove that it knows the token in --token-file; the token itself is
not sent. Permissions and plans need a token, and --responder or --anyone. The environment is not read: a project's
settings can set it. Without an answer in time, or if the bridge is away, it makes no decision and Claude Code asks on
its own screen, which the card shows. It waits through restarts of the bridge.

Set it up with:  askbridge hook claude install --to slack:C0000001

Exit codes: 0, even without a decision; 1 with a reason, which Claude Code shows before it continues. Never 2,
which would block the call.`,
		Example: `  askbridge hook claude install --route deploys
  askbridge hook claude --to slack:C0000001 < hook.json`,
		Args: func(cmd *cobra.Command, args []string) error { return mild(noArguments(cmd, args)) },
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(cmd.Flags())
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return mild(err) })
	cmd.AddCommand(newHookInstall(), newHookUninstall(), newHookPlugin())
	return cmd
}

// run answers one hook.
func (f *hookFlags) run(cmd *cobra.Command) error {
	f.opts.Advise = func(advice []client.Remark) { printAdvice(cmd.ErrOrStderr(), advice) }
	h, err := f.claude()
	if err != nil {
		return mild(err)
	}
	input, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxEvent))
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	out, err := h.Run(cmd.Context(), input)
	if _, failed := cmd.OutOrStdout().Write(out); failed != nil {
		return fmt.Errorf("write standard output: %w", failed)
	}
	if errors.Is(err, claude.ErrTime) || cmd.Context().Err() != nil {
		return nil //nolint:nilerr // The host's own picker is all there is to say.
	}
	return f.unread(err)
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
