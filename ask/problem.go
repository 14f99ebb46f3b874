package ask

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
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
	ErrSource           = errors.New("ask: wrong source")
	ErrStyle            = errors.New("ask: wrong style")
	ErrRisk             = errors.New("ask: wrong risk")
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

// Merge merges the problems of another error into this one, except those inside a path already
// reported: a member that could not be parsed is not also reported as missing. An error that is
// no InvalidError adds nothing.
func (e *InvalidError) Merge(other error) *InvalidError {
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

// bodyPath is the path reported for a body that is not a request.
const bodyPath = "body"
