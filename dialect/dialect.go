package dialect

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/textinput"
)

// MaxInput is the largest tool input that is read, in bytes. It leaves room for
// [ask.MaxText] characters with every one of them escaped, twice.
const MaxInput = 1 << 20

// Evidence says how well a dialect's forms are known.
type Evidence string

// The kinds of evidence.
const (
	// Exact: the rules were taken from the host's documentation or source, and
	// the form carries every answer whole.
	Exact Evidence = "exact"
	// Lossy: the rules are known, and the form cannot carry everything.
	Lossy Evidence = "lossy"
	// Unverified: some part of the form rests on inference.
	Unverified Evidence = "unverified"
)

// Limits are what the host documents for one call. Zero means that it names no
// limit of its own; the bridge's limits hold beside them.
type Limits struct {
	MaxQuestions int
	MinOptions   int
	MaxOptions   int
	// Header is the documented length of a header.
	Header int
}

// Dialect is one form of one agent host's question tool. The zero value speaks
// nothing: take one from [All] or [Get].
type Dialect struct {
	// Name is the path element and flag value, such as "claude".
	Name string
	// Family groups the forms of one host.
	Family string
	// Host and Tool say in a reader's words who speaks it.
	Host, Tool string
	// Source is where the rules were taken from.
	Source   string
	Limits   Limits
	Evidence Evidence
	// Note says in one sentence what the form loses or what is unverified.
	Note string

	// syntax words an input that is no JSON; empty means the usual words.
	syntax string
	// noDeadline says that the host waits as long as people need.
	noDeadline bool
	// leavesOut says that the host's form can leave a question out, and takesNotes that it
	// has a place for a note beside an answer.
	leavesOut, takesNotes bool
	// wordless says that the host's form has no place for words in place of an answer; a
	// [prompt] says that of its own.
	wordless bool

	read  func(*call, json.RawMessage)
	write func(*call, []pick) Result
	end   func(*call, Ending, string) Result
}

// All returns every dialect, the founding documents' five families first.
func All() []Dialect {
	return []Dialect{
		spring(), springTool(),
		agno(), agnoNative(),
		askUserQuestion(),
		reqAUQ(),
		opal(),
		claude(), claudeText(),
		codex(), openCode(), gemini(), qwen(), qwenPayload(), kimi(), crush(), crushPayload(),
		vscode(), copilot(), cursor(), cline(), roo(),
		pydanticAI(), langGraph(), agUI(), a2a(),
		mcp(), acp(),
	}
}

// Get returns the dialect of that name.
func Get(name string) (Dialect, bool) {
	for _, d := range All() {
		if d.Name == name {
			return d, true
		}
	}
	return Dialect{}, false
}

// Options adjust one call. Nil means the defaults.
type Options struct {
	// MaxQuestions replaces the dialect's own limit; at most [ask.MaxQuestions].
	MaxQuestions int
	// Strict refuses what is otherwise accepted with advice.
	Strict bool
	// Released follows the host's released code where it differs from its
	// documentation. Spring: one to four questions instead of ten, and long
	// headers and option counts are only warned about.
	Released bool
	// Partial lets people skip questions, or leave them, where the host's form can leave
	// a question out; it is refused where it cannot. Questions that the input itself
	// says are required stay so. Spring: answersValidation(false).
	Partial bool
	// Notes lets people write a note beside each answer, where the host's form has a
	// place for it; it is refused where it has none.
	Notes bool
	// SubAgent says that a sub-agent calls. Some hosts refuse that, and then
	// the error matches [ErrSubAgent].
	SubAgent bool
	// Persist is how far a permission may reach beyond its call, where the host says
	// what it could keep; empty means [PersistSession].
	Persist Persist
	// Grants is how far and how long people may allow a call again without being asked;
	// the zero value offers nothing of the kind.
	Grants ask.Grants
	// RequestID is named in the result of a request that is still open.
	RequestID string
}

