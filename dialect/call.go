package dialect

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/lenient"
	"github.com/askbridge/askbridge/dialect/internal/operation"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/internal/textinput"
)

// MaxInput is the largest accepted tool input, in bytes. It has room for [ask.MaxText] characters that are all escaped twice.
const MaxInput = 1 << 20

// call is one tool input, from reading it to answering it.
type call struct {
	question.Set

	dialect Dialect
	opts    Options
	given   []ask.Answer

	// input is the tool input inside its envelope, as it was sent; form names the envelope.
	input json.RawMessage
	form  string
	// id is the host's ID of the call, rpcID the ID of the JSON-RPC request around it. Both are echoed.
	id, rpcID js.Token
	// prompt answers a request for permission that has its own format.
	prompt prompter
	// noReply is set if this call has no place for a reply instead of answers, although others of its dialect do.
	noReply bool
	// who is the person who ended the request. by lists everyone who answered, with the platform, as in "Dana on
	// Slack"; it is empty if no name is known.
	who, by string
	// reply is what a person wrote instead of answering.
	reply string
	// left is set if people left questions out on purpose.
	left bool
	// line is the line for the host's own log.
	line string
	// parts are the host requests that a set combines.
	parts []part
}

// part is one of several host requests that are answered together.
type part struct {
	id          js.Token
	first, size int
	bare        bool
}

// open reads as much of the input as possible.
func (d Dialect) open(input []byte, opts *Options) *call {
	c := &call{dialect: d}
	if opts != nil {
		c.opts = *opts
	}
	c.Strict, c.Limits, c.Most = c.opts.Strict, question.Limits(d.Limits), c.opts.MaxQuestions
	if len(input) > MaxInput {
		c.Reject("", ask.ErrTooLong, "the tool input has %d bytes; at most %d are read", len(input), MaxInput)
		return c
	}
	data, wrapped, err := textinput.JSON(input)
	if err == nil {
		err = json.Unmarshal(data, new(json.RawMessage))
	}
	switch {
	case err != nil:
		c.malformed(err.Error())
		return c
	case data[0] == '"' && d.syntax == "":
		c.Reject("", ask.ErrSyntax, "the tool input is a JSON string; send the object itself")
		c.Unread = true
		return c
	case wrapped:
		c.Tolerate("the tool input", ask.ErrSyntax, "was JSON inside a string; it was read as what it holds")
	}
	if !c.Unambiguous("", data) {
		problems := c.Problems
		d.read(c, data) // The refusal has to fit the envelope.
		c.Problems, c.Unread = problems, true
		return c
	}
	if d.read(c, data); !c.Unread {
		c.vary()
		c.judge()
	}
	return c
}

// malformed rejects an input that is not JSON.
func (c *call) malformed(reason string) {
	c.Unread = true
	if c.dialect.syntax != "" {
		c.RejectAsHost("", ask.ErrSyntax, c.dialect.syntax, reason)
		return
	}
	c.Reject("", ask.ErrSyntax, "the tool input is not valid JSON: %s", reason)
}

// vary makes questions optional and adds notes, if the options ask for it and the host's format supports it. A request
// for permission is never optional.
func (c *call) vary() {
	if c.Request.Wordless = c.dialect.noReply || c.noReply; c.prompt != nil {
		c.Request.Wordless = c.prompt.noReply()
	}
	if c.opts.Partial && !c.dialect.canSkip {
		c.Reject("variant", ask.ErrSyntax, "partial does not fit %s, whose form cannot leave a question out", c.dialect.Name)
	}
	if c.opts.Notes && !c.dialect.canNote {
		c.Reject("variant", ask.ErrSyntax, "notes does not fit %s, whose form has no place for a note", c.dialect.Name)
	}
	for i, it := range c.Items {
		q := &c.Request.Questions[i]
		q.Optional = c.opts.Partial && !it.Required && !c.Request.Permission
		q.Notes = c.opts.Notes && !c.Request.Permission
	}
}

// judge adds the problems that the bridge would find and the host's rules did not, so that the agent sees all of them at
// once. The dialects enforce their hosts' option counts themselves.
func (c *call) judge() {
	c.CheckHeaders()
	c.Request.Rules = &ask.Rules{MaxQuestions: c.MaxQuestions(), MinOptions: 1, MaxOptions: ask.MaxOptions, NoDeadline: c.dialect.noDeadline}
	r := c.Request
	if len(r.Session) > ask.MaxName || len(r.ToolCallID) > ask.MaxName {
		c.Reject("", ask.ErrTooLong, "the ids of session and tool call may have at most %d bytes", ask.MaxName)
		r.Session, r.ToolCallID = "", ""
	}
	invalid, ok := errors.AsType[*ask.InvalidError](r.Validate(c.Request.Rules))
	if !ok {
		return
	}
	for _, p := range invalid.Problems {
		if !c.reported(p) {
			c.Reject(c.HostPath(p.Path), p.Kind, "%s", p.Detail)
		}
	}
}

// reported reports whether the host's rules already found this problem at this question.
func (c *call) reported(p ask.Problem) bool {
	return slices.ContainsFunc(c.Problems, func(have lenient.InputError) bool {
		return errors.Is(have.Kind, p.Kind) && (have.Path == c.HostPath(p.Path) || have.Path == p.Path)
	})
}

// err returns an [*InputError] with every problem, or nil.
func (c *call) err() error {
	if len(c.Problems) == 0 {
		return nil
	}
	e := &InputError{Dialect: c.dialect.Name}
	var ours []string
	for _, p := range c.Problems {
		e.Problems = append(e.Problems, p.Problem)
		switch {
		case !p.Host:
			ours = append(ours, strings.TrimPrefix(p.Problem.Error(), ": "))
		case e.Said == "":
			e.Said = p.Detail
		}
	}
	if e.Said == "" {
		e.Said = strings.Join(ours, "; ")
	}
	return e
}

// requireMainAgent rejects a sub-agent in the host's words.
func (c *call) requireMainAgent(text string) {
	if c.opts.SubAgent {
		c.RejectAsHost("", ErrSubAgent, "%s", text)
	}
}

// isShell reports whether a tool is the host's own shell.
func (c *call) isShell(tool string) bool { return slices.Contains(c.dialect.shells, tool) }

// covered returns the members of a permission prompt that an approval covers, without the given ones. A member that is null counts
// as absent, as in the protocols of these hosts. Within a tool's input, null is a value like any other.
func (c *call) covered(f js.Fields, except ...string) js.Fields {
	kept := maps.Clone(f)
	maps.DeleteFunc(kept, func(name string, value json.RawMessage) bool {
		_, uncovered := c.dialect.uncovered[name]
		return uncovered || js.Missing(value) || slices.Contains(except, name) || name == operation.Home
	})
	return kept
}

// covers sets the operation that the prompt asks about: a tool with the given parts of the prompt, in the folder and
// environment that f names.
func (c *call) covers(tool string, f js.Fields, parts ...any) {
	operation.Describe(&c.Set, c.dialect.Family, tool, f, parts)
}
