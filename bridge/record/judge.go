package record

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Act is one action of one person, as a platform delivered and vouched for it.
type Act struct {
	// ID is unique per act and the same in every delivery of it.
	ID string
	// Order says when the person acted. It grows with time on one platform, and no
	// delivery of an act has a later one than another.
	Order int64
	// Message is where it was done; zero when the platform does not say.
	Message MessageRef
	// By is the person, as far as the platform knows them: what the request knows
	// of them is added where the policy judges.
	By     ask.Responder
	Action ask.Action
	// Said is the message that a person typed, and did so in place of using a control;
	// zero for a control. SaidAt is when they did, by the platform's clock; zero where nobody knows.
	Said   MessageRef
	SaidAt time.Time
	// Token is the id of the token of somebody who acts over the API; empty for an act on a card.
	Token string
}

// cleaned returns the act with what the person typed, and goes by, as it may be
// stored.
func (a Act) cleaned() Act {
	a.By.Name, a.Action.To.Name = ask.Line(a.By.Name), ask.Line(a.Action.To.Name)
	a.Action = a.Action.Cleaned()
	return a
}

// Verdict says what came of a person's act.
type Verdict string

// The verdicts.
const (
	// Recorded: the choice counts and the request waits for more.
	Recorded Verdict = "recorded"
	// Completed: this act ended the request.
	Completed Verdict = "completed"
	// Repeated: a second delivery of an act that counts already.
	Repeated Verdict = "repeated"
	// Stale: a newer act for the same question is recorded already.
	Stale Verdict = "stale"
	// Hasty: something was chosen after the submit, which does not cover it.
	Hasty Verdict = "hasty"
	// Incomplete: questions are missing, so nothing was submitted.
	Incomplete Verdict = "incomplete"
	// Forbidden: this person may not answer.
	Forbidden Verdict = "forbidden"
	// Late: the deadline had passed; the act expired the request.
	Late Verdict = "late"
	// Closed: the request had ended before.
	Closed Verdict = "closed"
	// Unknown: the control does not fit the request.
	Unknown Verdict = "unknown"
	// Counted: the vote counts, or is taken back, and the request waits for more.
	Counted Verdict = "counted"
	// Final: the person has voted, and votes of this request cannot be changed.
	Final Verdict = "final"
	// Unvoted: there is no vote of the person to take back.
	Unvoted Verdict = "unvoted"
	// Early: something had to happen before, and has happened now: a step that was due, or that
	// what rested on a typed vote was undone. The act has not been judged.
	Early Verdict = "early"
	// Elsewhere: the control was used on a message that is no card of the request.
	Elsewhere Verdict = "elsewhere"
	// Tentative: this act decided the request, and can be undone for a while.
	Tentative Verdict = "tentative"
	// Decided: somebody has decided the request, and that can still be undone.
	Decided Verdict = "decided"
	// Undone: the request stands as it did before it was decided.
	Undone Verdict = "undone"
	// Unheld: there is nothing to undo.
	Unheld Verdict = "unheld"
	// Claimed: the person is on it, and the cards say so.
	Claimed Verdict = "claimed"
	// Theirs: somebody else decided, and only they can undo it.
	Theirs Verdict = "theirs"
	// Overtaken: what the person typed was on its way while somebody pressed Undo.
	Overtaken Verdict = "overtaken"
	// Outdated: the agent has revised the request since the person saw it.
	Outdated Verdict = "outdated"
	// AskedAgent: the agent hears what the person asked, and the request waits for an
	// answer.
	AskedAgent Verdict = "asked"
	// Passed: somebody else may answer in the place of the person.
	Passed Verdict = "passed"
	// NotPassed: it was not passed on; [Decision.Why] says why not.
	NotPassed Verdict = "not_passed"
	// Unshown: files of the request do not stand below the card yet.
	Unshown Verdict = "unshown"
	// Enough: people have asked the agent as often as they can.
	Enough Verdict = "enough"
)

// Counts reports whether the act counts, by this delivery of it or by one before: nothing that
// the person did is lost.
func (v Verdict) Counts() bool {
	switch v {
	case Recorded, Completed, Repeated, Counted, Tentative, Undone, Claimed, AskedAgent, Passed:
		return true
	}
	return false
}

// Decision is a verdict with what it needs to be told.
type Decision struct {
	Verdict Verdict
	// Missing are the questions without an answer: all of them, or for what is Recorded
	// those that the form left out.
	Missing []int
	// Why is why the request was not passed on.
	Why WhyNot
	// Gone tells that a typed vote is taken back, since its message says something else now
	// that does not count.
	Gone bool
	// Over tells that the time to answer has run out while what is undone was held, so that the
	// request ends now.
	Over bool
}

// DraftMode is how a platform shows what is chosen so far, and whom it knows.
type DraftMode struct {
	// Shared: all its people share one draft, which the card shows.
	Shared bool
	// Redraws: the reply to the act draws the card anew.
	Redraws bool
	// Ungrouped: in a direct message it says of nobody which groups they belong to, and
	// nobody can look that up.
	Ungrouped bool
}

// Judge applies a person's act. It returns [ErrUnchanged] when there is nothing
// to write.
func (r *Record) Judge(a Act, m DraftMode, now time.Time) (Decision, error) {
	if r.stepDue(now) {
		// Whoever acts at a moment acts after all that was due by it.
		r.step(now)
		return Decision{Verdict: Early}, nil
	}
	a = a.cleaned()
	a = r.heard(a)
	adopted := r.Adopt(a, now)
	result, changed := r.decide(a, m, now)
	if m.Redraws && r.Redrawn(a, result.Verdict) {
		changed = r.redrawing(a.Message, now) || changed
	}
	traced := r.traceAct(a, result.Verdict, now)
	if !changed && !adopted && !traced {
		return result, ErrUnchanged
	}
	return result, nil
}

