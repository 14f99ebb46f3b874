package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/internal/visible"
	"github.com/askbridge/askbridge/internal/wait"
)

// Exit codes of ask, in addition to those of every command.
const (
	exitCancelled  = 4
	exitExpired    = 5
	exitSuperseded = 6
	exitNotShown   = 7
	exitGaveUp     = 8
)

// withdrawTime limits the last call to the bridge after a signal.
const withdrawTime = 5 * time.Second

// asking is one askbridge ask.
type asking struct {
	bridge  bridgeFlags
	places  []string
	call    client.ToolCall
	timeout time.Duration
	asJSON  bool

	// need, poll and show are the rules of a vote.
	need, show, replies string
	poll                bool
	expiresIn           string
	links               linkFlags
	origin              originFlags
	attached            fileFlags

	// schema prints the tool of the dialect instead of asking.
	schema bool

	header  string
	multi   bool
	noOther bool

	client   *client.Client
	out, err io.Writer
	line     *waitingLine
	// ours is set if only this process can return for the answer.
	ours, withdrawn bool
}

func newAsk() *cobra.Command {
	a := &asking{}
	cmd := &cobra.Command{
		Use:   "ask [question [label label ...]]",
		Short: "Ask people from a shell",
		Long: `ask shows a question to people and prints only their answer: the label, one per line if several may be chosen, or the
typed text. Without labels it asks for text.

With --dialect it reads the input of an agent host's question tool from standard input and prints the tool's
result, byte for byte. The result then also reports errors in the input. --variant names how the host differs from its
documentation, and --schema prints the tool itself.

It needs a running askbridge serve. On a terminal, standard error shows how long it has been waiting. After an
interrupt or --timeout the question is withdrawn, unless --key or --tool-call-id lets the same command find it again.

Exit codes: 0 answered, 1 something failed, 2 wrong usage or a bad question, 4 cancelled, 5 expired,
6 superseded, 7 it could not be shown, 8 no answer within --timeout, 130 interrupted.`,
		Example: `  askbridge ask --to slack:C0000001 "Deploy now?" Yes No
  askbridge ask --route deploys --multi "Which checks?" Smoke Load Restore
  git diff | askbridge ask --file change.diff=- "Push this?" Yes No
  askbridge ask --dialect claude --to slack:C0000001 < input.json
  askbridge ask --dialect spring --variant partial --to slack:C0000001 < input.json
  askbridge ask --dialect spring --schema`,
		RunE: func(cmd *cobra.Command, words []string) error {
			a.out, a.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			switch name := inWords(cmd.Flags()); {
			case a.call.Dialect != "" && name != "":
				return usage(fmt.Errorf("--%s goes with a question in words, not with --dialect", name))
			case a.call.Dialect != "":
			case a.schema:
				return usage(errors.New("--schema goes with --dialect"))
			case len(a.call.Variants) > 0:
				return usage(errors.New("--variant goes with --dialect"))
			}
			if a.schema {
				return a.writeTool(a.out)
			}
			var err error
			a.call.TraceParent, a.call.TraceState = os.Getenv("TRACEPARENT"), os.Getenv("TRACESTATE")
			if a.client, err = a.bridge.client(a.err, client.Options{}); err != nil {
				return err
			}
			if a.call.To, err = parsePlaces(a.places); err != nil {
				return usage(err)
			}
			if a.call.Origin, err = a.origin.read(); err != nil {
				return usage(err)
			}
			if a.call.ExpiresIn, err = expiry(a.expiresIn); err != nil {
				return usage(err)
			}
			ctx := cmd.Context()
			if a.call.Voting, err = policyOf(a.need, a.show, a.poll); err != nil {
				return usage(err)
			}
			a.call.Replies = ask.Replies{Mode: ask.ReplyMode(a.replies)}
			files, err := a.attached.read(cmd.InOrStdin())
			if problems := append(a.call.Replies.Check("--replies"), slices.Concat(ask.CheckLinks("--link", a.links), ask.CheckSource("--source", a.call.Source))...); len(problems) > 0 {
				err = (&ask.InvalidError{Problems: problems}).Merge(err)
			}
			if err != nil {
				return usage(err)
			}
			if a.timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeoutCause(ctx, a.timeout, errGaveUp)
				defer cancel()
			}
			a.line = newWaitingLine(a.err)
			defer a.line.end()
			switch {
			case a.call.Dialect == "" && len(words) == 0:
				return usage(fmt.Errorf("what is the question?\nSee: %s --help", cmd.CommandPath()))
			case a.call.Dialect == "":
				return a.words(ctx, words, files)
			case len(words) > 0:
				return usage(fmt.Errorf("with --dialect the question comes from standard input, not from %q", words[0]))
			}
			return a.tool(ctx, cmd.InOrStdin())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	placeFlags(flags, &a.places, &a.call.Route)
	a.origin.add(flags)
	flags.StringVar(&a.call.Dialect, "dialect", "", "read the tool input of this agent `host`, such as claude, and print its tool result")
	flags.StringArrayVar(&a.call.Variants, "variant", nil, "a `variant` of that host, where it differs from its documents: strict, released, partial or notes; repeat it for more")
	flags.BoolVar(&a.schema, "schema", false, "print that host's question tool as a model needs it, and ask nothing")
	flags.StringVar(&a.header, "header", "", "a short `title` of the question")
	flags.BoolVar(&a.multi, "multi", false, "several labels may be chosen")
	flags.BoolVar(&a.noOther, "no-other", false, "no answer in own words")
	flags.StringVar(&a.call.Context, "context", "", "a `line` above the question")
	flags.StringVar(&a.call.Language, "language", "", "the `language` of the card, apart from your text: de, en or es (default as configured)")
	flags.Func("source", "where the agent works, a link in the card's first line: its `title=URL` as in \"run 42=https://ci.example.com/42\"", sourceFlag(&a.call.Source))
	flags.Func("link", "a button below the context, its `title=URL` as in Runbook=https://wiki.example.com/runbook; repeat it for more", a.links.add)
	flags.StringArrayVar((*[]string)(&a.attached), "file", nil, "upload this `file` below the card, as in change.diff, or NAME=PATH to call it otherwise; - is standard input; repeat it for more")
	flags.StringArrayVar(&a.call.Responders, "responder", nil, "a `person` who may answer, as in slack:U0000001, or a group, as in slack-group:S0000001; repeat it for more")
	flags.StringArrayVar(&a.call.Notify, "notify", nil, "a `person` or group to notify, as in slack:U0000001, slack-group:S0000001 or requester; repeat it for more, or give nobody")
	flags.Func("remind", "remind people after this `time`, at least 10s, as in 30m; repeat it for more", a.addReminders)
	lengthVar(flags, &a.call.Schedule.ClaimFor, "claim-for", "let people claim the question, which holds back reminders for this `time`, from 1m to 24h")
	flags.BoolVar(&a.call.Schedule.PassOn, "pass-on", false, "let people pass it on to another person, who may answer instead")
	flags.StringVar(&a.need, "need", "", "how many people have to choose the same: a `number`, all or majority (default as configured, else the first answer decides)")
	flags.BoolVar(&a.poll, "poll", false, "let people vote until the deadline or until all have voted; most votes decide, at least --need of them")
	flags.StringVar(&a.replies, "replies", "", "the `kind` of chat message that answers it: off, labels or text (default as configured, else off)")
	flags.StringVar(&a.show, "show", "", "the `way` to show votes before the end: live, count or sealed (default as configured, else live)")
	flags.Func("ask-back", "the `mode` in which people can ask the agent something: off, stay or end; with stay standard error shows what they ask (default as configured, else off)", func(s string) error {
		a.call.AskBack = ask.AskBack(s)
		if problems := a.call.AskBack.Check("--ask-back"); len(problems) > 0 {
			return errors.New(problems[0].Detail)
		}
		return nil
	})
	flags.Func("risk", "how risky a wrong choice is: at the `level` high, people confirm their choice in a form (default none)", func(s string) error {
		if a.call.Risk = ask.Risk(s); a.call.Risk != ask.HighRisk {
			return fmt.Errorf("%q is not high", s)
		}
		return nil
	})
	flags.BoolVar(&a.call.Receipts, "receipts", false, "show on the card that the agent received the answer")
	flags.Func("hold", "the `time` in which people can undo their answer, from 1s to 10m, or 0s; the answer comes after that (default as configured, else none)", func(s string) (err error) {
		a.call.Hold, err = ask.ParseHold(s)
		return err
	})
	flags.StringVar(&a.expiresIn, "expires-in", "", "the `time` to answer: 30m, 24h, 2d or never (default as configured)")
	lengthVar(flags, &a.timeout, "timeout", "give up after this `time`, as in 10m; 0 waits for as long as it takes (default 0)")
	flags.StringVar(&a.call.Agent, "agent", "", "the `name` shown to people, where the token does not name the agent")
	flags.StringVar(&a.call.Session, "session", "", "group the question under this `id`")
	flags.StringVar(&a.call.ToolCallID, "tool-call-id", "", "the host's `id` of the tool call: the same finds the same question")
	flags.StringVar(&a.call.Key, "key", "", "a `name` for this question: the same finds the same question")
	flags.StringVar(&a.call.Subagent, "subagent", "", "a sub-agent of this `name` asks")
	flags.BoolVar(&a.asJSON, "json", false, "print the whole request as JSON")
	a.bridge.addForPeople(flags)
	return cmd
}

// inWords returns a given flag that applies only to a question in words.
func inWords(flags *pflag.FlagSet) string {
	for _, name := range []string{"header", "multi", "no-other", "link", "file", "json"} {
		if flags.Changed(name) {
			return name
		}
	}
	return ""
}

// addReminders reads --remind, whose times may also be separated by commas.
func (a *asking) addReminders(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		var after length
		if err := after.Set(one); err != nil {
			return err
		}
		a.call.Schedule.Steps = append(a.call.Schedule.Steps, ask.Step{After: time.Duration(after), Do: ask.Remind})
	}
	return nil
}

