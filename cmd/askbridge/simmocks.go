package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/chatsim/mocks"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/render/testdata/cases"
)

// alone are strict doubles without a bridge, for bots in any language.
type alone struct {
	at              mocks.Options
	failOnViolation bool
	command         []string // the command that runs with them
}

// flags are those that say something about the doubles alone.
func (m *alone) flags(cmd *cobra.Command, on *bool) {
	flags := cmd.Flags()
	flags.BoolVar(on, "mocks", false, "no bridge: a strict Slack and Discord for your own bots, with a control API; the command after -- runs with them")
	flags.StringVar(&m.at.SlackAddr, "slack-addr", mocks.SlackAt, "with --mocks: Slack listens on this loopback `address`")
	flags.StringVar(&m.at.DiscordAddr, "discord-addr", mocks.DiscordAt, "with --mocks: Discord listens on this loopback `address`")
	flags.StringVar(&m.at.SlackURL, "slack-request-url", "", "with --mocks: post what people do to this `URL`, and not over Socket Mode")
	flags.StringVar(&m.at.SlackEventsURL, "slack-events-url", "", "with --mocks: post events to this `URL`, and not over Socket Mode")
	flags.StringVar(&m.at.DiscordURL, "discord-interactions-url", "", "with --mocks: post what people do to this `URL`, and not over the gateway")
	flags.BoolVar(&m.failOnViolation, "fail-on-violation", false, "with --mocks: end with 1 where a rule of the platforms was broken")
}

// arguments takes words behind -- with --mocks, and none else.
func (m *alone) arguments(cmd *cobra.Command, args []string) error {
	on, err := cmd.Flags().GetBool("mocks")
	if err != nil {
		return err
	}
	if err := apart(cmd, "mocks", "no-agent", "scene", "answer", "once", "listen", "as"); err != nil {
		return err
	}
	if on && cmd.ArgsLenAtDash() == 0 {
		m.command = args
		return nil
	}
	if !on {
		for _, name := range []string{"slack-addr", "discord-addr", "slack-request-url", "slack-events-url", "discord-interactions-url", "fail-on-violation"} {
			if cmd.Flags().Changed(name) {
				return usage(fmt.Errorf("--%s goes with --mocks", name))
			}
		}
	}
	return noArguments(cmd, args)
}

// apart rejects a flag together with one of the others, which it excludes.
func apart(cmd *cobra.Command, flag string, others ...string) error {
	for _, other := range others {
		if cmd.Flags().Changed(flag) && cmd.Flags().Changed(other) {
			return usage(fmt.Errorf("--%s and --%s exclude each other\nSee: %s --help", flag, other, cmd.CommandPath()))
		}
	}
	return nil
}

// run starts the doubles and ends when ctx does, or with the command.
func (m *alone) run(ctx context.Context, out, errs io.Writer, o worldOptions) (err error) {
	if err := errors.Join(
		onLoopback("--slack-addr", m.at.SlackAddr, mocks.SlackAt), onLoopback("--discord-addr", m.at.DiscordAddr, mocks.DiscordAt),
		postable("--slack-request-url", m.at.SlackURL), postable("--slack-events-url", m.at.SlackEventsURL), postable("--discord-interactions-url", m.at.DiscordURL),
	); err != nil {
		return usage(err)
	}
	if o.platform != onBoth {
		m.at.Only = o.platform
	}
	pageAt, err := listenLoopback(ctx, "--addr", cmp.Or(o.addr, simPage), simPage)
	if err != nil {
		return err
	}
	doubles, err := mocks.Start(m.at)
	if err != nil {
		return errors.Join(err, pageAt.Close())
	}
	defer func() { err = errors.Join(err, doubles.Close()) }()
	w := &fixture{broke: make(chan error, 1), link: "http://" + pageAt.Addr().String() + "/"}
	pages, stop := context.WithCancel(context.Background())
	w.stop = stop
	defer w.close()
	connect := doubles.Connect(w.link)
	opts := &page.Options{Title: "askbridge mocks", Workspaces: true, Connect: connect, Cases: cases.Files}
	if o.gallery != "" {
		opts.Cases = os.DirFS(o.gallery)
	}
	w.serve(pages, pageAt, page.Handler(opts, doubles.Chats()...))
	if len(m.command) > 0 {
		err = m.runCommand(ctx, connect.Variables, out, errs)
	} else {
		printMocks(out, w.link, doubles.Places(), connect)
		select {
		case <-ctx.Done():
		case err = <-w.broke:
		}
	}
	return errors.Join(err, m.verdict(errs, doubles.Broken()))
}

// postable refuses an address to which nothing can be posted.
func postable(flag, address string) error {
	if err := page.CheckDelivery(address); err != nil {
		return fmt.Errorf("%s %w", flag, err)
	}
	return nil
}

// runCommand runs the command with the addresses of the doubles in its environment.
func (m *alone) runCommand(ctx context.Context, variables map[string]string, out, errs io.Writer) error {
	cmd := exec.CommandContext(ctx, m.command[0], m.command[1:]...) //nolint:gosec // It is what the user asks for.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out, errs
	cmd.Env = os.Environ()
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		cmd.Env = append(cmd.Env, name+"="+variables[name])
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() > 0 {
		return &exit{code: ended.ExitCode()} // The command has printed why.
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.command[0], err)
	}
	return nil
}

// verdict prints the broken rules, and returns an error if they should fail the command.
func (m *alone) verdict(out io.Writer, broken []string) error {
	for _, line := range broken {
		fmt.Fprintln(out, line)
	}
	if len(broken) > 0 && m.failOnViolation {
		return fmt.Errorf("%d rules of the platforms were broken", len(broken))
	}
	return nil
}

// printMocks prints all addresses and what works without further setup.
func printMocks(out io.Writer, link string, places []mocks.Place, c *page.Connect) {
	fmt.Fprint(out, "Strict mocks for a bot of your own are running on this machine.\n\n")
	fmt.Fprintf(out, "  %-12s %s\n  %-12s %sapi/openapi.json\n", "Page", link, "Control API", link)
	for _, p := range places {
		fmt.Fprintf(out, "  %-12s %s\n", p.Title, p.URL)
	}
	for _, f := range c.Files {
		fmt.Fprintf(out, "\n# %s: %s\n\n%s", f.Name, f.About, f.Text)
	}
	fmt.Fprint(out, "\nWaiting for bots. Ctrl-C ends this.\n")
}
