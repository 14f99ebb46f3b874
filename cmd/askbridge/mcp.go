package main

import (
	"cmp"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/mcpserver"
)

// mcpTries is how often a call of the bridge is tried: for about half a minute,
// which is longer than a bridge takes to restart.
const mcpTries = 9

func newMCP() *cobra.Command {
	var at bridgeFlags
	var session, level string
	var permissions, anyone, anyPlace, anyResponder bool
	var permitters []string
	var places []string
	var origin originFlags
	var o mcpserver.Options
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an MCP client on standard input and output",
		Long: `mcp gives an MCP client the tools ask_user and wait_for_answer, on standard input and output. It asks
through a running "askbridge serve", which it reaches over HTTP. You can restart both at
any time: questions stay open, and a client that names its calls, such as Claude Code, finds its answer by
making the same call again. Other clients find it with wait_for_answer.

For Claude Code:

  claude mcp add askbridge --env ASKBRIDGE_TOKEN=your-token -- askbridge mcp --url http://127.0.0.1:8080

For every client that is configured with JSON:

  {
    "mcpServers": {
      "askbridge": {
        "command": "askbridge",
        "args": ["mcp", "--url", "http://127.0.0.1:8080"],
        "env": {"ASKBRIDGE_TOKEN": "your-token"}
      }
    }
  }

For Codex, in config.toml:

  [mcp_servers.askbridge]
  command = "askbridge"
  args = ["mcp", "--url", "http://127.0.0.1:8080"]
  env = {ASKBRIDGE_TOKEN = "your-token"}

For Gemini CLI, in settings.json; it hides every tool called ask_user in headless runs and over ACP:

  {
    "mcpServers": {
      "askbridge": {
        "command": "askbridge",
        "args": ["mcp", "--url", "http://127.0.0.1:8080", "--tool-name", "ask_person"],
        "env": {"ASKBRIDGE_TOKEN": "your-token"}
      }
    }
  }

The token is that of an agent in the configuration of askbridge serve; omit it if there are none.

A call waits as long as the client allows: 24 hours in Claude Code, 280 seconds in clients that follow
progress, otherwise 50 seconds. After that the result asks the agent to call wait_for_answer. If you set a
shorter limit in your client (MCP_TOOL_TIMEOUT, tool_timeout_sec), set --budget a little below it.
Claude Code moves a call to the background after two minutes and continues without the answer; to let it
wait instead, set CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS=0 in its environment.

With --permissions there is also the tool approve, which brings questions and permission prompts of Claude Code to chat when
it runs without a terminal. Anything but a person's approval denies the call:

  claude -p --permission-prompt-tool mcp__askbridge__approve "Your task"

In a terminal --permissions makes this a channel of Claude Code: prompts appear in chat and in its own dialog at the same
time, and the first decision counts. Claude Code accepts channels that are not on its list only with
--dangerously-load-development-channels server:askbridge. It sends them no questions: those use the tools.`,
		Example: `  askbridge mcp
  askbridge mcp --url https://ask.example.org --route deploys
  askbridge mcp --to slack:C0000001 --budget 4m`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := newLogger(cmd.ErrOrStderr(), level, "auto")
			if err != nil {
				return usage(err)
			}
			if o.To, err = parsePlaces(places); err != nil {
				return usage(err)
			}
			if o.Origin, err = origin.read(); err != nil {
				return usage(err)
			}
			if o.Permitters, err = permittersOf(permissions, anyone, permitters); err != nil {
				return usage(err)
			}
			client, err := at.client(cmd.ErrOrStderr(), client.Options{Tries: mcpTries})
			if err != nil {
				return err
			}
			if permissions && !client.Proves() {
				return usage(errors.New("permissions need a token, by which the bridge can prove that it speaks"))
			}
			if anyPlace {
				o.ModelMaySet = append(o.ModelMaySet, access.ModelTo, access.ModelRoute)
			}
			if anyResponder {
				o.ModelMaySet = append(o.ModelMaySet, access.ModelResponders)
			}
			o.Session, o.Logger = session, log
			return serveMCP(cmd, client, &o)
		},
	}
	cmd.AddCommand(newMCPPlugin())
	flags := cmd.Flags()
	flags.SortFlags = false
	at.add(flags)
	flags.StringVar(&o.Route, "route", "", "ask by this `route`; without it and --to by the default route of askbridge serve")
	flags.StringArrayVar(&places, "to", nil, "ask in this `place`, as in slack:C0000001, slack:C0000001/<thread>, slack:U0000001 or discord:@<user>; repeat it for more")
	origin.add(flags)
	flags.StringSliceVar(&o.Routes, "allow-route", nil, "let the agent choose this `route`; repeat it for more")
	flags.BoolVar(&anyPlace, "any-place", false, "let the agent name any place or route that its token allows")
	flags.BoolVar(&anyResponder, "any-responder", false, "let the agent name who may answer, as far as its token and the route allow")
	flags.IntVar(&o.MaxQuestions, "max-questions", ask.DefaultMaxQuestions, "the `number` of questions that the agent may ask at once; max_questions of askbridge serve has to allow it")
	flags.IntVar(&o.MaxOptions, "max-options", ask.DefaultMaxOptions, "the `number` of options that each question may have; max_options of askbridge serve has to allow it")
	flags.StringVar(&o.ToolName, "tool-name", "", "the `name` of the tool that asks (default ask_user, which Gemini CLI hides without a terminal)")
	flags.StringVar(&o.Agent, "agent", "", "the `name` shown to people, where the token does not name the agent")
	flags.StringVar(&session, "session", "", "group the questions under this `id` (default $CLAUDE_CODE_SESSION_ID)")
	lengthVar(flags, &o.Budget, "budget", "let a call wait for this `time`, as in 4m, instead of the client's known limit")
	o.Progress = mcpserver.DefaultProgress
	lengthVar(flags, &o.Progress, "progress", "the `time` between two notices to the client that people are thinking")
	flags.BoolVar(&o.CancelWithdraws, "cancel-withdraws", false, "withdraw the question when the client cancels the call; else it stays open")
	flags.BoolVar(&permissions, "permissions", false, "decide permission prompts of Claude Code, too; needs --responder or --anyone, and a token")
	flags.StringArrayVar(&permitters, "responder", nil, "a `person` who may allow that, as in slack:U0000001, or a group, as in slack-group:S0000001; repeat it for more")
	flags.BoolVar(&anyone, "anyone", false, "let everyone who sees the card decide")
	flags.StringVar(&level, "log-level", "warn", "the `level` of the log on standard error: debug, info, warn or error")
	return cmd
}

