package ask

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The limits of a request. The counts follow the tools that agents are trained on; the lengths
// keep the whole set inside one Slack modal (250 kB, https://docs.slack.dev/surfaces/modals)
// even if every character must be escaped.
const (
	DefaultMaxQuestions = 4
	MaxQuestions        = 10
	DefaultMinOptions   = 2
	DefaultMaxOptions   = 4
	// MaxOptions is the most options any rules allow per question: the smallest menu limit of
	// all platforms. Discord allows 25
	// (https://docs.discord.com/developers/components/reference#string-select), Slack 100
	// (https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element).
	MaxOptions = 25
	// HeaderAdvice is the length above which a header is truncated for display. A longer one is
	// accepted and reported by [Advise].
	HeaderAdvice = 12
	// MaxLabel is the maximum length of a label or header, in characters.
	MaxLabel = 1000
	// MaxText is the maximum length of all texts of a request together, in characters.
	MaxText = 30_000
	// MaxName is the maximum length of ids, names and routes, in bytes.
	MaxName = 256
	// MaxTargets is the maximum number of places per request.
	MaxTargets = 10
	// MaxExpiresIn is the longest deadline; use [Never] for none.
	MaxExpiresIn = 366 * 24 * time.Hour
)

// The kinds of problems. [Request.Validate] and the decoders return an [*InvalidError] whose
// problems wrap these, for use with [errors.Is].
var (
	ErrInvalid          = errors.New("ask: invalid request")
	ErrSyntax           = errors.New("ask: malformed input")
	ErrNoQuestions      = errors.New("ask: no questions")
	ErrTooManyQuestions = errors.New("ask: too many questions")
	ErrEmptyQuestion    = errors.New("ask: empty question text")
	ErrOptionCount      = errors.New("ask: wrong number of options")
	ErrEmptyLabel       = errors.New("ask: empty option label")
	ErrDuplicateLabel   = errors.New("ask: duplicate option label")
	ErrUnanswerable     = errors.New("ask: question without any way to answer")
	ErrTooLong          = errors.New("ask: text too long")
	ErrTarget           = errors.New("ask: wrong target")
	ErrResponders       = errors.New("ask: wrong responders")
	ErrExpiry           = errors.New("ask: wrong expiry")
	ErrWebhook          = errors.New("ask: wrong webhook")
	ErrPolicy           = errors.New("ask: wrong policy")
	ErrNotify           = errors.New("ask: wrong notify")
	ErrReplies          = errors.New("ask: wrong replies")
	ErrHold             = errors.New("ask: wrong hold")
	ErrSchedule         = errors.New("ask: wrong schedule")
	ErrAskBack          = errors.New("ask: wrong ask_back")
	ErrLinks            = errors.New("ask: wrong links")
	ErrFiles            = errors.New("ask: wrong files")
)

// Problem is one error in a request: its location, its kind, and a message that lets a model
// correct it.
type Problem struct {
	// Path locates the member, as in "questions[1].options[0].label".
	Path   string `json:"path"`
	Detail string `json:"detail"`
	// Kind is one of the package's sentinel errors.
	Kind error `json:"-"`
}

func (p Problem) Error() string { return p.Path + ": " + p.Detail }

// Unwrap returns the sentinel error.
func (p Problem) Unwrap() error { return p.Kind }

// InvalidError lists all problems of a request. It matches [ErrInvalid] and the sentinel of
// each problem.
type InvalidError struct{ Problems []Problem }

func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Error()
	}
	return "invalid request: " + strings.Join(lines, "; ")
}

// Unwrap returns ErrInvalid and every problem.
func (e *InvalidError) Unwrap() []error {
	all := []error{ErrInvalid}
	for _, p := range e.Problems {
		all = append(all, p)
	}
	return all
}

// Beside merges the problems of another error into this one, except those inside a path already
// reported: a member that could not be parsed is not also reported as missing. An error that is
// no InvalidError adds nothing.
func (e *InvalidError) Beside(other error) *InvalidError {
	more, ok := errors.AsType[*InvalidError](other)
	if !ok {
		return e
	}
	all := slices.Clone(e.Problems)
	for _, p := range more.Problems {
		if !slices.ContainsFunc(e.Problems, func(known Problem) bool { return inside(p.Path, known.Path) }) {
			all = append(all, p)
		}
	}
	return &InvalidError{Problems: all}
}

