package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// deciding is one askbridge answer.
type deciding struct {
	answers []string
	skip    []string
	notes   []string
	reply   string
	dismiss bool
	undo    bool
	claim   bool
	passTo  string
	// revision is the revision that the person has read; negative if they did not name it.
	revision int
	asJSON   bool
}

func newAnswer() *cobra.Command {
	d := &deciding{}
	cmd := &cobra.Command{
		Use:   "answer request [label ...]",
		Short: "Answer a request as a person",
		Long: `answer decides an open request from a shell, for example while chat is unavailable. The answer counts as that of the
token's owner. The cards show the person and that the answer came over the API.

It needs a token with the scope answer, which no agent's token has: agents never answer for people. The person has to be
allowed to answer; requester in the configuration names their accounts. Only the recipient can answer a request that was
sent to one person. askbridge sim needs no token.

A request that the agent revised needs --revision with the number from askbridge show. Without it, or with another number,
the command answers nothing, prints the current questions and exits with 1.

For one question, give a label, or several labels if several may be chosen; any other text is a typed answer. For several
questions, --answer names each by its header, text or number. --skip leaves an optional question unanswered, as does
omitting it. --note adds a note if the question accepts one.` + prefixHelp + needsRunning,
		Example: `  askbridge answer 07abcdefghijklmnopqrstuvwx Postgres
  askbridge answer 07abcdefghijklmnopqrstuvwx --answer "1=Postgres" --answer "Checks=Smoke tests, a look at the logs"
  askbridge answer 07abcdefghijklmnopqrstuvwx --answer "1=Postgres" --skip Checks --note "1=only for the beta"
  askbridge answer 07abcdefghijklmnopqrstuvwx --reply "Not today: the freeze began."`,
		Args: func(cmd *cobra.Command, args []string) error { return oneRequest(cmd, args[:min(1, len(args))]) },
	}
	reach := reachFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		c, err := reach()
		if err != nil {
			return err
		}
		id, err := findRequest(cmd.Context(), c, words[0])
		if err != nil {
			return about(words[0], err)
		}
		r, err := c.Get(cmd.Context(), id)
		if err != nil {
			return about(id, err)
		}
		if d.revision < 0 && cmd.Flags().Changed("revision") {
			return usage(errors.New("--revision is the number that askbridge show prints, 0 or more"))
		}
		if d.unread(r) {
			return unread(cmd, r, "it was revised, nothing was answered")
		}
		given, err := d.body(r.Questions, words[1:])
		if err != nil {
			return usage(err)
		}
		given.Revision = &r.Revision
		r, err = c.Answer(cmd.Context(), id, given)
		if p, ok := errors.AsType[*client.Problem](err); ok && p.Request != nil {
			return unread(cmd, p.Request, "it was revised just now, nothing was answered")
		}
		if err != nil {
			return about(id, err)
		}
		return printRequest(cmd.OutOrStdout(), r, d.asJSON)
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&d.answers, "answer", nil, "answer one of several questions, as in `\"Database=Postgres\"`; repeat it for each")
	flags.StringArrayVar(&d.skip, "skip", nil, "leave this optional `question` unanswered; repeat it for more")
	flags.StringArrayVar(&d.notes, "note", nil, "a note on the answer, as in `\"Database=only for the beta\"`; repeat it for each")
	flags.StringVar(&d.reply, "reply", "", "end the request with this `text` for the agent instead of answers")
	flags.BoolVar(&d.dismiss, "dismiss", false, "end the request without a reply")
	flags.BoolVar(&d.undo, "undo", false, "undo your decision during the request's hold")
	flags.BoolVar(&d.claim, "claim", false, "claim the request, if it has claim_for, without answering it")
	flags.StringVar(&d.passTo, "pass-to", "", "pass it on to this `person`, as in slack:U0000001, who may answer instead")
	flags.IntVar(&d.revision, "revision", -1, "the `number` of the revision that you answer, from askbridge show; required once the agent has revised the request")
	flags.Lookup("revision").DefValue = "0" // No default is printed for zero.
	flags.BoolVar(&d.asJSON, "json", false, "print the request as JSON")
	return cmd
}

// unread reports whether the person might not have read the current revision of an open request: they named another one, or none
// although the request was revised. Undo, claim and pass-to do not depend on the questions.
func (d *deciding) unread(r *client.Request) bool {
	switch {
	case r.Ended():
		return false
	case d.revision >= 0:
		return d.revision != r.Revision
	}
	return r.Revision > 0 && !d.undo && !d.claim && d.passTo == ""
}