// Call is a decoded tool input.
type Call struct {
	// Request holds the questions, and the session and tool-call id where the
	// input names them. Who is asked, and where, is the caller's to add.
	Request ask.Request
	// Advice lists what was accepted but will be shown or answered differently
	// from how it was sent. See [Call.Remarks].
	Advice []ask.Problem
	// Permission says that the call asks whether something may be done, so that
	// whoever may answer has to be named.
	Permission bool
	// Line is what the host writes into its own log of the call; empty where it
	// writes nothing of what is asked.
	Line string
	// Ignored lists the paths of members that mean nothing to the host.
	Ignored []string
	// Given are answers that came with the input (Agno's second call). They are
	// nobody's recorded act: pass them to Encode only when standing in for a
	// host that collects answers itself.
	Given []ask.Answer
}

// Remarks returns the advice and, in words, what was ignored: everything that an agent can be told about an accepted input.
func (c Call) Remarks() []ask.Problem {
	all := slices.Clone(c.Advice)
	said := map[string]bool{}
	for _, p := range all {
		said[p.Path] = true
	}
	for _, path := range c.Ignored {
		if !said[path] {
			all = append(all, ask.Problem{Path: path, Detail: "is not a member this host knows; it was ignored"})
		}
	}
	return all
}

// Result is what goes back to the host.
type Result struct {
	// Body is the host's form, byte for byte. It is empty where the host
	// expects silence.
	Body []byte
	// ContentType is "application/json" or "text/plain; charset=utf-8".
	ContentType string
	// IsError reports that the host or its model will see an error.
	IsError bool
	// Pending reports that the request is open and nothing is decided.
	Pending bool
	// StopTurn asks the host to end the agent's turn (Crush).
	StopTurn bool
	// Send names the host's endpoint for the body where the host is answered
	// by a request of its own, as in "POST /question/que_1/reply".
	Send string
	// Warnings say what the form could not carry; they are for the log.
	Warnings []string
}

// ErrSubAgent is matched by the error of [Dialect.Decode] when the host lets
// only a main agent ask.
var ErrSubAgent = errors.New("sub-agents cannot ask people questions; only the main agent can")

// InputError names everything that is wrong with a tool input. It matches
// [ask.ErrInvalid] and the sentinel of each of its problems, and holds an
// [*ask.InvalidError].
type InputError struct {
	Dialect  string
	Problems []ask.Problem
	// Said is what the host's own tool would say, which stops at the first thing
	// wrong; where it has no words for any of it, all of it in ours.
	Said string
}

func (e *InputError) Error() string { return e.Said }

// Unwrap returns the same problems as an ask.InvalidError.
func (e *InputError) Unwrap() error { return &ask.InvalidError{Problems: e.Problems} }

// Decode reads a tool input. Its error is an [*InputError] naming every
// problem, each as the host would say it; [Dialect.Refuse] turns it into a
// result. A request that decodes passes [ask.Request.Validate] under its own
// [ask.Request.Rules] as far as its questions go, so that the bridge takes it
// whatever its other callers are allowed.
func (d Dialect) Decode(input []byte, opts *Options) (Call, error) {
	c := d.open(input, opts)
	if err := c.err(); err != nil {
		return Call{}, err
	}
	return Call{Request: c.request, Advice: c.advice, Ignored: c.ignored, Given: c.given, Permission: c.permission, Line: c.line}, nil
}

// Encode turns an outcome into the host's result. It takes the tool input
// again, unchanged, with the same options: question texts, headers, labels and
// ids are echoed from its bytes.
func (d Dialect) Encode(input []byte, out ask.Outcome, opts *Options) Result {
	c := d.open(input, opts)
	if err := c.err(); err != nil {
		return d.refuse(c, err)
	}
	ending := EndingOf(out, len(c.items))
	if c.who = line(out.By.Name, 60); c.who == "" {
		c.who = "A person"
	}
	if c.reply = out.Reply(); ending != Answered && ending != Partial {
		return d.finish(c, d.ended(c, ending, notice(ending, out, c.opts.RequestID)), ending)
	}
	c.by, c.left = answeredBy(out), len(out.Skipped)+len(out.Left) > 0
	picks, err := c.picks(out)
	if err != nil {
		out.Reason = err.Error()
		return d.finish(c, d.ended(c, Failed, notice(Failed, out, "")), Failed)
	}
	if c.prompt != nil {
		return d.finish(c, c.promptAnswered(picks[0]), ending)
	}
	return d.finish(c, d.write(c, picks), ending)
}

