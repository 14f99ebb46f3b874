package record

import (
	"errors"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Why an agent's word on an open request does not count.
var (
	// ErrRevised: the revision was meant for one that another has taken the place of.
	ErrRevised = errors.New("bridge: the request has been revised since")
	// ErrPermission: it asks whether something may be done, which no revision changes.
	ErrPermission = errors.New("bridge: a permission request is not revised")
	// ErrRevisions: it was revised [ask.MaxRevisions] times.
	ErrRevisions = errors.New("bridge: the request cannot be revised any more")
)

// Revise puts something else in the place of what an open request asks. What people have
// chosen so far stays where a question is asked as before; votes, and a decision that can
// still be undone, were about something else and are gone. Who may answer, how many decide
// and until when does not change.
//
// The same revision again changes nothing. It returns [ErrUnchanged] then, and for a
// request that has ended; an [*ask.InvalidError] naming what is wrong with the revision
// beside what it leaves; or [ErrRevised], [ErrRevisions] or [ErrPermission].
func (r *Record) Revise(v ask.Revision, rules *ask.Rules, now time.Time) error {
	if r.CatchUp(now) == nil {
		return nil
	}
	if !r.Open() {
		return ErrUnchanged
	}
	again := v.Of != nil && *v.Of+1 == r.Revised
	switch same := r.asks(v); {
	case v.Of != nil && *v.Of != r.Revised && (!same || !again):
		return ErrRevised
	case same:
		return ErrUnchanged
	case r.Permit != nil:
		return ErrPermission
	case r.Revised >= ask.MaxRevisions:
		return ErrRevisions
	}
	if err := v.Validate(r.Questions, r.Context, r.rule(), rules); err != nil {
		return err
	}
	if r.Held != nil {
		r.unhold()
		if r.Overdue(now) {
			r.end(r.timeUp(), now)
			return nil
		}
	}
	if v.Questions != nil {
		r.refit(v.Questions)
	}
	if v.Context != nil {
		r.reword(v)
	}
	if r.Voting != nil {
		r.Voting.Ballots = nil
	}
	r.Revised++
	r.RevisedAt = asStored(now)
	r.anew(now)
	r.DeliveryDue = now.Add(r.lease())
	return nil
}

// asks reports whether the request asks already what a revision says.
func (r *Record) asks(v ask.Revision) bool {
	return (v.Questions == nil || slices.EqualFunc(v.Questions, r.Questions, ask.Question.Equal)) && (v.Context == nil || r.says(v))
}

// says reports whether the context is the one of a revision, in all that stands in its file.
func (r *Record) says(v ask.Revision) bool {
	shown, file := v.EncloseContext(0)
	n := slices.IndexFunc(r.Files, ask.Attachment.OfContext)
	if file == nil || n < 0 {
		return shown == r.Context && file == nil && n < 0
	}
	return file.Attachment().SHA256 == r.Files[n].SHA256
}

// reword puts another context in the place of the one there is, and its file in the place of
// that one's.
func (r *Record) reword(v ask.Revision) {
	shown, file := v.EncloseContext(r.Revised + 1)
	files := slices.DeleteFunc(slices.Clone(r.Files), ask.Attachment.OfContext)
	if file != nil {
		files = append(files, file.Attachment())
	}
	if len(files) == 0 {
		files = nil
	}
	r.Context = shown
	r.refile(files)
}

// rule is how many people decide; zero where the first does.
func (r *Record) rule() ask.Voting {
	if r.Voting == nil {
		return ask.Voting{}
	}
	return r.Voting.Rule
}

// refit has other questions asked, and keeps what is chosen for those that stay.
func (r *Record) refit(questions []ask.Question) {
	drafts := map[string]ask.Draft{}
	for who, draft := range r.Drafts {
		if kept := draft.Refit(r.Questions, questions); kept != nil {
			drafts[who] = kept
		}
	}
	if len(drafts) == 0 {
		drafts = nil
	}
	r.Drafts, r.Questions = drafts, questions
}
