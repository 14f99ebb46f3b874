package bridge

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// lease is how long whoever changed a record has to bring the outside world up
// to date before another replica takes over.
const lease = 10 * time.Second

// endLease is the same for a record that has ended and whose cards all stand. They
// still show buttons, and what is left to do may be done twice without harm, so
// another replica does not wait for long. Calls that take longer extend it.
const endLease = 2 * time.Second

// leaseOf is how long the deliveries of a record are left to whoever changed it.
func leaseOf(r *Record) time.Duration {
	if r.Open() || slices.ContainsFunc(r.Copies, unposted) {
		return lease
	}
	return endLease
}

// unposted reports whether somebody may be posting the card just now.
func unposted(c Copy) bool {
	return c.Ref == (MessageRef{}) && (c.State == Pending || c.State == Delayed)
}

// verdict says what came of a person's act.
type verdict string

const (
	// recorded: the choice counts and the request waits for more.
	recorded verdict = "recorded"
	// completed: this act ended the request.
	completed verdict = "completed"
	// repeated: a second delivery of an act that counts already.
	repeated verdict = "repeated"
	// stale: a newer act for the same question is recorded already.
	stale verdict = "stale"
	// hasty: something was chosen after the submit, which does not cover it.
	hasty verdict = "hasty"
	// incomplete: questions are missing, so nothing was submitted.
	incomplete verdict = "incomplete"
	// forbidden: this person may not answer.
	forbidden verdict = "forbidden"
	// late: the deadline had passed; the act expired the request.
	late verdict = "late"
	// closed: the request had ended before.
	closed verdict = "closed"
	// unknown: the control does not fit the request.
	unknown verdict = "unknown"
	// elsewhere: the control was used on a message that is no card of the request.
	elsewhere verdict = "elsewhere"
)

// decision is a verdict with what it needs to be told.
type decision struct {
	verdict verdict
	missing []int
}

// afterlife is how long a card may show its controls after the end without
// anything being wrong: acts and updates cross on their way.
const afterlife = 3 * time.Second

// outlived makes a card stale that was used long after the end of its request:
// its update was lost on the way, or the card was given up and can be drawn
// again, as in a thread that was unlocked. It reports whether the record changed.
func outlived(r *Record, used MessageRef, now time.Time) bool {
	if now.Before(r.EndedAt.Add(afterlife)) || used == (MessageRef{}) {
		return false
	}
	for n := range r.Copies {
		c := &r.Copies[n]
		if drawn := c.State == Posted && c.Rendered == r.Revision; c.Ref == used && (drawn || c.State == Lost) {
			c.State, c.Rendered, r.DeliveryDue = Posted, 0, now.Add(leaseOf(r))
			return true
		}
	}
	return false
}

// draftMode is how a platform shows what is chosen so far.
type draftMode struct {
	// shared: all its people share one draft, which the card shows.
	shared bool
	// redraws: the reply to the act draws the card anew.
	redraws bool
}

// Act is one action of one person, as a platform delivered and vouched for it.
type Act struct {
	// ID, Order and Message are those of the [Interaction].
	ID      string
	Order   int64
	Message MessageRef
	// By is the person, as far as the platform knows them: what the request knows
	// of them is added where the policy judges.
	By     ask.Responder
	Action ask.Action
}

// cleaned returns the act with what the person typed, and goes by, as it may be
// stored.
func (a Act) cleaned() Act {
	a.By.Name = ask.Line(a.By.Name)
	a.Action = a.Action.Cleaned()
	return a
}

// judge applies a person's act to a record. It returns ErrUnchanged when there
// is nothing to write.
func judge(r *Record, a Act, m draftMode, now time.Time) (decision, error) {
	a = a.cleaned()
	adopted := adopt(r, a, now)
	result, changed := decide(r, a, m, now)
	if !changed && !adopted {
		return result, ErrUnchanged
	}
	return result, nil
}

// maxRecent is how many acts a record remembers by name. Those before are older
// than what the draft holds, or a platform's five minutes in which an act can be
// delivered again are over (https://docs.slack.dev/authentication/verifying-requests-from-slack).
const maxRecent = 32

// actMark is a short name of an act.
func actMark(id string) string {
	sum := sha256.Sum256([]byte(id))
	return idAlphabet.EncodeToString(sum[:])[:12]
}

// remember takes note of an act that was judged.
func (r *Record) remember(mark string) {
	r.Recent = append(slices.Clip(r.Recent[max(0, len(r.Recent)-maxRecent+1):]), mark)
}

