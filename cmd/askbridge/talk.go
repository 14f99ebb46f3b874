package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// revising is one askbridge revise.
type revising struct {
	header, context, body string
	multi, noOther        bool
	of                    int
	asJSON                bool
}

func newRevise() *cobra.Command {
	v := &revising{}
	cmd := &cobra.Command{
		Use:   "revise request [question [label ...]]",
		Short: "Replace what a request asks",
		Long: `revise replaces the question, the context, or both of an open request. The card shows the new version, and presses on the
old one do not count. Responders, votes and the deadline stay the same. For several questions, --file reads the body of
PATCH /v1/requests/{id}. Repeating a revision changes nothing.` + prefixHelp + needsRunning,
		Example: `  askbridge revise 07abcdefghijklmnopqrstuvwx "Deploy 4.3?" Deploy Wait
  askbridge revise 07abcdefghijklmnopqrstuvwx --context "Staging is green again."
  askbridge revise 07abcdefghijklmnopqrstuvwx --file revision.json`,
		Args: func(cmd *cobra.Command, args []string) error { return oneRequest(cmd, args[:min(1, len(args))]) },
	}
	reach := reachFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		revision, err := v.revision(cmd, words[1:])
		if err != nil {
			return usage(err)
		}
		c, err := reach()
		if err != nil {
			return err
		}
		id, err := findRequest(cmd.Context(), c, words[0])
		if err != nil {
			return about(words[0], err)
		}
		r, err := c.Revise(cmd.Context(), id, revision)
		if err != nil {
			return about(id, err)
		}
		return printRequest(cmd.OutOrStdout(), r, v.asJSON)
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&v.context, "context", "", "a `line` or two above the questions; empty takes it away")
	flags.StringVar(&v.header, "header", "", "a short `title` of the question")
	flags.BoolVar(&v.multi, "multi", false, "let people choose several")
	flags.BoolVar(&v.noOther, "no-other", false, "take no answer in own words")
	flags.StringVar(&v.body, "file", "", "read questions and context from a JSON `file`, - for standard input")
	flags.IntVar(&v.of, "of", 0, "which `revision` this takes the place of, 0 for what was asked first; another one is refused (default whichever there is)")
	flags.BoolVar(&v.asJSON, "json", false, "print the request as JSON")
	return cmd
}

// revision is what the command line puts in the place of what is asked.
func (v *revising) revision(cmd *cobra.Command, words []string) (revision ask.Revision, err error) {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	switch {
	case v.body != "" && (len(words) > 0 || given("context")):
		return revision, errors.New("--file excludes a question and --context")
	case v.body != "":
		data, err := readFile(cmd.InOrStdin(), v.body)
		if err != nil {
			return revision, err
		}
		if revision, err = ask.DecodeRevision(data); err != nil {
			return revision, err
		}
	case len(words) == 0 && !given("context"):
		return revision, errors.New("say what is asked instead: a question, --context, or --file")
	case len(words) > 0:
		q := ask.Question{Text: words[0], Header: v.header, MultiSelect: v.multi, NoOther: v.noOther}
		for _, label := range words[1:] {
			q.Options = append(q.Options, ask.Option{Label: label})
		}
		revision.Questions = []ask.Question{q}
	}
	if given("context") {
		revision.Context = &v.context
	}
	if given("of") {
		revision.Of = &v.of
	}
	return revision, nil
}

// maxFile is how much of a file is read.
const maxFile = 1 << 20

// readFile reads a file, or standard input for "-".
func readFile(in io.Reader, name string) ([]byte, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return io.ReadAll(io.LimitReader(in, maxFile))
}

func newReply() *cobra.Command {
	var number int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "reply request text",
		Short: "Reply to what a person asked about a request",
		Long: `reply answers a question that a person asked the agent with the button Ask… on a request with ask_back. The reply appears on the
card and in a message below it, and the request stays open. askbridge show lists what people asked.` + prefixHelp + needsRunning,
		Example: `  askbridge reply 07abcdefghijklmnopqrstuvwx "Yes, for thirty days."
  askbridge reply 07abcdefghijklmnopqrstuvwx --to 2 "Tomorrow at nine."`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 || args[0] == "" {
				return usage(fmt.Errorf("name a request and say one text\nSee: %s --help", cmd.CommandPath()))
			}
			return nil
		},
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
		r, err := c.Reply(cmd.Context(), id, number, words[1])
		if err != nil {
			return about(id, err)
		}
		return printRequest(cmd.OutOrStdout(), r, asJSON)
	}
	cmd.Flags().IntVar(&number, "to", 0, "the `number` of what the person asked (default the only one that waits)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the request as JSON")
	return cmd
}

// await waits for the end and prints what people ask the agent meanwhile.
func (a *asking) await(ctx context.Context, id string) (*client.Request, error) {
	heard := 0
	for {
		r, err := a.client.Hear(ctx, id, heard)
		if err != nil || r.Ended() {
			return r, err
		}
		asked := r.Waiting(heard)
		heard = asked.Number
		writeLine(a.err, "askbridge: %s asks: %s", person(asked.By), asked.Text)
		fmt.Fprintf(a.err, "Reply with: askbridge reply %s --to %d \"…\"\n", id, asked.Number)
	}
}
