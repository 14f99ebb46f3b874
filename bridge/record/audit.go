package record

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Audited returns a transition that does what f does and adds to the record's trail what f changed.
// If begin is true, a record without a trail gets one.
func Audited(f Transition, begin bool) Transition {
	return func(r *Record, now time.Time) error {
		if r.Trail == nil && !begin {
			return f(r, now)
		}
		if r.Trail == nil {
			r.Trail = &Trail{}
		}
		before := snapshotOf(r)
		if err := f(r, now); err != nil {
			return err
		}
		trace(r, &before, now)
		return nil
	}
}

// snapshot is the part of a record that the trail compares. A whole record would be a kilobyte more on
// the stack, which every act would outgrow.
type snapshot struct {
	isNew, open bool
	cards       []Delivery
	steps       int
	policy      ask.Policy
	ballots     []Ballot
	held        *Held
	joined      int
	revised     int
	askedBack   []AskedBack
	receipt     *Receipt
	webhook     *Webhook
}

// snapshotOf copies what transitions change in place; the rest they replace.
func snapshotOf(r *Record) snapshot {
	s := snapshot{
		isNew: r.Version == 0, open: r.Open(), cards: make([]Delivery, len(r.Copies)), policy: r.Policy, held: r.Held,
		joined: r.Joined, revised: r.Revised, askedBack: r.AskedBack, receipt: r.Receipt, webhook: r.Webhook,
	}
	for n := range r.Copies {
		s.cards[n] = r.Copies[n].State
	}
	if r.Schedule != nil {
		s.steps = r.Schedule.Done
	}
	if r.Voting != nil {
		s.ballots = r.Voting.Ballots
	}
	return s
}

// addEvent adds an event to the trail, if there is one.
func addEvent(r *Record, e Event, now time.Time) {
	if r.Trail != nil {
		e.At, e.Revision = asStored(now), r.Revision
		r.Trail = r.Trail.with(e)
	}
}

// trace adds the differences from before to the trail.
func trace(r *Record, before *snapshot, now time.Time) {
	if before.isNew {
		addEvent(r, Event{Kind: EventAsked, Detail: r.Fingerprint + " " + r.Policy.String()}, now)
	}
	tracePosts(r, before, now)
	switch {
	case before.isNew:
	case r.Schedule != nil && before.steps < r.Schedule.Done:
		for n, step := range r.Schedule.Steps[before.steps:r.Schedule.Done] {
			if p := step.Pass; p != nil {
				addEvent(r, Event{Kind: EventPassed, By: p.By, Act: p.Mark, Detail: p.To.Key()}, now)
				continue
			}
			addEvent(r, Event{Kind: EventStep, Detail: strconv.Itoa(before.steps+n+1) + " " + string(step.Do)}, now)
		}
	case !r.Policy.Equal(before.policy):
		addEvent(r, Event{Kind: EventPolicy, Detail: r.Policy.String()}, now)
	}
	traceBallots(r, before, now)
	if h := r.Held; h != nil && (before.held == nil || before.held.Winner != h.Winner) {
		e := Event{Kind: EventHeld, By: h.Outcome.By, Act: actMark(h.Winner)}
		if !r.Voting.sealed() {
			e.Detail, e.Choices, e.Text = string(h.Outcome.State), choicesOf(h.Outcome), h.Outcome.Reason
		}
		addEvent(r, e, now)
	}
	if (before.open || before.isNew) && !r.Open() {
		e := Event{Kind: EventKind(r.Outcome.State), By: r.Outcome.By, Detail: r.Outcome.Via}
		if r.Winner != "" {
			e.Act = actMark(r.Winner)
		}
		addEvent(r, e, now)
		if o := Granted(r); o != nil {
			addEvent(r, Event{Kind: EventGranted, By: r.Outcome.By, Act: e.Act, Detail: string(o.Scope) + " " + o.For.String()}, now)
		}
	}
	traceTalk(r, before, now)
	if w := r.Webhook; w != nil && before.webhook != nil && w.State != before.webhook.State {
		switch w.State {
		case Taken:
			addEvent(r, Event{Kind: EventAgentTold}, now)
		case Dead:
			addEvent(r, Event{Kind: EventAgentGivenUp}, now)
		}
	}
}

// tracePosts adds the cards that were posted, or given up.
func tracePosts(r *Record, before *snapshot, now time.Time) {
	for n, c := range r.Copies {
		was := Pending
		if n < len(before.cards) {
			was = before.cards[n]
		}
		switch {
		case c.State == was || c.Adopted:
		case c.State == Posted:
			addEvent(r, Event{Kind: EventPosted, Detail: c.Target.String()}, now)
		case c.State == Undeliverable:
			addEvent(r, Event{Kind: EventNotPosted, Detail: c.Target.String()}, now)
		}
	}
}

