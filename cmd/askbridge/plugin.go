package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/hosts/claude"
	"github.com/askbridge/askbridge/mcpserver"
)

// pluginOptions are the options that Claude Code's plugin passes on, see hosts/claude/plugin. Claude Code does not run
// a hook or a server if one of its options has no value, so each of them has a word for "none".
type pluginOptions struct {
	to, decide, tokenFile string
}

// The words for options without a value.
const (
	decideNobody = "nobody"
	decideAnyone = "anyone"
	noTokenFile  = "none"
)

func (p *pluginOptions) add(flags *pflag.FlagSet) {
	flags.StringVar(&p.to, "to", "", "ask in this `place`, as in slack:C0000001, or by a route, as in route:deploys")
	flags.StringVar(&p.decide, "decide", decideNobody, "the `people` and groups who decide about permissions and plans, separated by commas; or nobody, or anyone")
	flags.StringVar(&p.tokenFile, "token-file", noTokenFile, "the `file` with the agent's token, readable only by you, or none")
}

// place returns what --to means for the other commands: places, or a route.
func (p *pluginOptions) place() (places []string, route string, err error) {
	route, isRoute := strings.CutPrefix(p.to, "route:")
	switch {
	case p.to == "" || isRoute && route == "":
		return nil, "", errors.New("--to is empty: name a place, as in slack:C0000001, or a route, as in route:deploys")
	case isRoute:
		return nil, route, nil
	}
	return []string{p.to}, "", nil
}

// deciders returns who decides about permissions; both are empty for nobody.
func (p *pluginOptions) deciders() (people []string, anyone bool) {
	switch p.decide {
	case decideNobody, "":
		return nil, false
	case decideAnyone:
		return nil, true
	}
	for who := range strings.SplitSeq(p.decide, ",") {
		people = append(people, strings.TrimSpace(who))
	}
	return people, false
}

// token returns the token file; empty for none.
func (p *pluginOptions) token() string {
	if p.tokenFile == noTokenFile {
		return ""
	}
	return p.tokenFile
}

func newHookPlugin() *cobra.Command {
	f, p := &hookFlags{onTimeout: handBack}, &pluginOptions{}
	var data string
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Answer the hooks of Claude Code's plugin",
		Long: `plugin is the hook of the askbridge plugin for Claude Code. It works like "askbridge hook claude --beside", with the
plugin's options as flags. With --decide nobody it leaves permission prompts and plans to Claude Code's own dialog.

Install the plugin with:

  claude plugin marketplace add askbridge/askbridge
  claude plugin install askbridge@askbridge --config to=slack:C0000001`,
		Args: func(cmd *cobra.Command, args []string) error { return mild(noArguments(cmd, args)) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if f.places, f.opts.Route, err = p.place(); err != nil {
				return mild(err)
			}
			if data == "" {
				return mild(errors.New("--data is empty: name the folder of the plugin's data"))
			}
			f.opts.Responders, f.opts.Anyone = p.deciders()
			f.opts.Beside, f.tokenFile = filepath.Join(data, "sessions"), p.token()
			if err := f.run(cmd); !errors.Is(err, claude.ErrWhoever) {
				return err
			}
			return nil // Nobody decides about permissions in chat.
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	p.add(flags)
	flags.StringVar(&data, "data", "", "the `folder` of the plugin's data")
	flags.StringVar(&f.url, "url", defaultBridge, "the `address` of the running askbridge")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return mild(err) })
	return cmd
}

func newMCPPlugin() *cobra.Command {
	p, url := &pluginOptions{}, ""
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Serve Claude Code's plugin",
		Long: `plugin is the MCP server of the askbridge plugin for Claude Code. It works like "askbridge mcp", with the plugin's options
as flags, and reads no address and no token from the environment, which a project's settings can set.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := mcpserver.Options{Progress: mcpserver.DefaultProgress, MaxQuestions: ask.DefaultMaxQuestions, MaxOptions: ask.DefaultMaxOptions}
			places, route, err := p.place()
			if err != nil {
				return usage(err)
			}
			o.Route = route
			if o.To, err = parsePlaces(places); err != nil {
				return usage(err)
			}
			people, anyone := p.deciders()
			permissions := anyone || len(people) > 0
			if o.Permitters, err = permittersOf(permissions, anyone, people); err != nil {
				return usage(err)
			}
			token := ""
			if file := p.token(); file != "" {
				if token, err = readToken(file); err != nil {
					return usage(err)
				}
			}
			if permissions && token == "" {
				return usage(errors.New("permissions need a token, by which the bridge can prove that it speaks: set token_file"))
			}
			c, err := client.New(url, &client.Options{Token: token, Sealed: true, Tries: mcpTries})
			if err != nil {
				return usage(err)
			}
			if o.Logger, err = newLogger(cmd.ErrOrStderr(), "warn", "auto"); err != nil {
				return err
			}
			return serveMCP(cmd, c, &o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	p.add(flags)
	flags.StringVar(&url, "url", defaultBridge, "the `address` of the running askbridge")
	return cmd
}