// ended is the result of an end without an answer.
func (d Dialect) ended(c *call, e Ending, text string) Result {
	if c.prompt != nil {
		return c.promptEnded(e, text)
	}
	return d.end(c, e, text)
}

// Refuse says err in the host's form: an error of Decode, or one of the bridge,
// such as an unknown route.
func (d Dialect) Refuse(input []byte, err error) Result {
	return d.refuse(d.open(input, nil), err)
}

func (d Dialect) refuse(c *call, err error) Result {
	return d.finish(c, d.ended(c, Refused, err.Error()), Refused)
}

func (d Dialect) finish(c *call, r Result, e Ending) Result {
	r.Pending = e == Pending
	r.Warnings = append(r.Warnings, c.warnings...)
	return r
}

// open reads the input as far as it can be read.
func (d Dialect) open(input []byte, opts *Options) *call {
	c := &call{dialect: d}
	if opts != nil {
		c.opts = *opts
	}
	c.strict = c.opts.Strict
	if len(input) > MaxInput {
		c.badAt("", ask.ErrTooLong, "the tool input has %d bytes; at most %d are read", len(input), MaxInput)
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
		c.badAt("", ask.ErrSyntax, "the tool input is a JSON string; send the object itself")
		c.unread = true
		return c
	case wrapped:
		c.odd("the tool input", ask.ErrSyntax, "was JSON inside a string; it was read as what it holds")
	}
	if !c.members("", data) {
		said := c.problems
		d.read(c, data) // The refusal has to fit the envelope.
		c.problems, c.unread = said, true
		return c
	}
	if d.read(c, data); !c.unread {
		c.vary()
		c.judge()
	}
	return c
}

// vary lets people leave questions out, and write notes, where the call is to and the
// host's form can say so. Whether something may be done is always answered.
func (c *call) vary() {
	if c.request.Wordless = c.dialect.wordless || c.wordless; c.prompt != nil {
		c.request.Wordless = c.prompt.deaf
	}
	if c.opts.Partial && !c.dialect.leavesOut {
		c.badAt("variant", ask.ErrSyntax, "partial does not fit %s, whose form cannot leave a question out", c.dialect.Name)
	}
	if c.opts.Notes && !c.dialect.takesNotes {
		c.badAt("variant", ask.ErrSyntax, "notes does not fit %s, whose form has no place for a note", c.dialect.Name)
	}
	for i, it := range c.items {
		q := &c.request.Questions[i]
		q.Optional = c.opts.Partial && !it.required && !c.permission && c.asks == ""
		q.Notes = c.opts.Notes && !c.permission && c.asks == ""
	}
}

// malformed refuses an input that is not JSON.
func (c *call) malformed(reason string) {
	c.unread = true
	if said := c.dialect.syntax; said != "" {
		c.bad("", ask.ErrSyntax, said, reason)
		return
	}
	c.badAt("", ask.ErrSyntax, "the tool input is not valid JSON: %s", reason)
}

// members refuses an input that says two things at once: this package and the
// host might each take another one for what was asked.
func (c *call) members(path string, data []byte) bool {
	twice, refused := errors.AsType[*ask.InvalidError](ask.CheckMembers(data))
	if !refused {
		return true
	}
	for _, p := range twice.Problems {
		at := strings.ReplaceAll(path+"."+p.Path, ".[", "[")
		c.badAt(strings.TrimPrefix(at, "."), p.Kind, "%s", p.Detail)
	}
	c.unread = true
	return false
}