// traceTalk adds joins, revisions, questions to the agent, replies and receipts.
func traceTalk(r *Record, before *snapshot, now time.Time) {
	if r.Joined != before.joined {
		addEvent(r, Event{Kind: EventJoined, Detail: strconv.Itoa(r.Joined)}, now)
	}
	if r.Revised != before.revised {
		addEvent(r, Event{Kind: EventRevised, Detail: strconv.Itoa(r.Revised)}, now)
	}
	for n, asked := range r.AskedBack {
		number := strconv.Itoa(asked.Number)
		if n >= len(before.askedBack) {
			addEvent(r, Event{Kind: EventAskedBack, By: asked.By, Detail: number, Text: asked.Text}, now)
		} else if asked.Reply != before.askedBack[n].Reply {
			addEvent(r, Event{Kind: EventReplied, Detail: number, Text: asked.Reply}, now)
		}
	}
	switch was := before.receipt; {
	case r.Receipt == nil:
	case r.Receipt.Instead != "" && (was == nil || was.Instead == ""):
		addEvent(r, Event{Kind: EventOverruled, Text: r.Receipt.Instead}, now)
	case was != nil && r.Receipt.TakenAt != was.TakenAt:
		addEvent(r, Event{Kind: EventTaken}, now)
	}
}

// traceBallots adds the votes that were cast and taken back. The vote that ended the request is among
// those of the outcome. A sealed vote leaves no choices here.
func traceBallots(r *Record, before *snapshot, now time.Time) {
	if r.Voting == nil || r.Held == nil && before.held != nil {
		return
	}
	for _, b := range r.Voting.Ballots {
		if slices.ContainsFunc(before.ballots, func(old Ballot) bool { return old.By.Key() == b.By.Key() && old.Order == b.Order && old.Mark == b.Mark }) {
			continue
		}
		e := Event{Kind: EventVoted, By: b.By, Act: b.Mark}
		switch {
		case b.Sort == TakenBack:
			e.Kind = EventWithdrawn
		case r.Voting.sealed():
		case b.Sort == ForDismissal:
			e.Detail, e.Text = "dismiss", b.Reply
		default:
			for q, pick := range b.Picks {
				e.Choices = append(e.Choices, choiceOf(q, r.Questions[q], pick))
			}
		}
		addEvent(r, e, now)
	}
}

// traceAct adds events that only the act shows, and reports whether they alone have to be stored.
func traceAct(r *Record, a Act, v Verdict, now time.Time) bool {
	e := Event{By: a.By.Person, Act: actMark(a.ID)}
	switch v {
	case Forbidden, Theirs, Final:
		if e.Kind, e.Detail = EventRefused, string(v); !r.Trail.canRefuse(e) {
			return false
		}
		addEvent(r, e, now)
		r.Trail.Refused++
		return true
	case Undone:
		e.Kind = EventUndone
		addEvent(r, e, now)
	case Claimed:
		e.Kind = EventClaimed
		addEvent(r, e, now)
	}
	return false
}

// choicesOf are the choices of an outcome, with the texts of the person who decided. Texts of others,
// as in a shared draft, are left out: an event belongs to one person, and is erased with their texts.
func choicesOf(o ask.Outcome) []ask.Choice {
	own := func(text string, by ...ask.Person) string {
		if by := cmp.Or(by...); by.ID != "" && by.Key() != o.By.Key() {
			return ""
		}
		return text
	}
	var all []ask.Choice
	for _, a := range o.Answers {
		all = append(all, ask.Choice{Index: a.Index, Selected: a.Selected, Other: own(a.Other, a.By), Notes: own(a.Notes, a.NotesBy, a.By)})
	}
	for _, s := range o.Skipped {
		all = append(all, ask.Choice{Index: s.Index, Selected: []string{}, Skipped: true, Notes: own(s.Notes, s.NotesBy, s.By)})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Index < all[j].Index })
	return all
}

// Granted returns what the person who answered has approved beyond the call; nil for nothing.
func Granted(r *Record) *ask.Offer {
	if r.Outcome.State != ask.Answered || r.Outcome.Via != "" || len(r.Outcome.Answers) == 0 || len(r.Outcome.Answers[0].Selected) == 0 {
		return nil
	}
	return r.Permit.Offered(r.Outcome.Answers[0].Selected[0])
}
