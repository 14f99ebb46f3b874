package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
)

// call is one tool input while it is read and answered.
type call struct {
	dialect Dialect
	opts    Options
	strict  bool

	request ask.Request
	items   []item
	// sent is the number of questions in the input.
	sent     int
	given    []ask.Answer
	problems []problem
	advice   []ask.Problem
	ignored  []string
	warnings []string
	// unread is set when the questions could not be read at all, so that
	// nothing further is said about them.
	unread bool

	// input is the tool input inside its envelope and raw its list of
	// questions, both as they were sent; form says which envelope that was.
	input, raw json.RawMessage
	form       string
	// id is the host's own id of the call and rpcID that of the JSON-RPC
	// request around it; both are echoed.
	id, rpcID token
	// permission says that the one question is whether something may be done.
	permission bool
	// wary says that the host wants no permission given by a single tap.
	wary bool
	// asks is the tool that a permission is asked for, asksAt the path of its input, and envelope
	// what stands around that.
	asks, asksAt string
	envelope     fields
	// home is the person's home directory, which cards write as ~.
	home string
	// prompt is the host's own request for a permission, where it has words of its own for
	// every answer.
	prompt *prompt
	// wordless says that this call takes no words in place of an answer, where others of its
	// dialect do.
	wordless bool
	// keeps are the options that allow more than the call at hand.
	keeps []kept
	// who is whoever answered, and by names them with the platform answered, as in "Dana on
	// Slack", empty where nobody's name is known.
	who, by string
	// reply is what a person wrote in place of all answers.
	reply string
	// left says that people left questions out on purpose.
	left bool
	// line is what the host's own log says of the call.
	line string
	// parts are what a set made of several host requests is answered as.
	parts []part
}

// part is one of several host requests answered together.
type part struct {
	id          token
	first, size int
	bare        bool
}

// item is one question in the words of the input.
type item struct {
	index   int
	at      string // path
	shape   shape
	text    token
	header  token
	key     token // the host's id of the question
	kind    string
	multi   bool
	options []option
	// sent is the number of options in the input; an "Other" entry may have
	// been taken off since.
	sent int
	has  map[string]bool
	// extra holds the members its shape calls known.
	extra fields
	// required is set where a schema demands an answer.
	required bool
	// other is the key of a member of its own for typed text.
	other token
}

type option struct {
	label       token
	key         token
	preview     token
	kind        string
	description string
	has         map[string]bool
}

// problem is an ask.Problem, with whether its sentence is the host's own.
type problem struct {
	ask.Problem
	host bool
}

// bad refuses the input in a sentence of the host, byte for byte.
func (c *call) bad(path string, kind error, format string, args ...any) {
	c.problems = append(c.problems, problem{ask.Problem{Path: path, Kind: kind, Detail: fmt.Sprintf(format, args...)}, true})
}

// badAt refuses the input in our own words.
func (c *call) badAt(path string, kind error, format string, args ...any) {
	c.problems = append(c.problems, problem{ask.Problem{Path: path, Kind: kind, Detail: fmt.Sprintf(format, args...)}, false})
}