// unclosed keeps standard output open: the program still owns it.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// permittersOf is who may allow what a channel asks for; nil without permissions.
func permittersOf(permissions, anyone bool, named []string) ([]string, error) {
	switch {
	case !permissions && (anyone || len(named) > 0):
		return nil, errors.New("--responder and --anyone say who may allow what --permissions takes; give that too")
	case !permissions:
		return nil, nil
	case anyone == (len(named) > 0):
		return nil, errors.New("name who may decide: --responder, or --anyone for everyone who sees the card")
	case anyone:
		return []string{ask.Anyone}, nil
	}
	return named, nil
}

// serveMCP serves the client on standard input and output until it closes them.
func serveMCP(cmd *cobra.Command, c *client.Client, o *mcpserver.Options) error {
	o.Session = cmp.Or(o.Session, os.Getenv("CLAUDE_CODE_SESSION_ID"))
	o.Version = readBuild().version
	server, err := mcpserver.New(o)
	if err != nil {
		return usage(err)
	}
	in, ok := cmd.InOrStdin().(io.ReadCloser)
	if !ok {
		in = io.NopCloser(cmd.InOrStdin())
	}
	return server.Serve(cmd.Context(), mcpserver.Remote(c), in, unclosed{cmd.OutOrStdout()})
}