// inside reports whether a path equals or is below another.
func inside(path, whole string) bool {
	rest, ok := strings.CutPrefix(path, whole)
	return whole == bodyPath || ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Rules are the caller's limits. The zero value means the defaults. Values above the package's
// maximum are capped.
type Rules struct {
	// MaxQuestions is between 1 and [MaxQuestions]; zero means [DefaultMaxQuestions].
	MaxQuestions int
	// MinOptions and MaxOptions limit the options of a question that has any, between 1 and
	// [MaxOptions]; zero means [DefaultMinOptions] and [DefaultMaxOptions].
	MinOptions, MaxOptions int
	// NoDeadline means that the host waits indefinitely: if neither the request nor its route
	// has a deadline, there is none.
	NoDeadline bool
}

func (r *Rules) maxQuestions() int {
	if r == nil || r.MaxQuestions <= 0 {
		return DefaultMaxQuestions
	}
	return min(r.MaxQuestions, MaxQuestions)
}

func (r *Rules) options() (least, most int) {
	least, most = DefaultMinOptions, DefaultMaxOptions
	if r != nil && r.MinOptions > 0 {
		least = r.MinOptions
	}
	if r != nil && r.MaxOptions > 0 {
		most = r.MaxOptions
	}
	most = min(most, MaxOptions)
	return min(least, most), most
}

// Validate returns nil, or an [*InvalidError] naming every problem and its path. Rules may be
// nil. The bridge checks separately whether routes, platforms and people exist.
func (r *Request) Validate(rules *Rules) error {
	var c checker
	c.questions(r.Questions, rules)
	c.names(r)
	c.targets(r)
	c.problems = append(c.problems, slices.Concat(CheckResponders("responders", r.Responders), CheckNotify("notify", r.Notify))...)
	c.problems = append(c.problems, slices.Concat(r.Voting.Check("policy"), r.Voting.CheckLabels("policy", r.Questions), r.Replies.Check("replies"))...)
	c.problems = append(c.problems, slices.Concat(CheckHold("hold", r.Hold), CheckLinks("links", r.Links), CheckFiles("files", r.Files))...)
	c.problems = append(c.problems, slices.Concat(r.Schedule.Check("schedule"), r.AskBack.Check("ask_back"))...)
	if r.ExpiresIn < 0 && r.ExpiresIn != Never || r.ExpiresIn > MaxExpiresIn {
		c.add("expires_in", ErrExpiry, "give a duration such as \"30m\" or \"24h\", at most 366 days, or \"never\"")
	}
	switch {
	case r.Same != "" && r.Same != SameSession && r.Same != SameAgent:
		c.add("same", ErrSyntax, "must be session or agent")
	case r.Same == SameSession && r.Session == "":
		c.add("same", ErrSyntax, "needs a session")
	}
	switch {
	case r.Within != 0 && r.Same == "":
		c.add("within", ErrSyntax, "needs same: session or agent")
	case r.Within < 0 || r.Within > MaxWithin:
		c.add("within", ErrSyntax, "must be a time of at most an hour, such as \"10m\"")
	}
	total := utf8.RuneCountInString(r.Context)
	for _, q := range r.Questions {
		total += q.length()
	}
	if total > MaxText {
		c.add("questions", ErrTooLong, "all texts together have %d characters; at most %d are allowed, so shorten descriptions and previews", total, MaxText)
	}
	return c.err()
}

func (q Question) length() int {
	n := utf8.RuneCountInString(q.Text) + utf8.RuneCountInString(q.Header)
	for _, o := range q.Options {
		n += utf8.RuneCountInString(o.Label) + utf8.RuneCountInString(o.Description) + utf8.RuneCountInString(o.Preview)
	}
	return n
}

// Advise lists content that is accepted but will be displayed differently from how it was sent.
// It returns nil if there is none.
func Advise(questions []Question) []Problem {
	var advice []Problem
	for i, q := range questions {
		if n := utf8.RuneCountInString(q.Header); n > HeaderAdvice {
			advice = append(advice, Problem{
				Path:   fmt.Sprintf("questions[%d].header", i),
				Detail: fmt.Sprintf("has %d characters; more than %d may be cut for display", n, HeaderAdvice),
			})
		}
	}
	return advice
}

// maxProblems is the number of problems one error lists: more than a reader needs, and few
// enough that a large body cannot produce a larger error.
const maxProblems = 50

type checker struct {
	problems []Problem
	// more counts the problems beyond that.
	more int
}

func (c *checker) add(path string, kind error, format string, args ...any) {
	c.addAt(func() string { return path }, kind, format, args...)
}

// addAt is add with a lazily computed path.
func (c *checker) addAt(path func() string, kind error, format string, args ...any) {
	if len(c.problems) == maxProblems {
		c.more++
		return
	}
	c.problems = append(c.problems, Problem{Path: path(), Kind: kind, Detail: fmt.Sprintf(format, args...)})
}

func (c *checker) err() error {
	if len(c.problems) == 0 {
		return nil
	}
	if c.more > 0 {
		last := &c.problems[len(c.problems)-1]
		last.Detail += fmt.Sprintf(" (and %d more problems that are not listed)", c.more)
		c.more = 0
	}
	return &InvalidError{Problems: c.problems}
}

func (c *checker) questions(questions []Question, rules *Rules) {
	most := rules.maxQuestions()
	switch n := len(questions); {
	case n == 0:
		c.add("questions", ErrNoQuestions, "send at least one question")
	case n > most:
		c.add("questions", ErrTooManyQuestions, "has %d questions; at most %d are allowed", n, most)
	}
	for i, q := range questions {
		c.question(fmt.Sprintf("questions[%d]", i), q, rules)
	}
}

func (c *checker) question(path string, q Question, rules *Rules) {
	if blank(q.Text) {
		c.add(path+".question", ErrEmptyQuestion, "must not be empty")
	}
	if n := utf8.RuneCountInString(q.Header); n > MaxLabel {
		c.add(path+".header", ErrTooLong, "has %d characters; at most %d are allowed", n, MaxLabel)
	}
	least, most := rules.options()
	switch n := len(q.Options); {
	case n == 0 && q.NoOther:
		c.add(path, ErrUnanswerable, "has no options and no free text, so nobody could answer it")
	case n != 0 && (n < least || n > most):
		c.add(path+".options", ErrOptionCount, "%d given; give %d to %d, or none for a text answer", n, least, most)
	}
	first := map[string]int{}
	for i, o := range q.Options {
		at := fmt.Sprintf("%s.options[%d].label", path, i)
		seen := visible(o.Label)
		if seen == "" {
			c.add(at, ErrEmptyLabel, "must not be empty")
			continue
		}
		if n := utf8.RuneCountInString(o.Label); n > MaxLabel {
			c.add(at, ErrTooLong, "has %d characters; at most %d are allowed, so move the rest to the description", n, MaxLabel)
		}
		if j, dup := first[seen]; dup {
			c.add(at, ErrDuplicateLabel, "is the same as options[%d].label (%q); labels must differ within a question", j, shorten(o.Label))
			continue
		}
		first[seen] = i
	}
}

func (c *checker) names(r *Request) {
	for _, f := range []struct{ path, value string }{
		{"session", r.Session},
		{"idempotency_key", r.Key},
		{"tool_call_id", r.ToolCallID},
		{"agent", r.Agent},
		{"route", r.Route},
		{"supersedes", r.Supersedes},
	} {
		if len(f.value) > MaxName {
			c.add(f.path, ErrTooLong, "has %d bytes; at most %d are allowed", len(f.value), MaxName)
		}
	}
}

func (c *checker) targets(r *Request) {
	if r.Route != "" && len(r.To) > 0 {
		c.add("route", ErrTarget, "give either to or route, not both")
	}
	if r.To != nil && len(r.To) == 0 {
		c.add("to", ErrTarget, "is empty, so no one would be asked; leave it out for the default or name a place")
	}
	if len(r.To) > MaxTargets {
		c.add("to", ErrTarget, "names %d places; at most %d are allowed", len(r.To), MaxTargets)
	}
	first := map[Place]int{}
	for i, t := range r.To {
		path := fmt.Sprintf("to[%d]", i)
		if t.Platform == "" {
			c.add(path+".platform", ErrTarget, "is required, for example \"slack\"")
		}
		switch {
		case t.Channel == "" && t.User == "":
			c.add(path, ErrTarget, "name a channel or a user")
		case t.Channel != "" && t.User != "":
			c.add(path, ErrTarget, "name a channel or a user, not both")
		case t.Thread != "" && t.Channel == "":
			c.add(path+".thread", ErrTarget, "needs the channel it is in")
		}
		if len(t.Channel)+len(t.Thread)+len(t.User)+len(t.Platform)+len(t.Installation) > MaxName {
			c.add(path, ErrTooLong, "ids together may have at most %d bytes", MaxName)
		}
		if j, dup := first[t]; dup {
			c.add(path, ErrTarget, "is the same place as to[%d]", j)
		} else {
			first[t] = i
		}
	}
}

// CheckResponders validates a responder list such as [Request.Responders]; problems are
// reported at path. Nil, a list that was not given, is valid.
func CheckResponders(path string, list []string) []Problem {
	var c checker
	if list != nil && len(list) == 0 {
		c.add(path, ErrResponders, "is empty, so no one could answer; leave it out for the default or name someone")
	}
	if len(list) == 1 && list[0] == NotRequester {
		c.add(path, ErrResponders, "%q alone lets no one answer; add \"anyone\" or a person or group", NotRequester)
	}
	for i, who := range list {
		if _, ok := ParseEntry(who); !ok || len(who) > MaxName {
			c.add(fmt.Sprintf("%s[%d]", path, i), ErrResponders, "%q is not \"anyone\" or \"<platform>:<id>\" such as \"slack:U0000001\"", shorten(who))
		}
	}
	return c.problems
}

// blank reports whether a text renders as empty.
func blank(s string) bool { return visible(s) == "" }

// visible returns what a reader can distinguish: the text on one line, without variation
// selectors and outer joiners.
func visible(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == zeroWidthNonJoiner || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, Line(s))
	return strings.Trim(oneSpaced(s), string(zeroWidthJoiner)+" ")
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}
