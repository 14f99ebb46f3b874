package main

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/hosts/connect"
	"github.com/askbridge/askbridge/internal/checkout"
	"github.com/askbridge/askbridge/internal/loopback"
)

func newConnect() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "connect",
		Short: "Connect an agent host that has its own protocol",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConnectOpenCode(), newConnectCrush(), newConnectCodex(), newConnectACP())
	return cmd
}

// leavePending and rejectLate are what --on-timeout can be.
const (
	leavePending = "leave"
	rejectLate   = "reject"
)

// connecting are the flags of every command of connect.
type connecting struct {
	bridge    bridgeFlags
	places    []string
	origin    originFlags
	onTimeout string
	level     string
	// away is how long a bridge that does not answer is borne; zero means for
	// ever.
	away time.Duration
	// sealed has the bridge prove that it speaks.
	sealed bool
}

// flags adds the flags that every host has. What rejecting is for this host
// completes the help of --on-timeout.
func (c *connecting) flags(cmd *cobra.Command, o *connect.Options, rejecting string) {
	flags := cmd.Flags()
	placeFlags(flags, &c.places, &o.Route)
	c.origin.add(flags)
	flags.StringArrayVar(&o.Responders, "responder", nil, "a `person` who may answer, as in slack:U0000001, or a group, as in slack-group:S0000001; repeat it for more")
	flags.StringVar(&o.Agent, "agent", "", "the `name` shown to people, where the token does not name the agent")
	lengthVar(flags, &o.Wait, "wait", "the `time` that people have, as in 30m; without it as long as askbridge serve gives them")
	flags.StringVar(&c.onTimeout, "on-timeout", leavePending, "the `action` without an answer in time: "+rejecting)
	flags.StringVar(&c.bridge.url, "bridge", "", "the `address` of the running askbridge (default $ASKBRIDGE_URL, or "+defaultBridge+")")
	flags.StringVar(&c.bridge.token, "token", "", "the agent's `token` (default $ASKBRIDGE_TOKEN, which other people of this machine cannot see)")
	flags.StringVar(&c.level, "log-level", "info", "the `level` of the log on standard error: debug, info, warn or error")
}

// begin reads the flags and returns the client of the bridge.
func (c *connecting) begin(cmd *cobra.Command, o *connect.Options) (*client.Client, error) {
	var err error
	if o.To, err = parsePlaces(c.places); err != nil {
		return nil, usage(err)
	}
	if o.Origin, err = c.origin.read(); err != nil {
		return nil, usage(err)
	}
	if c.onTimeout != leavePending && c.onTimeout != rejectLate {
		return nil, usage(fmt.Errorf("--on-timeout must be %s or %s", leavePending, rejectLate))
	}
	o.Deny = c.onTimeout == rejectLate
	if o.Logger, err = newLogger(cmd.ErrOrStderr(), c.level, "auto"); err != nil {
		return nil, usage(err)
	}
	return c.bridge.client(cmd.ErrOrStderr(), client.Options{Away: c.away, Sealed: c.sealed})
}

// defaultOpenCode is the default address of opencode serve.
// https://opencode.ai/docs/server
const defaultOpenCode = "http://127.0.0.1:4096"

func newConnectOpenCode() *cobra.Command {
	var c connecting
	var o connect.OpenCodeOptions
	var address string
	cmd := &cobra.Command{
		Use:   "opencode",
		Short: "Answer OpenCode's questions from chat",
		Long: `opencode listens to a running OpenCode server, asks its questions in chat, and posts the answers. The first answer
counts: a question answered on OpenCode's own screen is closed in chat.

Start OpenCode with opencode --port 4096, or run opencode serve: its terminal alone listens on no port.

It runs until it is interrupted and survives restarts of OpenCode and of the bridge. If you restart it, it finds
pending questions and the answers given meanwhile. A question without an answer in time stays pending in OpenCode.

With --permissions it also asks permission prompts in chat, with Allow, Deny, and "for this session" if persist of the
agent allows it. Name the people who may decide.

It needs a running askbridge serve, and takes OPENCODE_SERVER_PASSWORD and OPENCODE_SERVER_USERNAME as OpenCode does.`,
		Example: `  askbridge connect opencode --url http://127.0.0.1:4096 --to slack:C0000001`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.sealed = o.Permissions
			bridge, err := c.begin(cmd, &o.Options)
			if err != nil {
				return err
			}
			o.Password, o.Username = os.Getenv("OPENCODE_SERVER_PASSWORD"), os.Getenv("OPENCODE_SERVER_USERNAME")
			address = cmp.Or(address, defaultOpenCode)
			if at, err := url.Parse(address); err == nil && loopback.Is(at.Host) {
				o.Source = checkout.Source
			}
			client, err := connect.NewOpenCode(bridge, address, &o)
			if err != nil {
				return usage(err)
			}
			client.Run(cmd.Context())
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&address, "url", "", "the `address` of OpenCode (default "+defaultOpenCode+")")
	flags.StringVar(&o.Directory, "directory", "", "the `folder` of the project, where the server has several")
	flags.BoolVar(&o.Permissions, "permissions", false, "ask about permissions in chat too; needs --responder or --anyone, and a token")
	flags.BoolVar(&o.Anyone, "anyone", false, "let everyone who sees a card decide about permissions")
	c.flags(cmd, &o.Options, "leave it pending in OpenCode, or reject it")
	return cmd
}

// defaultCrush returns the default address of crush server.
// https://github.com/charmbracelet/crush/blob/37f36e9/internal/server/server.go
func defaultCrush() string {
	name := "crush-" + strconv.Itoa(os.Getuid()) + ".sock"
	return "unix://" + filepath.Join(cmp.Or(os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()), name)
}

func newConnectCrush() *cobra.Command {
	var c connecting
	var o connect.CrushOptions
	var address string
	cmd := &cobra.Command{
		Use:   "crush",
		Short: "Answer Crush's questions from chat",
		Long: `crush listens to a running Crush server, asks the questions of its projects in chat, and posts the answers. The first
answer counts: a question answered on Crush's own screen is closed in chat. Dismissing a question in chat cancels it
in Crush, which ends the agent's turn.

Start Crush as crush server, or with CRUSH_CLIENT_SERVER=1 in its environment: otherwise it has no server.

It runs until it is interrupted and survives restarts of Crush and of the bridge. It sees only questions that Crush asks
while it listens: earlier ones stay on Crush's own screen, as do questions without an answer in time. Crush keeps a
project open as long as a client listens.

It needs a running askbridge serve.`,
		Example: `  askbridge connect crush --to slack:C0000001
  askbridge connect crush --url tcp://127.0.0.1:4096 --directory "$PWD" --route deploys`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			bridge, err := c.begin(cmd, &o.Options)
			if err != nil {
				return err
			}
			client, err := connect.NewCrush(bridge, cmp.Or(address, defaultCrush()), &o)
			if err != nil {
				return usage(err)
			}
			client.Run(cmd.Context())
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&address, "url", "", "the `address` of Crush, unix:///path or tcp://host:port (default that of crush server)")
	flags.StringVar(&o.Directory, "directory", "", "answer for the project in this `folder` only")
	c.flags(cmd, &o.Options, "leave it pending in Crush, or reject it, which ends the turn")
	return cmd
}
