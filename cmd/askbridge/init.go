package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/internal/visible"
)

// initAnswers are what a first configuration is made of.
type initAnswers struct {
	channels     []initChannel
	store, agent string
}

// initChannel is where to ask on a platform; its ID is empty if the platform is not used. The guide sets its name, and
// settings that replace those of the bundle.
type initChannel struct {
	provider.Bundle

	id, label string
	settings  []string
}

func newInitAnswers() *initAnswers {
	a := &initAnswers{}
	for _, b := range app.Platforms() {
		a.channels = append(a.channels, initChannel{Bundle: b})
	}
	return a
}

// asking returns the platforms that are used.
func (a *initAnswers) asking() []initChannel {
	return slices.DeleteFunc(slices.Clone(a.channels), func(c initChannel) bool { return c.id == "" })
}

// initQuestion is one setting that init needs. An empty answer is accepted if optional describes what it means. Help is the
// help of the flag.
type initQuestion struct {
	flag, help, text, optional string
	form                       *regexp.Regexp
	wants                      string
	answer                     *string
}

func (a *initAnswers) questions() []initQuestion {
	var all []initQuestion
	for i := range a.channels {
		c := &a.channels[i]
		help := "ask in this `channel` of " + c.Title + ", by ID; empty to ask no one there"
		all = append(all, initQuestion{c.Name, help, c.Start.Question, "no " + c.Title, c.Start.Form, c.Start.Wants, &c.id})
	}
	return append(
		all,
		initQuestion{
			"store", "keep open questions in this `store`: a file, or the redis:// address of a Redis; empty is askbridge.db", "Where to keep open questions: a file, or the redis:// address of a Redis", "askbridge.db",
			regexp.MustCompile(`^[^\s'"{}]+$`), "a path or an address without spaces", &a.store,
		},
		initQuestion{
			"agent", "the `name` of the first agent that asks with a token; empty lets any program on this machine ask without one", "Name of the first agent that asks with a token", "no tokens: any program on this machine may ask",
			regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`), "a name of letters, digits, dots and dashes", &a.agent,
		},
	)
}

func newInit() *cobra.Command {
	var path string
	given, apis := newInitAnswers(), map[string]*string{}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set up Slack or Discord, and write a first configuration",
		Long: `init sets askbridge up at a terminal, step by step: the link that makes the Slack app or invites the Discord bot,
the tokens, which it checks at once, the channel by name, and a test card to press. It writes askbridge.yaml, and the
tokens in files that only you can read. Interrupted, it continues where it stopped.

Without a terminal, or with --slack or --discord, it writes askbridge.yaml and prompts only for settings without a
flag. The file then names the environment variables that hold the tokens, and init lists where to find each token. It
never overwrites a file.`,
		Example: `  askbridge init
  askbridge init --slack C0123ABCD --discord "" --store askbridge.db --agent deploy-bot`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				return usage(fmt.Errorf("%s is there already; config.example.yaml explains every setting", path))
			}
			guided := interactive(cmd) && !slices.ContainsFunc(given.channels, func(c initChannel) bool { return cmd.Flags().Changed(c.Name) })
			if guided {
				if err := given.check(cmd); err != nil {
					return err
				}
				g, err := newGuide(cmd, path, given, apis)
				if err != nil {
					return err
				}
				return g.run(cmd.Context())
			}
			if err := given.complete(cmd, bufio.NewReader(cmd.InOrStdin())); err != nil {
				return err
			}
			if len(given.asking()) == 0 {
				var titles []string
				for _, c := range given.channels {
					titles = append(titles, c.Title)
				}
				return usage(fmt.Errorf("name a channel of %s: at least one platform is required", strings.Join(titles, " or of ")))
			}
			if err := given.write(path); err != nil {
				return err
			}
			fmt.Fprint(cmd.OutOrStdout(), given.next(path))
			return nil
		},
	}
	configFlag(cmd, &path)
	for _, q := range given.questions() {
		cmd.Flags().StringVar(q.answer, q.flag, "", q.help+" (default init asks)")
	}
	for _, c := range given.channels {
		apis[c.Name] = cmd.Flags().String(c.Name+"-api-url", "", "the `address` of another API of "+c.Title+", such as the one of askbridge sim --mocks")
	}
	return cmd
}

// write creates the configuration file.
func (a *initAnswers) write(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = io.WriteString(file, a.yaml())
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}

// check validates the flags.
func (a *initAnswers) check(cmd *cobra.Command) error {
	var wrong []error
	for _, q := range a.questions() {
		if why := q.wrong(); why != "" && cmd.Flags().Changed(q.flag) {
			wrong = append(wrong, fmt.Errorf("--%s %s", q.flag, why))
		}
	}
	if wrong != nil {
		return usage(errors.Join(wrong...))
	}
	return nil
}

// complete asks for the settings without a flag, and validates all of them.
func (a *initAnswers) complete(cmd *cobra.Command, in *bufio.Reader) error {
	for _, q := range a.questions() {
		if cmd.Flags().Changed(q.flag) {
			continue
		}
		for {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n(nothing: %s)> ", q.text, q.optional)
			line, err := in.ReadString('\n')
			if *q.answer = strings.TrimSpace(line); err != nil && line == "" {
				fmt.Fprintln(cmd.OutOrStdout())
				return usage(fmt.Errorf("standard input ended before --%s; give it as a flag", q.flag))
			}
			why := q.wrong()
			if why == "" {
				break
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n", why)
		}
	}
	return a.check(cmd)
}

func (q *initQuestion) wrong() string {
	if *q.answer == "" || q.form.MatchString(*q.answer) {
		return ""
	}
	return fmt.Sprintf("%q: give %s", *q.answer, q.wants)
}

func (a *initAnswers) yaml() string {
	var text strings.Builder
	text.WriteString("# The first configuration of askbridge. config.example.yaml explains every setting.\n")
	var to strings.Builder
	for _, c := range a.asking() {
		text.WriteString(c.Name + ":\n")
		settings := c.settings
		if settings == nil {
			settings = c.Start.Settings
		}
		for _, line := range settings {
			text.WriteString("  " + line + "\n")
		}
		id := c.id
		if strings.Trim(id, "0123456789") == "" {
			id = strconv.Quote(id) // It would be a number.
		}
		to.WriteString("      - {platform: " + c.Name + ", channel: " + id + "}" + comment(c.label) + "\n")
	}
	if strings.Contains(a.store, "://") {
		text.WriteString("store:\n  type: redis\n  redis:\n    url: \"" + a.store + "\"\n")
	} else {
		path := a.store
		if path == "" {
			path = "askbridge.db"
		}
		text.WriteString("store:\n  type: file\n  path: \"" + path + "\"\n")
	}
	text.WriteString("routes:\n  default:\n    to:\n" + to.String() + "default_route: default\n")
	if a.agent != "" {
		text.WriteString("agents:\n  - name: " + a.agent + "\n    token: ${ASKBRIDGE_TOKEN}\n")
	}
	return text.String()
}

// comment returns a YAML comment with a name that others wrote.
func comment(name string) string {
	if name == "" {
		return ""
	}
	return " # " + strings.ReplaceAll(visible.Reveal(name), "\n", " ")
}

// next returns the remaining steps.
func (a *initAnswers) next(path string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s is written. Set what it names, then look and start:\n\n", path)
	for _, c := range a.asking() {
		for _, line := range c.Start.Next {
			text.WriteString("  " + line + "\n")
		}
	}
	if a.agent != "" {
		text.WriteString("  export ASKBRIDGE_TOKEN=$(openssl rand -hex 24)\n")
	}
	flag := ""
	if path != defaultConfig {
		flag = " --config " + path
	}
	fmt.Fprintf(&text, "\n  askbridge doctor%s\n  askbridge serve%s\n", flag, flag)
	return text.String()
}