func (r *Record) decide(a Act, m DraftMode, now time.Time) (Decision, bool) {
	mark := actMark(a.ID)
	switch {
	case !r.Knows(a.Message):
		return Decision{Verdict: Elsewhere}, false
	case r.Took(a.ID):
		return Decision{Verdict: Repeated}, false
	case !r.Open():
		return Decision{Verdict: Closed}, r.misdrawn(a, m, now)
	case r.CatchUp(now) == nil:
		return Decision{Verdict: r.overdue()}, true
	case !r.MayAnswer(a):
		return Decision{Verdict: Forbidden}, false
	case !r.shown(a):
		return Decision{Verdict: Unshown}, false
	case a.Action.Kind == ask.AskAgent && r.Held == nil:
		return r.askAgent(a, mark, m, now)
	case a.Action.Revised != r.Revised, r.overtook(a):
		return Decision{Verdict: Outdated}, r.misdrawn(a, m, now)
	case r.undoneSince(a):
		return Decision{Verdict: Overtaken}, false
	case !a.Action.Fits(r.Questions):
		return Decision{Verdict: Unknown}, false
	case r.Held != nil:
		return r.whileHeld(a, mark, m, now)
	case a.Action.Kind == ask.Undo:
		return Decision{Verdict: Unheld}, false
	case a.Action.Kind == ask.Claim:
		return r.claim(a, mark, m, now)
	case a.Action.Kind == ask.Pass:
		return r.pass(a, mark, m, now)
	case r.Voting != nil:
		return r.vote(a, mark, m, now)
	}
	switch a.Action.Kind {
	case ask.TakeBack, ask.AskAgent:
		return Decision{Verdict: Unknown}, false
	case ask.Dismiss:
		return r.decided(ask.Dismissal(a.By.Person), a, m, now), true
	case ask.Reply:
		reply := a.Action.Text()
		if reply == "" {
			return Decision{Verdict: Incomplete}, false
		}
		return r.decided(ask.Replying(a.By.Person, reply), a, m, now), true
	}
	who := a.By.Key()
	if m.Shared {
		who = a.By.Platform
	}
	draft, result := r.drafted(a, who)
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
			return r.incomplete(a, mark, missing)
		}
		return r.decided(ask.Answering(r.Questions, draft, a.By.Person, now), a, m, now), true
	}
	r.keep(who, draft, mark)
	if m.Shared {
		r.show(a, m.Redraws, now)
	}
	return Decision{Verdict: Recorded, Missing: r.leftOut(a, draft)}, true
}

// heard returns the act as the request takes it: where the agent hears nothing before the
// end, what is asked back is a reply.
func (r *Record) heard(a Act) Act {
	if a.Action.Kind == ask.AskAgent && r.AskBack == ask.AskBackEnd {
		a.Action.Kind = ask.Reply
	}
	return a
}

// leftOut are the questions that the form asked and that are still without an answer.
func (r *Record) leftOut(a Act, draft ask.Draft) []int {
	if a.Action.Kind != ask.Fill {
		return nil
	}
	covered := a.Action.Covers(r.Questions)
	return slices.DeleteFunc(draft.Missing(r.Questions), func(q int) bool { return !slices.Contains(covered, q) })
}

// DraftOf is what the person's next act is laid over: what they have chosen so far,
// or everybody of their platform where that is shared.
func (r *Record) DraftOf(who ask.Person, m DraftMode) ask.Draft {
	if m.Shared && r.Voting == nil {
		return r.Drafts[who.Platform]
	}
	return r.Drafts[who.Key()]
}

// overdue is what an act comes to that found the request ending by itself.
func (r *Record) overdue() Verdict {
	if r.Winner != "" {
		return Closed // Somebody had decided it.
	}
	return Late
}

// drafted returns the draft after the act, or why there is none.
func (r *Record) drafted(a Act, who string) (ask.Draft, Decision) {
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

// incomplete refuses a submit with questions left out.
func (r *Record) incomplete(a Act, mark string, missing []int) (Decision, bool) {
	result := Decision{Verdict: Incomplete, Missing: missing}
	if a.Action.Kind != ask.Submit {
		return result, false // A form carries all there is to it.
	}
	r.remember(mark) // Delivered again it must not find the rest there.
	return result, true
}

// keep takes note of a draft, and of the act that made it.
func (r *Record) keep(who string, draft ask.Draft, mark string) {
	if r.Drafts == nil {
		r.Drafts = map[string]ask.Draft{}
	}
	r.Drafts[who] = draft
	r.remember(mark)
}

// maxRecent is how many acts a record remembers by name. Those before are older
// than what the draft holds, or a platform's five minutes in which an act can be
// delivered again are over (https://docs.slack.dev/authentication/verifying-requests-from-slack).
const maxRecent = 32

// maxRecentHeld is the same where a decision can be undone. No draft holds those that come
// meanwhile, and delivered again after an undo they would decide: so it is more than people do in
// those minutes.
const maxRecentHeld = 1024

// IDAlphabet writes ids and short names.
var IDAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// actMark is a short name of an act.
func actMark(id string) string {
	sum := sha256.Sum256([]byte(id))
	return IDAlphabet.EncodeToString(sum[:])[:12]
}

// noted is remember for an act that may have been remembered already.
func (r *Record) noted(mark string) {
	if slices.Index(r.Recent, mark) < 0 {
		r.remember(mark)
	}
}

// remember takes note of an act that was judged.
func (r *Record) remember(mark string) {
	most := maxRecent
	if r.Hold > 0 {
		most = maxRecentHeld
	}
	r.Recent = append(slices.Clip(r.Recent[max(0, len(r.Recent)-most+1):]), mark)
}