// unread prints the current questions on standard error and returns why they were not answered.
func unread(cmd *cobra.Command, r *client.Request, why string) error {
	w := cmd.ErrOrStderr()
	writeLine(w, "Request %s, revision %d:", r.ID, r.Revision)
	if r.Context != "" {
		writeLine(w, "%s", r.Context)
	}
	for n, q := range r.Questions {
		writeQuestion(w, n, q, nil)
	}
	return about(r.ID, fmt.Errorf("%s. To answer the current questions, add --revision %d", why, r.Revision))
}

// body returns the decision on the command line.
func (d *deciding) body(questions []ask.Question, words []string) (client.AnswerBody, error) {
	given := client.AnswerBody{Reply: d.reply, Dismiss: d.dismiss, Undo: d.undo, Claim: d.claim, PassTo: d.passTo}
	ways := 0
	for _, used := range []bool{len(words) > 0, len(d.answers)+len(d.skip) > 0, d.reply != "", d.dismiss, d.undo, d.claim, d.passTo != ""} {
		if used {
			ways++
		}
	}
	switch {
	case ways == 0:
		return given, errors.New("give a label, --answer for each of several questions, --skip, --reply, --dismiss, --undo, --claim or --pass-to")
	case ways > 1:
		return given, errors.New("labels, --answer or --skip, --reply, --dismiss, --undo, --claim and --pass-to exclude each other")
	case len(d.notes) > 0 && (len(words)+len(d.answers)+len(d.skip) == 0):
		return given, errors.New("--note needs an answer and excludes --reply, --dismiss, --undo, --claim and --pass-to")
	case len(words)+len(d.answers)+len(d.skip) == 0:
		return given, nil
	case len(words) > 0 && len(questions) > 1:
		return given, fmt.Errorf("there are %d questions, so each needs an --answer, as in --answer \"1=%s\"", len(questions), words[0])
	case len(words) > 0:
		a, err := answerOf(questions[0], words)
		given.Answers = []client.GivenAnswer{a}
		return given, errors.Join(err, d.annotate(questions, given.Answers))
	}
	parsed, err := parseAnswers("--answer", d.answers)
	if err != nil {
		return given, err
	}
	for _, name := range d.skip {
		parsed = append(parsed, scripted{question: name, skip: true})
	}
	choices, err := matchAnswers(questions, parsed)
	if err != nil {
		return given, err
	}
	for n, c := range choices {
		if !c.none() {
			given.Answers = append(given.Answers, client.GivenAnswer{Index: n, Selected: c.labels, Other: c.other, Skip: c.skip})
		}
	}
	return given, d.annotate(questions, given.Answers)
}

// annotate adds each --note to its answer.
func (d *deciding) annotate(questions []ask.Question, answers []client.GivenAnswer) error {
	notes, err := parseAnswers("--note", d.notes)
	if err != nil {
		return err
	}
	for _, note := range notes {
		at, err := questionNamed(questions, note.question)
		if err != nil {
			return err
		}
		n := slices.IndexFunc(answers, func(a client.GivenAnswer) bool { return a.Index == at })
		if n < 0 {
			return fmt.Errorf("--note %q: no answer to this question", note.question)
		}
		answers[n].Notes = note.answer
	}
	return nil
}

// answerOf reads the labels of one question, one per argument.
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
		Long: `cancel ends open requests as cancelled and removes the controls from their cards. People and the agent see the reason.
A request that has already ended does not change.` + prefixHelp + needsRunning,
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
		Short: "Deliver failed requests again",
		Long: `resend retries now what failed or was postponed: it posts missing copies of an open request, updates existing cards, posts
deleted ones again, and calls the webhook. People are not notified twice.` + prefixHelp + needsRunning,
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
	if len(args) == 0 || slices.Contains(args, "") {
		return usage(fmt.Errorf("name the requests, as askbridge list does\nSee: %s --help", cmd.CommandPath()))
	}
	return nil
}

// finishing runs the same call for each named request and prints its state afterwards. It continues after a failure.
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
			whole, err := findRequest(cmd.Context(), c, id)
			var r *client.Request
			if err == nil {
				r, err = do(cmd.Context(), c, whole)
			}
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
