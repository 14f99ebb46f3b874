package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/door/connect"
)

func newConnect() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "connect",
		Short: "Answer the questions of an agent host that serves HTTP",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConnectOpenCode())
	return cmd
}

// defaultOpenCode is where opencode serve listens unless it is told otherwise.
// https://opencode.ai/docs/server
const defaultOpenCode = "http://127.0.0.1:4096"

func newConnectOpenCode() *cobra.Command {
	var bridge bridgeFlags
	var o connect.OpenCodeOptions
	var places []string
	var address, onTimeout, level string
	cmd := &cobra.Command{
		Use:   "opencode",
		Short: "Answer OpenCode's questions from chat",
		Long: `opencode listens to a running OpenCode server, asks its questions in chat, and posts what people chose. Whoever
is first counts: what is answered on OpenCode's own screen is closed in chat.

It runs until it is interrupted, and lasts through restarts of OpenCode and of the bridge. Nothing is lost when it
is ended: started again it finds what is pending, and what was answered meanwhile. A question that nobody answers
in time stays pending in OpenCode.

It needs a running askbridge serve, and takes OPENCODE_SERVER_PASSWORD and OPENCODE_SERVER_USERNAME as OpenCode does.`,
		Example: `  askbridge connect opencode --url http://127.0.0.1:4096 --to slack:C0000001`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.To, err = parsePlaces(places); err != nil {
				return usage(err)
			}
			if onTimeout != leavePending && onTimeout != rejectLate {
				return usage(fmt.Errorf("--on-timeout must be %s or %s", leavePending, rejectLate))
			}
			o.Deny = onTimeout == rejectLate
			if o.Logger, err = newLogger(cmd.ErrOrStderr(), level, "auto"); err != nil {
				return usage(err)
			}
			o.Password, o.Username = os.Getenv("OPENCODE_SERVER_PASSWORD"), os.Getenv("OPENCODE_SERVER_USERNAME")
			c, err := bridge.client()
			if err != nil {
				return err
			}
			client, err := connect.NewOpenCode(c, cmp.Or(address, defaultOpenCode), &o)
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
	placeFlags(flags, &places, &o.Route)
	flags.StringArrayVar(&o.Responders, "responder", nil, "who may answer, as in slack:U0000001; repeat it for `more`")
	flags.StringVar(&o.Agent, "agent", "", "the `name` shown to people, where the token does not name the agent")
	flags.StringVar(&onTimeout, "on-timeout", leavePending, "when nobody has answered in time: leave it pending in OpenCode, or reject it")
	flags.StringVar(&bridge.url, "bridge", "", "the `address` of the running askbridge (default $ASKBRIDGE_URL, or "+defaultBridge+")")
	flags.StringVar(&bridge.token, "token", "", "the agent's `token` (default $ASKBRIDGE_TOKEN, which other people of this machine cannot see)")
	flags.StringVar(&level, "log-level", "info", "the `level` of the log on standard error: debug, info, warn or error")
	return cmd
}

// leavePending and rejectLate are what --on-timeout can be.
const (
	leavePending = "leave"
	rejectLate   = "reject"
)
