package record

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Act is one action of one person, as a platform delivered and authenticated it.
type Act struct {
	// ID is unique per act and the same in every delivery of it.
	ID string
	// Order is the time of the act. It grows with time on one platform, and no redelivery has a
	// later one.
	Order int64
	// Message is where it was done; zero if the platform does not report that.
	Message MessageRef
	// By is what the platform knows of the person; [Record.Responder] adds what the record knows.
	By     ask.Responder
	Action ask.Action
	// Said is the message that a person typed instead of using a control; zero for a control.
	// SaidAt is when, by the platform's clock; zero if unknown.
	Said   MessageRef
	SaidAt time.Time
	// Token is the ID of the API token of the person; empty for an act on a card.
	Token string
}

// cleaned returns the act with its names and typed text sanitized for storage.
func (a Act) cleaned() Act {
	a.By.Name, a.Action.To.Name = ask.Line(a.By.Name), ask.Line(a.Action.To.Name)
	a.Action = a.Action.Cleaned()
	return a
}

// DraftMode is how a platform shows drafts, and what it knows of people.
type DraftMode struct {
	// Shared: all people of the platform share one draft, which the card shows.
	Shared bool
	// Redraws: the reply to the act draws the card.
	Redraws bool
	// Ungrouped: in a direct message the platform does not report groups, and they cannot be looked
	// up.
	Ungrouped bool
}

// Judge applies a person's act. It returns [ErrUnchanged] if there is nothing to write.
func (r *Record) Judge(a Act, m DraftMode, now time.Time) (Decision, error) {
	if stepDue(r, now) {
		happen(r, now) // An act comes after everything that was due by its time.
		return Decision{Verdict: Early}, nil
	}
	a = a.cleaned()
	if a.Action.Kind == ask.AskAgent && r.AskBack == ask.AskBackEnd {
		a.Action.Kind = ask.Reply // The agent receives nothing before the end.
	}
	adopted := adopt(r, a, now)
	result, changed := decide(r, a, m, now)
	if m.Redraws && RedrawsCard(r, a, result.Verdict) {
		changed = markDrawing(r, a.Message, now) || changed
	}
	traced := traceAct(r, a, result.Verdict, now)
	if !changed && !adopted && !traced {
		return result, ErrUnchanged
	}
	return result, nil
}

// decide applies an act and reports whether the record changed.
func decide(r *Record, a Act, m DraftMode, now time.Time) (Decision, bool) {
	mark := actMark(a.ID)
	switch {
	case !r.Copies.Knows(a.Message):
		return Decision{Verdict: Elsewhere}, false
	case HasApplied(r, a.ID):
		return Decision{Verdict: Repeated}, false
	case !r.Open():
		return Decision{Verdict: Closed}, redrawOutdated(r, a, m, now)
	case catchUp(r, now) == nil:
		return Decision{Verdict: tooLate(r)}, true
	case !r.MayAnswer(a):
		return Decision{Verdict: Forbidden}, false
	case !shown(r, a):
		return Decision{Verdict: Unshown}, false
	case a.Action.Kind == ask.AskAgent && r.Held == nil:
		return askAgent(r, a, mark, m, now)
	case a.Action.Revised != r.Revised, typedBeforeRevision(r, a):
		return Decision{Verdict: Outdated}, redrawOutdated(r, a, m, now)
	case typedBeforeUndo(r, a):
		return Decision{Verdict: Overtaken}, false
	case !a.Action.Fits(r.Questions):
		return Decision{Verdict: Unknown}, false
	case r.Held != nil:
		return whileHeld(r, a, mark, m, now)
	case a.Action.Kind == ask.Undo:
		return Decision{Verdict: Unheld}, false
	case a.Action.Kind == ask.Claim:
		return claim(r, a, mark, m, now)
	case a.Action.Kind == ask.Pass:
		return pass(r, a, mark, m, now)
	case r.Voting != nil:
		return vote(r, a, mark, m, now)
	}
	switch a.Action.Kind {
	case ask.TakeBack, ask.AskAgent:
		return Decision{Verdict: Unknown}, false
	case ask.Dismiss:
		return settle(r, ask.Dismissal(a.By.Person), a, m, now), true
	case ask.Reply:
		reply := a.Action.Text()
		if reply == "" {
			return Decision{Verdict: Incomplete}, false
		}
		return settle(r, ask.Replying(a.By.Person, reply), a, m, now), true
	}
	return choose(r, a, mark, m, now)
}

