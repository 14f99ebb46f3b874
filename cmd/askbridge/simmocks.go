package main

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/render/testdata/cases"
)

// The addresses of the doubles: the same each time, so that what was written down goes on working.
const (
	mockSlackAt   = "127.0.0.1:7361"
	mockDiscordAt = "127.0.0.1:7362"
)

// mocks are strict doubles without a bridge, for bots in any language.
type mocks struct {
	slackAt, discordAt   string // where the platforms listen
	slackURL, discordURL string // where interactions are posted; "" sends them over the bot's own connection
	failOnViolation      bool
	command              []string // what runs beside them
}

// flags are those that say something about the doubles alone.
func (m *mocks) flags(cmd *cobra.Command, on *bool) {
	flags := cmd.Flags()
	flags.BoolVar(on, "mocks", false, "no bridge: a strict Slack and Discord for bots of your own, with a control API; what stands behind -- runs beside them")
	flags.StringVar(&m.slackAt, "slack-addr", mockSlackAt, "with --mocks: Slack listens on this loopback `address`")
	flags.StringVar(&m.discordAt, "discord-addr", mockDiscordAt, "with --mocks: Discord listens on this loopback `address`")
	flags.StringVar(&m.slackURL, "slack-request-url", "", "with --mocks: post what people do to this `URL`, and not over Socket Mode")
	flags.StringVar(&m.discordURL, "discord-interactions-url", "", "with --mocks: post what people do to this `URL`, and not over the gateway")
	flags.BoolVar(&m.failOnViolation, "fail-on-violation", false, "with --mocks: end with 1 where a rule of the platforms was broken")
	for _, other := range []string{"no-agent", "scene", "answer", "once", "listen", "as"} {
		cmd.MarkFlagsMutuallyExclusive("mocks", other)
	}
}

// arguments takes words behind -- with --mocks, and none else.
func (m *mocks) arguments(cmd *cobra.Command, args []string) error {
	on, err := cmd.Flags().GetBool("mocks")
	if err != nil {
		return err
	}
	if on && cmd.ArgsLenAtDash() == 0 {
		m.command = args
		return nil
	}
	if !on {
		for _, name := range []string{"slack-addr", "discord-addr", "slack-request-url", "discord-interactions-url", "fail-on-violation"} {
			if cmd.Flags().Changed(name) {
				return usage(fmt.Errorf("--%s goes with --mocks", name))
			}
		}
	}
	return noArguments(cmd, args)
}

// run starts the doubles and ends when ctx does, or with the command.
func (m *mocks) run(ctx context.Context, out, errs io.Writer, o worldOptions) error {
	w := &fixture{broke: make(chan error, 2)}
	pages, stop := context.WithCancel(context.Background())
	w.stop = stop
	defer w.close()
	chats, err := m.start(ctx, w, o.platform)
	if err != nil {
		return err
	}
	pageAt, err := listenLoopback(ctx, "--addr", cmp.Or(o.addr, simPage), simPage)
	if err != nil {
		return err
	}
	w.link = "http://" + pageAt.Addr().String() + "/"
	connect := m.connect(w)
	opts := &page.Options{Title: "askbridge mocks", Connect: connect, Cases: cases.Files}
	if o.gallery != "" {
		opts.Cases = os.DirFS(o.gallery)
	}
	w.serve(pages, pageAt, page.Handler(opts, chats...))
	if len(m.command) > 0 {
		err = m.beside(ctx, connect.Variables, out, errs)
	} else {
		tellMocks(out, w, connect)
		select {
		case <-ctx.Done():
		case err = <-w.broke:
		}
	}
	return errors.Join(err, m.verdict(errs, w))
}

// start starts the platforms.
func (m *mocks) start(ctx context.Context, w *fixture, platform string) ([]page.Chat, error) {
	var chats []page.Chat
	if platform != onDiscord {
		at, err := freeAddress(ctx, "--slack-addr", m.slackAt, mockSlackAt)
		if err != nil {
			return nil, err
		}
		w.slack = slacksim.New(&slacksim.Options{TeamName: "Acme", BotName: "mybot", RequestURL: m.slackURL})
		if _, err := w.slack.Listen(at); err != nil {
			return nil, err
		}
		chats = append(chats, page.Slack(w.slack))
	}
	if platform != onSlack {
		at, err := freeAddress(ctx, "--discord-addr", m.discordAt, mockDiscordAt)
		if err != nil {
			return nil, err
		}
		seed := sha256.Sum256([]byte("askbridge sim --mocks"))
		w.discord = discordsim.New(&discordsim.Options{
			GuildName: "Acme", BotName: "mybot", InteractionsURL: m.discordURL, MentionsUnsaid: true,
			PrivateKey: ed25519.NewKeyFromSeed(seed[:]), // No secret: it signs for a bot on this machine.
		})
		if _, err := w.discord.Listen(at); err != nil {
			return nil, err
		}
		chats = append(chats, page.Discord(w.discord))
	}
	return chats, nil
}

// freeAddress is an address of this machine alone on which nobody listens yet.
func freeAddress(ctx context.Context, flag, addr, usual string) (string, error) {
	ln, err := listenLoopback(ctx, flag, addr, usual)
	if err != nil {
		return "", err
	}
	at := ln.Addr().String()
	return at, ln.Close()
}

// beside runs the command with the doubles in its environment.
func (m *mocks) beside(ctx context.Context, variables map[string]string, out, errs io.Writer) error {
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
		return &exit{code: ended.ExitCode()} // The command has said why.
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.command[0], err)
	}
	return nil
}

// verdict tells the broken rules, and is an error where they are to be one.
func (m *mocks) verdict(out io.Writer, w *fixture) error {
	broken := 0
	for _, brand := range slices.Sorted(maps.Keys(w.broken())) {
		for _, v := range w.broken()[brand] {
			broken++
			fmt.Fprintf(out, "A rule of %s was broken: %s\n", brand, v)
		}
	}
	if broken > 0 && m.failOnViolation {
		return fmt.Errorf("%d rules of the platforms were broken", broken)
	}
	return nil
}

// tellMocks says where everything is and what works as it stands.
func tellMocks(out io.Writer, w *fixture, c *page.Connect) {
	names := []string{}
	for brand := range w.broken() {
		names = append(names, "a strict "+brand)
	}
	slices.Sort(names)
	fmt.Fprintf(out, "%s%s are running on this machine, for a bot of your own.\n\n", "A", strings.Join(names, " and ")[1:])
	fmt.Fprintf(out, "  Page         %s\n  Control API  %sapi/openapi.json\n", w.link, w.link)
	if w.slack != nil {
		fmt.Fprintf(out, "  Slack        %s\n", w.slack.APIURL())
	}
	if w.discord != nil {
		fmt.Fprintf(out, "  Discord      %s\n", w.discord.APIURL())
	}
	for _, f := range c.Files {
		fmt.Fprintf(out, "\n# %s: %s\n\n%s", f.Name, f.About, f.Text)
	}
	fmt.Fprint(out, "\nWaiting for bots. Ctrl-C ends this.\n")
}