func placeFlags(flags *pflag.FlagSet, places *[]string, route *string) {
	flags.StringArrayVar(places, "to", nil, "ask in this `place`, as in slack:C0000001, slack:C0000001/<thread>, slack:U0000001 or discord:@<user>; repeat it for more")
	flags.StringVar(route, "route", "", "ask by this `route`; without it and --to by the default route of askbridge serve")
}

func parsePlaces(all []string) ([]ask.Place, error) {
	var to []ask.Place
	for _, s := range all {
		t, err := ask.ParsePlace(s)
		if err != nil {
			return nil, fmt.Errorf("--to %w", err)
		}
		to = append(to, t)
	}
	return to, nil
}

// errGaveUp is the cause of a wait that ended at --timeout.
var errGaveUp = errors.New("no answer in time")

// words asks the question on the command line.
func (a *asking) words(ctx context.Context, words []string, files []ask.File) error {
	a.ours = a.call.Key == "" && a.call.ToolCallID == ""
	q := ask.Question{Text: words[0], Header: a.header, MultiSelect: a.multi, NoOther: a.noOther}
	for _, label := range words[1:] {
		q.Options = append(q.Options, ask.Option{Label: label})
	}
	r := a.call.Request
	r.Questions, r.Links, r.Files = []ask.Question{q}, a.links, files
	patient, cancel := wait.Grace(ctx, withdrawTime)
	defer cancel()
	got, err := a.client.Submit(patient, r)
	if err != nil {
		return a.unasked(ctx, err)
	}
	if !got.Ended() {
		a.line.begin(got.ID, a.where(got))
		id := got.ID
		if got, err = a.await(ctx, id); err != nil {
			a.withdraw(ctx, id)
			return a.broke(ctx, err)
		}
	}
	a.line.end()
	if a.asJSON {
		if err := writeJSON(a.out, got); err != nil {
			return err
		}
	} else if got.State == ask.Answered {
		for _, label := range got.Answers[0].Selected {
			fmt.Fprintln(a.out, label)
		}
		if typed := got.Answers[0].Other; typed != "" {
			fmt.Fprintln(a.out, typed)
		}
	}
	return ended(got.State, got.Reason)
}