// err returns an [*InputError] with every problem. A host's tool stops at the
// first thing it finds wrong: where it has a sentence for one, the first of them
// is what is said, alone; what only we find wrong is said together.
func (c *call) err() error {
	if len(c.problems) == 0 {
		return nil
	}
	e := &InputError{Dialect: c.dialect.Name}
	var ours []string
	for _, p := range c.problems {
		e.Problems = append(e.Problems, p.Problem)
		switch {
		case !p.host:
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

// odd accepts what the host would not, since it harms no answer; strict calls
// refuse it.
func (c *call) odd(path string, kind error, format string, args ...any) {
	if c.strict {
		c.badAt(path, kind, format, args...)
		return
	}
	c.advise(path, format, args...)
}

// tolerate is odd for what the host has a sentence for.
func (c *call) tolerate(path string, kind error, format string, args ...any) {
	if c.strict {
		c.bad(path, kind, format, args...)
		return
	}
	c.advise(path, format, args...)
}

func (c *call) advise(path, format string, args ...any) {
	c.advice = append(c.advice, ask.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// maxQuestions is the limit of this call.
func (c *call) maxQuestions() int {
	most := c.dialect.Limits.MaxQuestions
	if c.opts.MaxQuestions > 0 {
		most = c.opts.MaxQuestions
	}
	if most <= 0 || most > ask.MaxQuestions {
		most = ask.MaxQuestions
	}
	return most
}

// rules are what the bridge holds the request to: the number of questions as the
// host takes it, and any number of options that can be shown, since the dialects
// refuse by themselves what their hosts do.
func (c *call) rules() *ask.Rules {
	return &ask.Rules{MaxQuestions: c.maxQuestions(), MinOptions: 1, MaxOptions: ask.MaxOptions, NoDeadline: c.dialect.noDeadline}
}

// judge adds what the bridge would refuse and the host's own rules did not
// name yet, so that nobody is told in two rounds.
func (c *call) judge() {
	c.headers()
	c.request.Rules = c.rules()
	r := c.request
	if len(r.Session) > ask.MaxName || len(r.ToolCallID) > ask.MaxName {
		c.badAt("", ask.ErrTooLong, "the ids of session and tool call may have at most %d bytes", ask.MaxName)
		r.Session, r.ToolCallID = "", ""
	}
	err := r.Validate(c.request.Rules)
	invalid, ok := err.(*ask.InvalidError) //nolint:errorlint // Validate returns it bare
	if !ok {
		return
	}
	for _, p := range invalid.Problems {
		if !c.named(p) {
			c.badAt(c.hostPath(p.Path), p.Kind, "%s", p.Detail)
		}
	}
}

// named reports whether the host's rules have found the same fault at the same
// question already.
func (c *call) named(p ask.Problem) bool {
	for _, have := range c.problems {
		if errors.Is(have.Kind, p.Kind) && (have.Path == c.hostPath(p.Path) || have.Path == p.Path) {
			return true
		}
	}
	return false
}

// hostPath turns "questions[1].options" into the place the host knows.
func (c *call) hostPath(path string) string {
	for i, it := range c.items {
		rest, ok := strings.CutPrefix(path, questionPath(i))
		if !ok {
			continue
		}
		for _, n := range []struct {
			ours string
			host []string
		}{{".question", it.shape.text}, {".header", it.shape.header}, {".options", it.shape.options}} {
			if after, ok := strings.CutPrefix(rest, n.ours); ok && len(n.host) > 0 {
				rest = "." + n.host[0] + after
			}
		}
		if before, ok := strings.CutSuffix(rest, ".label"); ok && len(it.shape.label) > 0 {
			rest = before + "." + it.shape.label[0]
		}
		if path = strings.TrimPrefix(it.at+rest, "."); path == "" {
			return "question"
		}
		return path
	}
	return path
}

func questionPath(i int) string { return fmt.Sprintf("questions[%d]", i) }

// headers advises where a header is longer than the host documents.
func (c *call) headers() {
	most := c.dialect.Limits.Header
	if most == 0 {
		most = ask.HeaderAdvice
	}
	for _, it := range c.items {
		if n := utf8.RuneCountInString(it.header.text); n > most {
			c.advise(c.path(it, "header"), "has %d characters; more than %d may be cut for display", n, most)
		}
	}
}

func (c *call) path(it item, rest string) string {
	return strings.TrimPrefix(it.at+"."+rest, ".")
}

// unique refuses two questions with the same answer key: their answers would
// fall together.
func (c *call) unique(what string, key func(item) token) {
	first := map[string]int{}
	for i, it := range c.items {
		k := key(it)
		if j, dup := first[k.text]; dup {
			c.badAt(c.path(it, what), ask.ErrDuplicateLabel, "is the same as in question %d (%q); this host files answers by it, so they must differ", j+1, brief(k.text))
			continue
		}
		first[k.text] = i
	}
}

func itemText(it item) token   { return it.text }
func itemHeader(it item) token { return it.header }
func itemKey(it item) token    { return it.key }

// mainAgentOnly refuses a sub-agent in the host's words.
func (c *call) mainAgentOnly(text string) {
	if c.opts.SubAgent {
		c.bad("", ErrSubAgent, "%s", text)
	}
}
