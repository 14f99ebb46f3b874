package dialect

import (
	"encoding/json"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// Evidence is how well a dialect's formats are known.
type Evidence string

// The kinds of evidence.
const (
	// Exact: the rules come from the host's documentation or source, and the format carries every answer in full.
	Exact Evidence = "exact"
	// Lossy: the rules are known, but the format cannot carry everything.
	Lossy Evidence = "lossy"
	// Unverified: part of the format is inferred.
	Unverified Evidence = "unverified"
)

// Limits are the host's documented limits for one call. Zero means that the host documents none; the
// bridge's own limits apply as well.
type Limits struct {
	MaxQuestions int
	MinOptions   int
	MaxOptions   int
	// Header is the documented maximum length of a header, in characters.
	Header int
}

// Dialect is one format of one agent host's question tool. Get one from [All] or [Get]; the zero value
// cannot decode anything.
type Dialect struct {
	// Name identifies the dialect in URLs and flags, such as "claude".
	Name string
	// Family is shared by all formats of one host.
	Family string
	// Host and Tool name the host and its tool for readers.
	Host, Tool string
	// Source is the URL of the rules.
	Source   string
	Limits   Limits
	Evidence Evidence
	// Note is one sentence about what the format loses or what is unverified.
	Note string

	// studied lists the documents and sources that were read, with version and date.
	studied string
	// verified is the version of the host that ran against the dialect in test/hosts, and the date; it is empty
	// if none did.
	verified string
	// headless describes what happens to a question if the host has no screen, for example in a script.
	headless string

	// syntax is the host's message for malformed JSON, with one verb for the reason; empty for the default message.
	syntax string
	// noDeadline is set if the host waits without a time limit.
	noDeadline bool
	// canSkip is set if the host's format can leave a question out, canNote if it has a place for a note on an answer.
	canSkip, canNote bool
	// noReply is set if the host's format has no place for a reply instead of answers. A [prompt] decides this itself.
	noReply bool

	// shells are the tools that run a command in the host's own shell. The description in their input is the
	// model's wording, which the shell never reads: the card shows it as the agent's words, and an approval does not
	// cover it. In the input of any other tool a member of that name may matter.
	shells []string
	// uncovered lists the members of a permission prompt that an approval does not cover, each with the reason. Every
	// other member is shown on the card and is part of the [ask.Operation], including members that a later version of the
	// host adds. If a host names no folder, a client that forwards its prompts can add it as the member cwd, and the
	// home directory on the host's machine as home.
	uncovered map[string]string

	// read decodes the input into the call. The call is read again before it is answered.
	read func(*call, json.RawMessage)
	// write encodes the answers to all questions.
	write func(*call, []answer.Pick) Result
	// end encodes an end without answers. The text explains it.
	end func(*call, Ending, string) Result
}

// Common cases of [Dialect.headless].
const (
	noScreen = "it has none: the program that runs it answers, in this form"
	noTool   = "the tool is taken away"
)

// Read returns what was read about the host, with version and date.
func (d Dialect) Read() string { return d.studied }

// Verified returns the version of the host that ran against the dialect, and the date, as in "Codex 0.171.0 on 2026-11-28".
// It is empty if the dialect is based on documents and source only.
func (d Dialect) Verified() string { return d.verified }

// Call is a decoded tool input.
type Call struct {
	// Request holds the questions, and the session and tool-call ID if the input has them. The caller adds the
	// people and places.
	Request ask.Request
	// Advice lists what was accepted but will be shown or answered differently from how it was sent. See [Call.Remarks].
	Advice []ask.Problem
	// Permission is set if the call asks for permission to do something. Such a call needs named responders.
	Permission bool
	// Line is the line that the host writes to its own log for this call; empty if the host logs nothing.
	Line string
	// Ignored lists the paths of members that the host does not know.
	Ignored []string
	// Given are answers that came with the input (Agno's second call). No person's action was recorded for them: pass them
	// to Encode only to stand in for a host that collects answers itself.
	Given []ask.Answer
}

// Remarks returns the advice and a message for each ignored member: everything that is worth reporting to the agent about an
// accepted input.
func (c Call) Remarks() []ask.Problem {
	all := slices.Clone(c.Advice)
	advised := map[string]bool{}
	for _, p := range all {
		advised[p.Path] = true
	}
	for _, path := range c.Ignored {
		if !advised[path] {
			all = append(all, ask.Problem{Path: path, Detail: "is not a member this host knows; it was ignored"})
		}
	}
	return all
}

// Decode decodes a tool input. Its error is an [*InputError] with every problem, each worded as the host words it;
// [Dialect.Refuse] encodes the error for the host. The questions of a decoded request pass [ask.Request.Validate] under the
// request's own [ask.Request.Rules], so that the bridge accepts them whatever limits its other callers have.
func (d Dialect) Decode(input []byte, opts *Options) (Call, error) {
	c := d.open(input, opts)
	if err := c.err(); err != nil {
		return Call{}, err
	}
	return Call{Request: c.Request, Advice: c.Advice, Ignored: c.Ignored, Given: c.given, Permission: c.Request.Permission, Line: c.line}, nil
}

// Encode encodes an outcome as the host's result. It needs the same input and options as [Dialect.Decode], because question
// texts, headers, labels and IDs are echoed byte for byte.
func (d Dialect) Encode(input []byte, out ask.Outcome, opts *Options) Result {
	c := d.open(input, opts)
	if err := c.err(); err != nil {
		return d.refuse(c, err)
	}
	ending := EndingOf(out, len(c.Items))
	if c.who = quote.Line(out.By.Name, 60); c.who == "" {
		c.who = "A person"
	}
	if c.reply = out.Reply(); ending != Answered && ending != Partial {
		return d.finish(c, d.ended(c, ending, notice(ending, out, c.opts.RequestID)), ending)
	}
	c.by, c.left = answeredBy(out), len(out.Skipped)+len(out.Left) > 0
	picks, err := answer.Picks(&c.Set, out)
	if err != nil {
		out.Reason = err.Error()
		return d.finish(c, d.ended(c, Failed, notice(Failed, out, "")), Failed)
	}
	if c.prompt != nil {
		return d.finish(c, c.prompt.answered(c, picks[0]), ending)
	}
	return d.finish(c, d.write(c, picks), ending)
}

// Refuse encodes an error for the host: one of Decode, or one of the bridge, such as an unknown route.
func (d Dialect) Refuse(input []byte, err error) Result {
	return d.refuse(d.open(input, nil), err)
}

func (d Dialect) refuse(c *call, err error) Result {
	return d.finish(c, d.ended(c, Refused, err.Error()), Refused)
}

// ended encodes an end without answers.
func (d Dialect) ended(c *call, e Ending, text string) Result {
	if c.prompt != nil {
		return c.prompt.ended(c, e, text)
	}
	return d.end(c, e, text)
}

func (d Dialect) finish(c *call, r Result, e Ending) Result {
	r.Pending = e == Pending
	r.Warnings = append(r.Warnings, c.Warnings...)
	return r
}