// writeJSON writes a value with hidden characters escaped. The JSON decodes to the same texts, byte for byte.
func writeJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, visible.Reveal(text.String()))
	return err
}

// where returns the places of a request, for people.
func (a *asking) where(r *client.Request) []string {
	var all []string
	for _, d := range r.Delivery {
		place := d.Place()
		if place.User != "" {
			place.Channel = "" // That of the direct messages.
		}
		place.Thread = ""
		all = append(all, place.String())
	}
	return all
}

// host is the agent host of --dialect, and how it differs from its documents.
func (a *asking) host() (dialect.Dialect, dialect.Options, error) {
	var opts dialect.Options
	d, ok := dialect.Get(a.call.Dialect)
	if !ok {
		var names []string
		for _, d := range dialect.All() {
			names = append(names, d.Name)
		}
		slices.Sort(names)
		return d, opts, usage(fmt.Errorf("--dialect %q: it can be one of %s", a.call.Dialect, strings.Join(names, ", ")))
	}
	if err := opts.Vary(a.call.Variants...); err != nil {
		return d, opts, usage(fmt.Errorf("--variant: it can be one of %s", strings.Join(dialect.Variants(), ", ")))
	}
	return d, opts, nil
}

// writeTool prints the host's question tool as a model needs it.
func (a *asking) writeTool(out io.Writer) error {
	d, _, err := a.host()
	if err != nil {
		return err
	}
	schema, ok := d.ToolSchema()
	if !ok {
		return usage(fmt.Errorf("--dialect %s is a protocol between programs without a tool for a model", d.Name))
	}
	return writeJSON(out, schema)
}

