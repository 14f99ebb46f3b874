package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// Options adjust one call. Nil means the defaults.
type Options struct {
	// MaxQuestions replaces the dialect's own limit; at most [ask.MaxQuestions].
	MaxQuestions int
	// Strict refuses what is otherwise accepted with advice.
	Strict bool
	// Released follows the host's released code where it differs from its documentation. Spring: one to four questions
	// instead of ten, and long headers and option counts cause only warnings.
	Released bool
	// Partial lets people skip questions or leave them out, if the host's format can leave a question out; otherwise the
	// call is refused. Questions that the input marks as required stay required. Spring: answersValidation(false).
	Partial bool
	// Notes lets people add a note to each answer, if the host's format has a place for it; otherwise the call is refused.
	Notes bool
	// SubAgent is set if a sub-agent calls. Some hosts refuse that with an error that matches [ErrSubAgent].
	SubAgent bool
	// Persist limits how far a permission may reach beyond its call, if the host offers more. Empty means [PersistSession].
	Persist Persist
	// Grants limits how far and how long people may allow a call again without being asked. The zero value offers no
	// such option.
	Grants ask.Grants
	// RequestID is named in the result of a request that is still open.
	RequestID string
}

// Variants returns the names that [Options.Vary] accepts. Each is a way in which a call may differ from the host's
// documentation.
//
//	strict     refuse what is otherwise accepted with advice
//	released   follow the host's released code where it differs from its documentation
//	partial    let people skip questions, if the host's format can leave them out
//	notes      let people write notes, if the host's format has a place for them
func Variants() []string { return []string{"strict", "released", "partial", "notes"} }

// Vary turns the named variants on. Its error is an [*ask.InvalidError] that lists the unknown names; then it changes nothing.
func (o *Options) Vary(names ...string) error {
	var unknown []ask.Problem
	for n, name := range names {
		if !slices.Contains(Variants(), name) {
			unknown = append(unknown, ask.Problem{
				Path: fmt.Sprintf("variant[%d]", n), Kind: ask.ErrSyntax,
				Detail: fmt.Sprintf("there is no variant %q; there are %s", quote.Brief(name), strings.Join(Variants(), ", ")),
			})
		}
	}
	if unknown != nil {
		return &ask.InvalidError{Problems: unknown}
	}
	o.Strict = o.Strict || slices.Contains(names, "strict")
	o.Released = o.Released || slices.Contains(names, "released")
	o.Partial = o.Partial || slices.Contains(names, "partial")
	o.Notes = o.Notes || slices.Contains(names, "notes")
	return nil
}

// Persist limits how far a permission may reach beyond the call that it was asked for.
type Persist string

// The limits in ascending order; each includes those before it. They are the places where Claude Code keeps permissions:
// https://code.claude.com/docs/en/settings
const (
	// PersistNone allows this one call only.
	PersistNone Persist = "none"
	// PersistSession allows permissions that end with the session.
	PersistSession Persist = "session"
	// PersistLocal also allows permissions in one user's settings of the repository.
	PersistLocal Persist = "local"
	// PersistProject also allows permissions in the shared settings of the repository.
	PersistProject Persist = "project"
	// PersistUser also allows permissions in one user's settings for every repository.
	PersistUser Persist = "user"
)

// Persists returns the limits in ascending order.
func Persists() []Persist {
	return []Persist{PersistNone, PersistSession, PersistLocal, PersistProject, PersistUser}
}

// allows reports whether a permission of that reach is within the limit.
func (p Persist) allows(reach Persist) bool {
	if p == "" {
		p = PersistSession
	}
	return slices.Index(Persists(), reach) <= slices.Index(Persists(), p)
}
