package record

import (
	"errors"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Why a revision of an open request is refused.
var (
	// ErrRevised: another revision came first.
	ErrRevised = errors.New("bridge: the request has been revised since")
	// ErrPermission: permission requests cannot be revised.
	ErrPermission = errors.New("bridge: a permission request is not revised")
	// ErrRevisions: it was revised [ask.MaxRevisions] times.
	ErrRevisions = errors.New("bridge: the request cannot be revised any more")
)

// Revise replaces what an open request asks. Drafts are kept for the questions that stay the same;
// votes, and a decision that can still be undone, are dropped. The policy, the voting rule and the
// deadline do not change.
//
// It returns [ErrUnchanged] for the same revision again and for a request that has ended; an
// [*ask.InvalidError] with the problems of the revision; or [ErrRevised], [ErrRevisions] or
// [ErrPermission].
func (r *Record) Revise(v ask.Revision, rules *ask.Rules, now time.Time) error {
	if catchUp(r, now) == nil {
		return nil
	}
	if !r.Open() {
		return ErrUnchanged
	}
	again := v.Of != nil && *v.Of+1 == r.Revised
	switch same := asksSame(r, v); {
	case v.Of != nil && *v.Of != r.Revised && (!same || !again):
		return ErrRevised
	case same:
		return ErrUnchanged
	case r.Permit != nil:
		return ErrPermission
	case r.Revised >= ask.MaxRevisions:
		return ErrRevisions
	}
	if err := v.Validate(r.Questions, r.Context, ruleOf(r), rules); err != nil {
		return err
	}
	if v.Questions != nil {
		if wrong := r.Risk.Check("questions", v.Questions); wrong != nil {
			return &ask.InvalidError{Problems: wrong}
		}
	}
	if r.Held != nil {
		unhold(r)
		if isOverdue(r, now) {
			end(r, outcomeAtDeadline(r), now)
			return nil
		}
	}
	if v.Questions != nil {
		replaceQuestions(r, v.Questions)
	}
	if v.Context != nil {
		replaceContext(r, v)
	}
	if r.Voting != nil {
		r.Voting.Ballots = nil
	}
	r.Revised++
	r.RevisedAt = asStored(now)
	redrawAll(r, now)
	lease(r, now)
	return nil
}

// asksSame reports whether the request already has the content of a revision.
func asksSame(r *Record, v ask.Revision) bool {
	return (v.Questions == nil || slices.EqualFunc(v.Questions, r.Questions, ask.Question.Equal)) && (v.Context == nil || hasContext(r, v))
}

// hasContext reports whether the request has the context of a revision, including the part in its file.
func hasContext(r *Record, v ask.Revision) bool {
	shown, file := v.EncloseContext(0)
	n := slices.IndexFunc(r.Files, ask.Attachment.OfContext)
	if file == nil || n < 0 {
		return shown == r.Context && file == nil && n < 0
	}
	return file.Attachment().SHA256 == r.Files[n].SHA256
}

// replaceContext replaces the context and its file.
func replaceContext(r *Record, v ask.Revision) {
	shown, file := v.EncloseContext(r.Revised + 1)
	files := slices.DeleteFunc(slices.Clone(r.Files), ask.Attachment.OfContext)
	if file != nil {
		files = append(files, file.Attachment())
	}
	if len(files) == 0 {
		files = nil
	}
	r.Context = shown
	refile(r, files)
}

// ruleOf is the voting rule; zero if the first complete answer decides.
func ruleOf(r *Record) ask.Voting {
	if r.Voting == nil {
		return ask.Voting{}
	}
	return r.Voting.Rule
}

// replaceQuestions replaces the questions, and keeps the drafts of those that stay.
func replaceQuestions(r *Record, questions []ask.Question) {
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
