package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// deciding is one askbridge answer.
type deciding struct {
	answers []string
	reply   string
	dismiss bool
	asJSON  bool
}

func newAnswer() *cobra.Command {
	d := &deciding{}
	cmd := &cobra.Command{
		Use:   "answer request [label ...]",
		Short: "Answer a request in a person's place",
		Long: `answer decides an open request at a shell, for the day when the chat is out of reach. What it says counts as what
the person said who holds the token, and the cards say so: who decided, and that it was over the API.

It takes a token with the scope answer, which no agent's token has: agents never answer for people. The person has to be
one of those who may answer; requester in the configuration says who they are on each platform. A request that was sent to
one person alone is answered by nobody else. askbridge sim needs no token.

For one question, name a label, or several where several may be chosen; what is no label is an answer in own words. For
several questions, --answer names each by its header, its text or its number.` + needsRunning,
		Example: `  askbridge answer 07abcdefghijklmnopqrstuvwx Postgres
  askbridge answer 07abcdefghijklmnopqrstuvwx --answer "1=Postgres" --answer "Checks=Smoke tests, a look at the logs"
  askbridge answer 07abcdefghijklmnopqrstuvwx --reply "Not today: the freeze began."`,
		Args: func(cmd *cobra.Command, args []string) error { return oneRequest(cmd, args[:min(1, len(args))]) },
	}
	reach := reachFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		c, err := reach()
		if err != nil {
			return err
		}
		id := words[0]
		r, err := c.Get(cmd.Context(), id)
		if err != nil {
			return about(id, err)
		}
		given, err := d.body(r.Questions, words[1:])
		if err != nil {
			return usage(err)
		}
		if r, err = c.Answer(cmd.Context(), id, given); err != nil {
			return about(id, err)
		}
		return printRequest(cmd.OutOrStdout(), r, d.asJSON)
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&d.answers, "answer", nil, "answer one of several questions, as in `\"Database=Postgres\"`; repeat it for each")
	flags.StringVar(&d.reply, "reply", "", "end the request with these `words` for the agent, in place of answers")
	flags.BoolVar(&d.dismiss, "dismiss", false, "end the request without a word")
	flags.BoolVar(&d.asJSON, "json", false, "print the request as the HTTP API tells it")
	return cmd
}

// body is what the command line decides about the questions.
func (d *deciding) body(questions []ask.Question, words []string) (client.AnswerBody, error) {
	given := client.AnswerBody{Reply: d.reply, Dismiss: d.dismiss}
	ways := 0
	for _, used := range []bool{len(words) > 0, len(d.answers) > 0, d.reply != "", d.dismiss} {
		if used {
			ways++
		}
	}
	switch {
	case ways == 0:
		return given, errors.New("say what is chosen: a label, --answer for each of several questions, --reply or --dismiss")
	case ways > 1:
		return given, errors.New("labels, --answer, --reply and --dismiss exclude each other")
	case d.reply != "" || d.dismiss:
		return given, nil
	case len(words) > 0 && len(questions) > 1:
		return given, fmt.Errorf("there are %d questions, so each needs an --answer, as in --answer \"1=%s\"", len(questions), words[0])
	case len(words) > 0:
		a, err := answerOf(questions[0], words)
		given.Answers = []client.GivenAnswer{a}
		return given, err
	}
	parsed, err := parseAnswers(d.answers)
	if err != nil {
		return given, err
	}
	choices, err := matchAnswers(questions, parsed)
	for n, c := range choices {
		given.Answers = append(given.Answers, client.GivenAnswer{Index: n, Selected: c.labels, Other: c.other})
	}
	return given, err
}

// answerOf reads the labels of one question, each a word of the command line.
func answerOf(q ask.Question, words []string) (client.GivenAnswer, error) {
	var a client.GivenAnswer
	var own []string
	for _, word := range words {
		switch c, err := chooseFor(q, word); {
		case err != nil:
			return a, err
		case len(c.labels) == 1 && c.other == "":
			a.Selected = append(a.Selected, c.labels[0])
		default:
			own = append(own, word)
		}
	}
	a.Other = strings.Join(own, " ")
	return a, nil
}

func newCancel() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "cancel request ...",
		Short: "Withdraw requests",
		Long: `cancel ends open requests as cancelled and takes the controls off their cards. People see the reason, and the agent
is told it. One that has ended already stays as it is.` + needsRunning,
		Example: `  askbridge cancel 07abcdefghijklmnopqrstuvwx --reason "asked by mistake"`,
		Args:    someRequests,
	}
	finishing(cmd, func(ctx context.Context, c *client.Client, id string) (*client.Request, error) {
		return c.Cancel(ctx, id, reason)
	})
	cmd.Flags().StringVar(&reason, "reason", "", "why, in `words` for people and the agent")
	return cmd
}

func newResend() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resend request ...",
		Short: "Deliver requests again that did not get through",
		Long: `resend tries again now what was given up or put off: it posts a copy that could not be posted, as long as the request
is open, draws a card anew where it stands, puts it back where it was deleted, and calls the webhook. Nobody is asked twice.` + needsRunning,
		Example: `  askbridge resend 07abcdefghijklmnopqrstuvwx`,
		Args:    someRequests,
	}
	finishing(cmd, func(ctx context.Context, c *client.Client, id string) (*client.Request, error) {
		return c.Resend(ctx, id)
	})
	return cmd
}

// someRequests asks for ids.
func someRequests(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(fmt.Errorf("name the requests, as askbridge list does\nSee: %s --help", cmd.CommandPath()))
	}
	return nil
}

// finishing runs a command that does the same to each request it names, and says how
// each stands afterwards. One that fails does not keep it from the others.
func finishing(cmd *cobra.Command, do func(context.Context, *client.Client, string) (*client.Request, error)) {
	var asJSON bool
	reach := reachFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each request as a line of JSON")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		c, err := reach()
		if err != nil {
			return err
		}
		show := lines(cmd.OutOrStdout(), asJSON)
		var failed []error
		for _, id := range ids {
			r, err := do(cmd.Context(), c, id)
			if err == nil {
				err = show.add(r)
			}
			if err != nil {
				failed = append(failed, about(id, err))
			}
		}
		if show.began {
			failed = append(failed, show.end())
		}
		return errors.Join(failed...)
	}
}
