package ask

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxRevisions is how often a request can be revised.
const MaxRevisions = 100

// Revision is what an agent puts in the place of what it asked.
type Revision struct {
	// Of is the revision that it takes the place of: 0 for what was asked first. Nil
	// stands for whichever there is.
	Of *int
	// Questions take the place of all questions; nil leaves them.
	Questions []Question
	// Context takes the place of what stands above them; nil leaves it, and an empty one
	// takes it away.
	Context *string
	// Files says that files are taken where the request goes, so that a context which is too
	// long for a card becomes one; see [Revision.EncloseContext]. The bridge sets it.
	Files bool
}

// Equal reports whether the question is the same as another, in all that people see of it
// and can do about it.
func (q Question) Equal(other Question) bool {
	same := q.Text == other.Text && q.Header == other.Header && q.MultiSelect == other.MultiSelect &&
		q.NoOther == other.NoOther && q.Optional == other.Optional && q.Notes == other.Notes && q.Confirm == other.Confirm
	return same && slices.Equal(q.Options, other.Options)
}

// DecodeRevision reads a revision from JSON, as liberally as [DecodeRequest] reads a
// request. Only questions and context can be revised: every other member is a problem, since
// whoever sends one expects that it counts.
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
		d.add("questions", ErrNoQuestions, "say what is revised: questions, context, or both")
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

// Validate returns nil, or an [*InvalidError] naming every problem of the revision beside
// what it leaves of a request. Rules may be nil.
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

// Refit returns what is left of a draft of the old questions where the next ones take
// their place: what was chosen for questions that are still asked as they were, wherever
// they stand.
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