// tool asks what an agent host's tool was called with.
func (a *asking) tool(ctx context.Context, in io.Reader) error {
	d, opts, err := a.host()
	if err != nil {
		return err
	}
	if a.call.Input, err = io.ReadAll(io.LimitReader(in, dialect.MaxInput+1)); err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	if got, err := d.Decode(a.call.Input, &opts); err == nil && a.call.ToolCallID == "" {
		a.call.ToolCallID = got.Request.ToolCallID
	}
	a.ours = a.call.Key == "" && a.call.ToolCallID == ""
	patient, cancel := wait.Grace(ctx, withdrawTime)
	defer cancel()
	r, err := a.client.SubmitTool(patient, a.call)
	if err != nil {
		return a.unasked(ctx, err)
	}
	printAdvice(a.err, r.Advice)
	if r.State == ask.Open {
		a.line.begin(r.RequestID, a.places)
		later, err := a.client.WaitTool(ctx, r.RequestID, a.call.Dialect, a.call.Input, a.call.Variants...)
		a.line.end()
		if err != nil {
			if a.withdraw(ctx, r.RequestID) {
				r = a.last(ctx, r)
			}
			_, failed := a.out.Write(r.Body)
			return errors.Join(failed, a.broke(ctx, err))
		}
		r = later
	}
	if _, err := a.out.Write(r.Body); err != nil {
		return err
	}
	return ended(r.State, "")
}

// printAdvice prints what the bridge ignored or read differently from how it was sent.
func printAdvice(w io.Writer, advice []client.Remark) {
	for _, r := range advice {
		fmt.Fprintln(w, visible.Reveal(strings.TrimPrefix(r.Path+": "+r.Detail, ": ")))
	}
}

// last returns the result after the question was withdrawn.
func (a *asking) last(ctx context.Context, r *client.ToolResult) *client.ToolResult {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
	defer cancel()
	if later, err := a.client.ToolResult(ctx, r.RequestID, a.call.Dialect, a.call.Input, a.call.Variants...); err == nil {
		return later
	}
	return r
}

// withdraw withdraws a question whose answer no other process can fetch.
func (a *asking) withdraw(ctx context.Context, id string) bool {
	if !a.ours || ctx.Err() == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
	defer cancel()
	_, err := a.client.Cancel(ctx, id, "the caller stopped waiting")
	a.withdrawn = err == nil
	return a.withdrawn
}

// unasked returns the error for a question that the bridge did not accept. If --timeout passed meanwhile, that does not mean
// that people did not answer.
func (a *asking) unasked(ctx context.Context, err error) error {
	late := errors.Is(context.Cause(ctx), errGaveUp)
	problem, _ := errors.AsType[*client.Problem](err)
	switch {
	case errors.Is(err, ask.ErrInvalid):
		return usage(err)
	case !late && ctx.Err() != nil:
	case problem != nil && problem.Status/100 == 4, errors.Is(err, client.ErrUnknownToken), silent(err) != "":
		return fmt.Errorf("no one was asked: %w", err)
	case late && problem != nil:
		return fmt.Errorf("the bridge did not confirm the question: %w", problem)
	case late && errors.Is(err, context.Canceled):
		return errors.New("the bridge did not confirm the question in time")
	default:
		return fmt.Errorf("the bridge did not confirm the question: %w", err)
	}
	return a.broke(ctx, err)
}

// broke returns the error for a wait that ended before the question did.
func (a *asking) broke(ctx context.Context, err error) error {
	a.line.end()
	left := ""
	switch {
	case a.withdrawn:
		left = "; the question was withdrawn"
	case !a.ours:
		left = "; the same command finds it again"
	}
	switch {
	case errors.Is(context.Cause(ctx), errGaveUp):
		return &exit{exitGaveUp, fmt.Errorf("%w%s", errGaveUp, left)}
	case ctx.Err() != nil:
		return &exit{exitInterrupted, fmt.Errorf("interrupted before there was an answer%s", left)}
	}
	return err
}

// ended returns the error for the end of a request, or nil if it was answered.
func ended(s ask.State, reason string) error {
	text := "the question ended without an answer: " + string(s)
	if reason != "" {
		text += " (" + reason + ")"
	}
	switch s {
	case ask.Answered:
		return nil
	case client.StateRefused:
		return &exit{code: exitUsage}
	case ask.Cancelled:
		return &exit{exitCancelled, errors.New(text)}
	case ask.Expired:
		return &exit{exitExpired, errors.New(text)}
	case ask.Superseded:
		return &exit{exitSuperseded, errors.New(text)}
	case ask.Open, ask.Failed:
	}
	return &exit{exitNotShown, errors.New(text)}
}
