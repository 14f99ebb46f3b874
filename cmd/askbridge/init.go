package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// initAnswers are what a first configuration is made of.
type initAnswers struct {
	slack, discord, store, agent string
}

// initQuestion is one thing that init has to know. An answer of nothing is fine
// where optional says what it means.
type initQuestion struct {
	flag, text, optional string
	form                 *regexp.Regexp
	wants                string
	answer               *string
}

func (a *initAnswers) questions() []initQuestion {
	return []initQuestion{
		{
			"slack", "Slack channel to ask in, by its id, at the end of the channel's About", "no Slack",
			regexp.MustCompile(`^[CGD][A-Z0-9]{2,20}$`), "an id such as C0123ABCD", &a.slack,
		},
		{
			"discord", "Discord channel to ask in, by its id, from the channel's menu in Developer Mode", "no Discord",
			regexp.MustCompile(`^[0-9]{15,20}$`), "an id such as 234567890123456789", &a.discord,
		},
		{
			"store", "Where to keep open questions: a file, or the redis:// address of a Redis", "askbridge.db",
			regexp.MustCompile(`^[^\s'"{}]+$`), "a path or an address without spaces", &a.store,
		},
		{
			"agent", "Name of the first agent that asks with a token", "no tokens: whoever is on this machine may ask",
			regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`), "a name of letters, digits, dots and dashes", &a.agent,
		},
	}
}

func newInit() *cobra.Command {
	var path string
	var given initAnswers
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a first configuration",
		Long: `init writes a first askbridge.yaml: where to ask, where to keep what is open, and who may ask. It asks for what
no flag says. Tokens are not asked for: the file names the variables of the environment that hold them, and
init says which, and where each is found. A file that is there is left alone.`,
		Example: `  askbridge init
  askbridge init --slack C0123ABCD --discord "" --store askbridge.db --agent deploy-bot`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				return usage(fmt.Errorf("%s is there already; config.example.yaml explains every setting", path))
			}
			if err := given.complete(cmd, bufio.NewReader(cmd.InOrStdin())); err != nil {
				return err
			}
			if given.slack == "" && given.discord == "" {
				return usage(errors.New("name a channel of Slack or of Discord: without a platform nobody can be asked"))
			}
			file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return fmt.Errorf("write the configuration: %w", err)
			}
			_, err = io.WriteString(file, given.yaml())
			if err = errors.Join(err, file.Close()); err != nil {
				return fmt.Errorf("write the configuration: %w", err)
			}
			fmt.Fprint(cmd.OutOrStdout(), given.next(path))
			return nil
		},
	}
	configFlag(cmd, &path)
	for _, q := range given.questions() {
		cmd.Flags().StringVar(q.answer, q.flag, "", q.text+" (empty: "+q.optional+")")
	}
	return cmd
}

// complete asks for whatever no flag says, and judges all of it.
func (a *initAnswers) complete(cmd *cobra.Command, in *bufio.Reader) error {
	var wrong []error
	for _, q := range a.questions() {
		if cmd.Flags().Changed(q.flag) {
			if why := q.wrong(); why != "" {
				wrong = append(wrong, fmt.Errorf("--%s %s", q.flag, why))
			}
			continue
		}
		for {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n(nothing: %s)> ", q.text, q.optional)
			line, err := in.ReadString('\n')
			if *q.answer = strings.TrimSpace(line); err != nil && line == "" {
				fmt.Fprintln(cmd.OutOrStdout())
				return usage(fmt.Errorf("the answers ended before --%s; give it as a flag where nobody can be asked", q.flag))
			}
			why := q.wrong()
			if why == "" {
				break
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n", why)
		}
	}
	if wrong != nil {
		return usage(errors.Join(wrong...))
	}
	return nil
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
	to := ""
	if a.slack != "" {
		text.WriteString("slack:\n  bot_token: ${SLACK_BOT_TOKEN}\n  app_token: ${SLACK_APP_TOKEN}\n")
		to += "      - {platform: slack, channel: " + a.slack + "}\n"
	}
	if a.discord != "" {
		text.WriteString("discord:\n  bot_token: ${DISCORD_BOT_TOKEN}\n")
		to += "      - {platform: discord, channel: \"" + a.discord + "\"}\n"
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
	text.WriteString("routes:\n  default:\n    to:\n" + to + "default_route: default\n")
	if a.agent != "" {
		text.WriteString("agents:\n  - name: " + a.agent + "\n    token: ${ASKBRIDGE_TOKEN}\n")
	}
	return text.String()
}

// next says what is left to do.
func (a *initAnswers) next(path string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s is written. Set what it names, then look and start:\n\n", path)
	if a.slack != "" {
		text.WriteString("  export SLACK_BOT_TOKEN=xoxb-…    # the app's settings, OAuth & Permissions; make the app with: askbridge slack manifest\n")
		text.WriteString("  export SLACK_APP_TOKEN=xapp-…    # Basic Information, App-Level Tokens, with connections:write\n")
	}
	if a.discord != "" {
		text.WriteString("  export DISCORD_BOT_TOKEN=…       # the Developer Portal, Bot, Reset Token; invite the bot with: askbridge discord invite\n")
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
