package bridge

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
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
func outlived(r *Record, i Interaction, now time.Time) bool {
	if now.Before(r.EndedAt.Add(afterlife)) || i.Message == (MessageRef{}) {
		return false
	}
	for n := range r.Copies {
		c := &r.Copies[n]
		if drawn := c.State == Posted && c.Rendered == r.Revision; c.Ref == i.Message && (drawn || c.State == Lost) {
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

// act applies a person's act to a record. It returns ErrUnchanged when there is
// nothing to write.
func act(r *Record, i Interaction, m draftMode, now time.Time) (decision, error) {
	i = i.cleaned()
	adopted := adopt(r, i, now)
	result, changed := decide(r, i, m, now)
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

func decide(r *Record, i Interaction, m draftMode, now time.Time) (decision, bool) {
	mark := actMark(i.ID)
	switch {
	case !known(r, i.Message):
		return decision{verdict: elsewhere}, false
	case !r.Open() && r.Winner == i.ID, slices.Contains(r.Recent, mark):
		return decision{verdict: repeated}, false
	case !r.Open():
		return decision{verdict: closed}, outlived(r, i, now)
	case expire(r, now) == nil:
		return decision{verdict: late}, true
	case !mayAnswer(r, i):
		return decision{verdict: forbidden}, false
	case !fits(r, i.Token):
		return decision{verdict: unknown}, false
	}
	if i.Token.Verb == render.Dismiss {
		decided(r, ask.Dismissal(i.Person), i, now)
		return decision{verdict: completed}, true
	}
	if i.Token.Verb == render.SubmitText && i.Token.Question < 0 {
		reply := i.Texts[i.Token.Question]
		if reply == "" {
			return decision{verdict: incomplete}, false
		}
		decided(r, ask.Replying(i.Person, reply), i, now)
		return decision{verdict: completed}, true
	}
	who := i.Person.Key()
	if m.shared {
		who = i.Person.Platform
	}
	draft := r.Drafts[who]
	switch {
	case i.Token.Verb == render.Submit && i.Order < draft.Newest():
		return decision{verdict: hasty}, false
	case outdated(r.Questions, draft, i):
		return decision{verdict: stale}, false
	}
	draft, blank := move(r.Questions, draft, i)
	if len(blank) > 0 {
		return decision{verdict: incomplete, missing: blank}, false
	}
	if m.shared && i.Token.Question >= 0 {
		draft = draft.AttributedTo(i.Token.Question, i.Person)
	}
	if finishes(r.Questions, i.Token.Verb, m.shared, draft) {
		if missing := draft.Missing(r.Questions); len(missing) > 0 {
			result := decision{verdict: incomplete, missing: missing}
			if i.Token.Verb != render.Submit {
				return result, false // A form carries all there is to it.
			}
			r.remember(mark) // Delivered again it must not find the rest there.
			return result, true
		}
		answers := draft.Answers(r.Questions, i.Person, now)
		decided(r, ask.Outcome{State: ask.Answered, Answers: answers, By: i.Person}, i, now)
		return decision{verdict: completed}, true
	}
	if r.Drafts == nil {
		r.Drafts = map[string]ask.Draft{}
	}
	r.Drafts[who] = draft
	r.remember(mark)
	if m.shared {
		show(r, i, m.redraws, now)
	}
	return decision{verdict: recorded}, true
}

// show makes every card of the platform stale, whose people share the draft, but
// for the one that the reply to the act draws anew. Other platforms do not show
// it.
func show(r *Record, i Interaction, redraws bool, now time.Time) {
	r.Revision++
	for n := range r.Copies {
		c := &r.Copies[n]
		drawn := redraws && c.Ref == i.Message && c.Ref != (MessageRef{})
		if elsewhere := c.Target.Platform != i.Person.Platform; c.Rendered == r.Revision-1 && (drawn || elsewhere) {
			c.Rendered = r.Revision
		}
	}
	if behind(r) {
		r.DeliveryDue = now.Add(lease)
	}
}

// fits reports whether the control's indexes exist in the record and typed text
// is allowed where it is given.
func fits(r *Record, t render.Token) bool {
	if t.Question >= len(r.Questions) {
		return false
	}
	switch t.Verb {
	case render.Choose, render.Drop:
		return t.Question >= 0 && t.Option >= 0 && t.Option < len(r.Questions[t.Question].Options)
	case render.SubmitText:
		return t.Question < 0 || !r.Questions[t.Question].NoOther
	case render.Pick:
		return t.Question >= 0
	}
	return true
}

// outdated reports whether something newer than the act is recorded already.
func outdated(questions []ask.Question, d ask.Draft, i Interaction) bool {
	t := i.Token
	switch {
	case t.Question < 0:
		return false
	case t.Option >= 0 && questions[t.Question].MultiSelect:
		return d[t.Question].Passed(t.Option, i.Order)
	}
	return i.Order < d[t.Question].Order
}

// move returns the draft after the act, and the questions for which blank text
// was typed into a form that asked for it.
func move(questions []ask.Question, d ask.Draft, i Interaction) (ask.Draft, []int) {
	t := i.Token
	switch t.Verb {
	case render.Choose, render.Drop:
		if q := questions[t.Question]; q.MultiSelect {
			return d.Turn(t.Question, q, t.Option, t.Verb == render.Choose, i.Order), nil
		}
		return d.Select(t.Question, questions[t.Question], []int{t.Option}, i.Order), nil
	case render.Pick:
		return d.Select(t.Question, questions[t.Question], i.Picks[t.Question], i.Order), nil
	case render.SubmitText:
		if i.Texts[t.Question] == "" && d[t.Question].Other == "" {
			return d, []int{t.Question}
		}
		return d.Write(t.Question, questions[t.Question], i.Texts[t.Question], i.Order), nil
	case render.Submit:
		return seen(questions, d, i), nil
	case render.AnsweredAll:
		d = seen(questions, nil, i)
		for q, text := range i.Texts {
			if q >= 0 && q < len(questions) && !questions[q].NoOther && text != "" {
				d = d.Write(q, questions[q], text, i.Order)
			}
		}
	}
	return d, nil
}

// seen lays what the surface showed when the person submitted over the draft:
// what you submit is what you see. Typed text, which the surface cannot show,
// stays; on a single-select question it stands until a later pick took it away.
func seen(questions []ask.Question, d ask.Draft, i Interaction) ask.Draft {
	for q, picks := range i.Picks {
		if q < 0 || q >= len(questions) {
			continue
		}
		if !questions[q].MultiSelect && d[q].Other != "" {
			continue
		}
		d = d.Select(q, questions[q], picks, max(i.Order, d[q].Order))
	}
	return d
}

// finishes reports whether the act asks for the end of the request: a submit
// always does, a choice does where it leaves nothing to change one's mind on.
func finishes(questions []ask.Question, v render.Verb, shared bool, d ask.Draft) bool {
	switch v {
	case render.Submit, render.AnsweredAll:
		return true
	case render.Choose, render.SubmitText, render.Pick:
		if v == render.Pick && !shared {
			return false
		}
		for _, q := range questions {
			if q.MultiSelect {
				return false
			}
		}
		return len(questions) == 1 || shared && len(d.Missing(questions)) == 0
	}
	return false
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
func adopt(r *Record, i Interaction, now time.Time) bool {
	ref := i.Message
	if known(r, ref) {
		return false
	}
	at := -1
	for n, c := range r.Copies {
		missing := c.Ref == (MessageRef{}) && c.State != Undeliverable
		there := c.Target.Channel == ref.Channel || c.Target.Thread == ref.Channel || c.Ref.Channel == ref.Channel ||
			c.Target.User != "" && c.Target.User == i.Person.ID
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
func decided(r *Record, o ask.Outcome, i Interaction, now time.Time) {
	end(r, o, now)
	r.Winner, r.WonAt = i.ID, i.Message
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