func decide(r *Record, a Act, m draftMode, now time.Time) (decision, bool) {
	mark := actMark(a.ID)
	switch {
	case !known(r, a.Message):
		return decision{verdict: elsewhere}, false
	case !r.Open() && r.Winner == a.ID, slices.Contains(r.Recent, mark):
		return decision{verdict: repeated}, false
	case !r.Open():
		return decision{verdict: closed}, outlived(r, a.Message, now)
	case expire(r, now) == nil:
		return decision{verdict: late}, true
	case !mayAnswer(r, a):
		return decision{verdict: forbidden}, false
	case !a.Action.Fits(r.Questions):
		return decision{verdict: unknown}, false
	}
	switch a.Action.Kind {
	case ask.Dismiss:
		decided(r, ask.Dismissal(a.By.Person), a, now)
		return decision{verdict: completed}, true
	case ask.Reply:
		reply := a.Action.Text()
		if reply == "" {
			return decision{verdict: incomplete}, false
		}
		decided(r, ask.Replying(a.By.Person, reply), a, now)
		return decision{verdict: completed}, true
	}
	who := a.By.Key()
	if m.shared {
		who = a.By.Platform
	}
	draft := r.Drafts[who]
	switch {
	case a.Action.Kind == ask.Submit && a.Order < draft.Newest():
		return decision{verdict: hasty}, false
	case a.Action.Outdated(r.Questions, draft, a.Order):
		return decision{verdict: stale}, false
	}
	draft, blank := a.Action.Apply(r.Questions, draft, a.Order)
	if len(blank) > 0 {
		return decision{verdict: incomplete, missing: blank}, false
	}
	if m.shared && a.Action.Question >= 0 {
		draft = draft.AttributedTo(a.Action.Question, a.By.Person)
	}
	if a.Action.Finishes(r.Questions, draft, m.shared) {
		if missing := draft.Missing(r.Questions); len(missing) > 0 {
			result := decision{verdict: incomplete, missing: missing}
			if a.Action.Kind != ask.Submit {
				return result, false // A form carries all there is to it.
			}
			r.remember(mark) // Delivered again it must not find the rest there.
			return result, true
		}
		answers := draft.Answers(r.Questions, a.By.Person, now)
		decided(r, ask.Outcome{State: ask.Answered, Answers: answers, By: a.By.Person}, a, now)
		return decision{verdict: completed}, true
	}
	if r.Drafts == nil {
		r.Drafts = map[string]ask.Draft{}
	}
	r.Drafts[who] = draft
	r.remember(mark)
	if m.shared {
		show(r, a, m.redraws, now)
	}
	return decision{verdict: recorded}, true
}

// show makes every card of the platform stale, whose people share the draft, but
// for the one that the reply to the act draws anew. Other platforms do not show
// it.
func show(r *Record, a Act, redraws bool, now time.Time) {
	r.Revision++
	for n := range r.Copies {
		c := &r.Copies[n]
		drawn := redraws && c.Ref == a.Message && c.Ref != (MessageRef{})
		if elsewhere := c.Target.Platform != a.By.Platform; c.Rendered == r.Revision-1 && (drawn || elsewhere) {
			c.Rendered = r.Revision
		}
	}
	if behind(r) {
		r.DeliveryDue = now.Add(lease)
	}
}

// known reports whether the record knows the card, or the platform does not say
// which one was used.
func known(r *Record, ref MessageRef) bool {
	return ref == (MessageRef{}) || slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.Ref == ref })
}

// adopt takes note of a card that we did not know of: its post was accepted and
// the reply lost. That can only be where a card is missing, or a lost reply has
// been noted; any other message in front of people is not ours to take for a
// card. It reports whether the record changed.
func adopt(r *Record, a Act, now time.Time) bool {
	ref := a.Message
	if known(r, ref) {
		return false
	}
	at := -1
	for n, c := range r.Copies {
		missing := c.Ref == (MessageRef{}) && c.State != Undeliverable
		there := c.Target.Channel == ref.Channel || c.Target.Thread == ref.Channel || c.Ref.Channel == ref.Channel ||
			c.Target.User != "" && c.Target.User == a.By.ID
		if c.Target.Platform == ref.Platform && there && (missing || c.Ambiguous) {
			at = n
		}
	}
	if at < 0 {
		return false
	}
	found := Copy{Target: r.Copies[at].Target, State: Posted, Ref: ref, Adopted: true}
	if r.Open() {
		found.Rendered = r.Revision
	} else {
		r.DeliveryDue = now.Add(leaseOf(r))
	}
	if c := &r.Copies[at]; c.Ref == (MessageRef{}) && c.State != Lost {
		found.Adopted = false
		*c = found
	} else {
		r.Copies = append(r.Copies, found)
	}
	return true
}

// expire ends an open request whose deadline has passed by the store's clock.
func expire(r *Record, now time.Time) error {
	if !r.Open() || r.Deadline.IsZero() || now.Before(r.Deadline) {
		return ErrUnchanged
	}
	end(r, ask.Outcome{State: ask.Expired, Reason: "nobody answered in time"}, now)
	return nil
}

// withdraw ends an open request on the agent's word.
func withdraw(r *Record, state ask.State, reason string, now time.Time) error {
	if expire(r, now) == nil {
		return nil
	}
	if !r.Open() {
		return ErrUnchanged
	}
	end(r, ask.Outcome{State: state, Reason: reason}, now)
	return nil
}

// decided ends the request by a person's act.
func decided(r *Record, o ask.Outcome, a Act, now time.Time) {
	end(r, o, now)
	r.Winner, r.WonAt = a.ID, a.Message
}

func end(r *Record, o ask.Outcome, now time.Time) {
	o.At = now
	r.Outcome = o
	r.EndedAt = now
	r.Due = time.Time{}
	r.Drafts, r.Recent = nil, nil
	r.Attempts = 0
	r.Revision++
	r.DeliveryDue = now.Add(leaseOf(r))
}