// choose applies a choice where the first complete answer decides.
func choose(r *Record, a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	who := a.By.Key()
	if m.Shared {
		who = a.By.Platform
	}
	draft, result := draftAfter(r, a, who)
	if result.Verdict != "" {
		return result, false
	}
	switch q := a.Action.Question; {
	case !m.Shared:
	case a.Action.Kind == ask.Fill:
		draft = draft.FilledBy(r.Drafts[who], a.By.Person)
	case q < 0:
	case a.Action.Kind == ask.Annotate:
		draft = draft.NotedBy(q, a.By.Person)
	default:
		draft = draft.AttributedTo(q, a.By.Person)
	}
	if a.Action.Finishes(r.Questions, draft, m.Shared) {
		if missing := draft.Missing(r.Questions); len(missing) > 0 {
			return incomplete(r, a, mark, missing)
		}
		return settle(r, ask.Answering(r.Questions, draft, a.By.Person, now), a, m, now), true
	}
	saveDraft(r, who, draft, mark)
	if m.Shared {
		redrawPlatform(r, a, m.Redraws, now)
	}
	return Decision{Verdict: Recorded, Missing: leftOut(r, a, draft)}, true
}

// leftOut are the questions that the form asked and that are still unanswered.
func leftOut(r *Record, a Act, draft ask.Draft) []int {
	if a.Action.Kind != ask.Fill {
		return nil
	}
	covered := a.Action.Covers(r.Questions)
	return slices.DeleteFunc(draft.Missing(r.Questions), func(q int) bool { return !slices.Contains(covered, q) })
}

// DraftOf is the draft that the person's next act adds to: their own, or the shared one of their
// platform.
func (r *Record) DraftOf(who ask.Person, m DraftMode) ask.Draft {
	if m.Shared && r.Voting == nil {
		return r.Drafts[who.Platform]
	}
	return r.Drafts[who.Key()]
}

// tooLate is the verdict on an act that found the request ending by itself.
func tooLate(r *Record) Verdict {
	if r.Winner != "" {
		return Closed // A person had decided it.
	}
	return Late
}

// draftAfter returns the draft with the act applied, or a verdict if there is none.
func draftAfter(r *Record, a Act, who string) (ask.Draft, Decision) {
	draft := r.Drafts[who]
	switch {
	case a.Action.Kind == ask.Submit && a.Order < draft.Newest():
		return nil, Decision{Verdict: Hasty}
	case a.Action.Outdated(r.Questions, draft, a.Order):
		return nil, Decision{Verdict: Stale}
	}
	draft, blank := a.Action.Apply(r.Questions, draft, a.Order)
	if len(blank) > 0 {
		return nil, Decision{Verdict: Incomplete, Missing: blank}
	}
	return draft, Decision{}
}

// incomplete refuses a submit with missing answers.
func incomplete(r *Record, a Act, mark string, missing []int) (Decision, bool) {
	result := Decision{Verdict: Incomplete, Missing: missing}
	if a.Action.Kind != ask.Submit {
		return result, false // A form carries all of its answers.
	}
	remember(r, mark) // A redelivery must not find the missing answers there.
	return result, true
}

// saveDraft stores a draft, and the act that made it.
func saveDraft(r *Record, who string, draft ask.Draft, mark string) {
	if r.Drafts == nil {
		r.Drafts = map[string]ask.Draft{}
	}
	r.Drafts[who] = draft
	remember(r, mark)
}

// maxRecent is how many acts a record remembers. Older ones are older than the draft, or beyond the
// five minutes in which a platform redelivers
// (https://docs.slack.dev/authentication/verifying-requests-from-slack).
const maxRecent = 32

// maxRecentHeld is the same where decisions can be undone. No draft holds the acts of that time, and
// redelivered after an undo they would decide, so it is more than people do in those minutes.
const maxRecentHeld = 1024

// IDAlphabet encodes IDs and marks.
var IDAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// actMark is a short name of an act.
func actMark(id string) string {
	sum := sha256.Sum256([]byte(id))
	return IDAlphabet.EncodeToString(sum[:])[:12]
}

// HasApplied reports whether an act has already changed the record.
func HasApplied(r *Record, id string) bool {
	return !r.Open() && r.Winner == id || slices.Contains(r.Recent, actMark(id))
}

// rememberOnce is remember for an act that may have been remembered already.
func rememberOnce(r *Record, mark string) {
	if slices.Index(r.Recent, mark) < 0 {
		remember(r, mark)
	}
}

// remember stores the mark of an act, to recognize its redelivery.
func remember(r *Record, mark string) {
	most := maxRecent
	if r.Hold > 0 {
		most = maxRecentHeld
	}
	r.Recent = append(slices.Clip(r.Recent[max(0, len(r.Recent)-most+1):]), mark)
}
