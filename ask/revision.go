package ask

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxRevisions is the maximum number of revisions of a request.
const MaxRevisions = 100

// Revision replaces the questions or the context of an open request.
type Revision struct {
	// Of is the number of the revision being replaced, 0 for the original. Nil means the
	// current one.
	Of *int
	// Questions replace all questions; nil keeps them.
	Questions []Question
	// Context replaces the context; nil keeps it, and an empty one removes it.
	Context *string
	// Files means that the request can have files, so that a context too long for the card
	// becomes one; see [Revision.EncloseContext]. The bridge sets it.
	Files bool
}

// Equal reports whether two questions look and behave the same to people.
func (q Question) Equal(other Question) bool {
	same := q.Text == other.Text && q.Header == other.Header && q.MultiSelect == other.MultiSelect &&
		q.NoOther == other.NoOther && q.Optional == other.Optional && q.Notes == other.Notes && q.Confirm == other.Confirm
	return same && slices.Equal(q.Options, other.Options)
}

// DecodeRevision parses a revision from JSON as liberally as [DecodeRequest] parses a request.
// Only questions and context can be revised. Any other member is an error, because the sender
// would expect it to take effect.
func DecodeRevision(data []byte) (Revision, error) {
	d := decoder{}
	var r Revision
	m, ok := d.object("", d.whole(data))
	if !ok {
		return r, d.err()
	}
	if of := bytes.TrimSpace(m.take("revision")); !empty(of) {
		n, err := strconv.Atoi(strings.Trim(string(of), `"`))
		if err != nil || n < 0 {
			d.add("revision", ErrSyntax, "must be the number of the revision that this one takes the place of, 0 for the first")
		}
		r.Of = &n
	}
	if context, given := m["context"]; given {
		delete(m, "context")
		r.Context = new(d.text("context", context))
	}
	questions, given := m["questions"]
	delete(m, "questions")
	if given && !empty(questions) {
		r.Questions = d.questions("questions", questions, maxWrappers)
		if r.Questions == nil {
			r.Questions = []Question{}
		}
	}
	if r.Questions == nil && r.Context == nil && len(d.problems) == 0 {
		d.add("questions", ErrNoQuestions, "name what to revise: questions, context, or both")
	}
	inside := len(d.ignored)
	d.rest("", m)
	for _, name := range d.ignored[inside:] {
		d.add(name, ErrSyntax, "cannot be revised; make a new request that supersedes this one")
	}
	for _, name := range d.ignored[:inside] {
		d.add(name, ErrSyntax, "is not known here")
	}
	return r, d.err()
}

// Validate returns nil, or an [*InvalidError] naming every problem of the revised request.
// Rules may be nil.
func (v Revision) Validate(questions []Question, context string, voting Voting, rules *Rules) error {
	var c checker
	if v.Questions != nil {
		c.questions(v.Questions, rules)
		questions = v.Questions
	}
	if v.Context != nil {
		context = *v.Context
	}
	for _, p := range voting.CheckLabels("policy", questions) {
		c.add("questions", ErrPolicy, "must keep every label that the policy names: at %s, %s", p.Path, p.Detail)
	}
	total := utf8.RuneCountInString(context)
	for _, q := range questions {
		total += q.length()
	}
	if total > MaxText {
		c.add("questions", ErrTooLong, "all texts together have %d characters; at most %d are allowed, so shorten descriptions and previews", total, MaxText)
	}
	return c.err()
}

// Refit carries a draft over to revised questions: selections are kept for questions that are
// unchanged, wherever they moved to.
func (d Draft) Refit(old, next []Question) Draft {
	kept := Draft{}
	for n, q := range next {
		at := slices.IndexFunc(old, q.Equal)
		if n < len(old) && q.Equal(old[n]) {
			at = n
		}
		if pick, chosen := d[at]; chosen {
			kept[n] = pick
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}
