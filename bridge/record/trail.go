package record

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Trail is what an auditor has to learn of a request. It stands in the record, so that
// nothing happens to the request without it; whoever exports it reads it there.
type Trail struct {
	// Seq is the number of the last event. Numbers begin at 1 and leave nothing out, so
	// whoever misses one knows that it is gone.
	Seq int64
	// Refused counts the refusals among them.
	Refused int
	// Events are the last ones, oldest first.
	Events []Event
}

// Event is one thing that was done to a request.
type Event struct {
	Seq int64
	// At is the store's time, and Revision that of the record afterwards.
	At       time.Time
	Kind     EventKind
	Revision int64
	// By is who did it, as the platform vouched for them; zero for an agent and for time.
	By ask.Person
	// Act is the short name of the interaction.
	Act string
	// Detail is in the program's words: a place, a step, a verdict.
	Detail string
	// Choices and Text are what a person chose and wrote, where the record does not go on
	// saying so: the outcome of a request stands in its record.
	Choices []ask.Choice
	Text    string
}

// EventKind says what was done.
type EventKind string

// The kinds of events. How a request ended is told by the name of its [ask.State].
const (
	// EventAsked: Detail is the fingerprint of the content, and who may answer.
	EventAsked EventKind = "asked"
	// EventPosted and EventNotPosted: the card stands at Detail, or cannot be posted there.
	EventPosted    EventKind = "posted"
	EventNotPosted EventKind = "not_posted"
	// EventVoted and EventWithdrawn: somebody has voted, or has taken their vote back.
	EventVoted     EventKind = "voted"
	EventWithdrawn EventKind = "withdrawn"
	// EventRefused: the act of a person who may not do it. Detail is the verdict.
	EventRefused EventKind = "refused"
	// EventHeld: it is decided, and can still be undone. EventUndone: it was.
	EventHeld   EventKind = "held"
	EventUndone EventKind = "undone"
	// EventStep: a step of the schedule has happened; Detail is its number, and what it does.
	EventStep EventKind = "step"
	// EventClaimed: somebody said that they are on it.
	EventClaimed EventKind = "claimed"
	// EventPassed: somebody has passed it on; Detail is whom to.
	EventPassed EventKind = "passed"
	// EventRevised: the agent asks something else since; Detail is how often it has revised.
	EventRevised EventKind = "revised"
	// EventAskedBack: a person asked the agent, in Text. EventReplied: it replied to that, in Text.
	EventAskedBack EventKind = "asked_back"
	EventReplied   EventKind = "replied"
	// EventGranted: the answer allows the same call again without anybody being asked; Detail is
	// in which scope, and for how long. What a grant has met ends with it for its Detail.
	EventGranted EventKind = "granted"
	// EventJoined: an equal request shares this one from then on; Detail is how many do.
	EventJoined EventKind = "joined"
	// EventTaken: the agent has what was decided.
	EventTaken EventKind = "taken"
	// EventOverruled: the agent went by something else, which Text says.
	EventOverruled EventKind = "overruled"
	// EventPolicy: others may answer from then on; Detail is who.
	EventPolicy EventKind = "policy"
	// EventAgentTold and EventAgentGivenUp: the agent's webhook took the call, or it was given up.
	EventAgentTold    EventKind = "agent_told"
	EventAgentGivenUp EventKind = "agent_given_up"
)

const (
	// maxTrail is how many events a record keeps, and maxTrailText how many bytes of what
	// people wrote and chose. An exporter reads them within seconds.
	maxTrail     = 64
	maxTrailText = 16 << 10
	// maxRefused bounds what strangers can have written by pressing again and again.
	maxRefused = 100
)

// Audited returns a transition that does what f does and leaves in the record's trail
// what was done by it. A record without a trail begins one if begin is true.
func Audited(f Transition, begin bool) Transition {
	return func(r *Record, now time.Time) error {
		if r.Trail == nil && !begin {
			return f(r, now)
		}
		if r.Trail == nil {
			r.Trail = &Trail{}
		}
		before := r.past()
		if err := f(r, now); err != nil {
			return err
		}
		r.trace(&before, now)
		return nil
	}
}

// past is how a record stood before it was changed, as far as its trail tells. A whole record
// beside it is a kilobyte more on the stack, which every act would outgrow.
type past struct {
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

// past copies what transitions change in place; the rest they replace.
func (r *Record) past() past {
	p := past{
		isNew: r.Version == 0, open: r.Open(), cards: make([]Delivery, len(r.Copies)), policy: r.Policy, held: r.Held,
		joined: r.Joined, revised: r.Revised, askedBack: r.AskedBack, receipt: r.Receipt, webhook: r.Webhook,
	}
	for n := range r.Copies {
		p.cards[n] = r.Copies[n].State
	}
	if r.Schedule != nil {
		p.steps = r.Schedule.Done
	}
	if r.Voting != nil {
		p.ballots = r.Voting.Ballots
	}
	return p
}

// trace adds what differs from before to the trail.
func (r *Record) trace(before *past, now time.Time) {
	if before.isNew {
		r.event(Event{Kind: EventAsked, Detail: r.Fingerprint + " " + r.Policy.String()}, now)
	}
	for n, c := range r.Copies {
		was := Pending
		if n < len(before.cards) {
			was = before.cards[n]
		}
		switch {
		case c.State == was || c.Adopted:
		case c.State == Posted:
			r.event(Event{Kind: EventPosted, Detail: c.Target.String()}, now)
		case c.State == Undeliverable:
			r.event(Event{Kind: EventNotPosted, Detail: c.Target.String()}, now)
		}
	}
	switch {
	case before.isNew:
	case r.Schedule != nil && before.steps < r.Schedule.Done:
		for n, step := range r.Schedule.Steps[before.steps:r.Schedule.Done] {
			if p := step.Pass; p != nil {
				r.event(Event{Kind: EventPassed, By: p.By, Act: p.Mark, Detail: p.To.Key()}, now)
				continue
			}
			r.event(Event{Kind: EventStep, Detail: strconv.Itoa(before.steps+n+1) + " " + string(step.Do)}, now)
		}
	case !r.Policy.Equal(before.policy):
		r.event(Event{Kind: EventPolicy, Detail: r.Policy.String()}, now)
	}
	r.traceBallots(before, now)
	if h := r.Held; h != nil && (before.held == nil || before.held.Winner != h.Winner) {
		e := Event{Kind: EventHeld, By: h.Outcome.By, Act: actMark(h.Winner)}
		if !r.sealed() {
			e.Detail, e.Choices, e.Text = string(h.Outcome.State), choicesOf(h.Outcome), h.Outcome.Reason
		}
		r.event(e, now)
	}
	if (before.open || before.isNew) && !r.Open() {
		e := Event{Kind: EventKind(r.Outcome.State), By: r.Outcome.By, Detail: r.Outcome.Via}
		if r.Winner != "" {
			e.Act = actMark(r.Winner)
		}
		r.event(e, now)
		if o := r.Granted(); o != nil {
			r.event(Event{Kind: EventGranted, By: r.Outcome.By, Act: e.Act, Detail: string(o.Scope) + " " + o.For.String()}, now)
		}
	}
	r.traceTalk(before, now)
	if w := r.Webhook; w != nil && before.webhook != nil && w.State != before.webhook.State {
		switch w.State {
		case Taken:
			r.event(Event{Kind: EventAgentTold}, now)
		case Dead:
			r.event(Event{Kind: EventAgentGivenUp}, now)
		}
	}
}

// traceTalk adds what people and the agent have said to each other.
func (r *Record) traceTalk(before *past, now time.Time) {
	if r.Joined != before.joined {
		r.event(Event{Kind: EventJoined, Detail: strconv.Itoa(r.Joined)}, now)
	}
	if r.Revised != before.revised {
		r.event(Event{Kind: EventRevised, Detail: strconv.Itoa(r.Revised)}, now)
	}
	for n, asked := range r.AskedBack {
		number := strconv.Itoa(asked.Number)
		if n >= len(before.askedBack) {
			r.event(Event{Kind: EventAskedBack, By: asked.By, Detail: number, Text: asked.Text}, now)
		} else if asked.Reply != before.askedBack[n].Reply {
			r.event(Event{Kind: EventReplied, Detail: number, Text: asked.Reply}, now)
		}
	}
	switch was := before.receipt; {
	case r.Receipt == nil:
	case r.Receipt.Instead != "" && (was == nil || was.Instead == ""):
		r.event(Event{Kind: EventOverruled, Text: r.Receipt.Instead}, now)
	case was != nil && r.Receipt.TakenAt != was.TakenAt:
		r.event(Event{Kind: EventTaken}, now)
	}
}

// traceBallots adds the votes that were cast and taken back. The vote that ended the
// request is among those of the outcome. What is secret until the end is secret here.
func (r *Record) traceBallots(before *past, now time.Time) {
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
		case r.sealed():
		case b.Sort == ForDismissal:
			e.Detail, e.Text = "dismiss", b.Reply
		default:
			for q, pick := range b.Picks {
				e.Choices = append(e.Choices, choiceOf(q, r.Questions[q], pick))
			}
		}
		r.event(e, now)
	}
}

// Granted returns what the person who answered has allowed beyond the call; nil for nothing.
func (r *Record) Granted() *ask.Offer {
	if r.Outcome.State != ask.Answered || r.Outcome.Via != "" || len(r.Outcome.Answers) == 0 || len(r.Outcome.Answers[0].Selected) == 0 {
		return nil
	}
	return r.Permit.Offered(r.Outcome.Answers[0].Selected[0])
}

// sealed reports whether what people want is secret until the end.
func (r *Record) sealed() bool { return r.Voting != nil && r.Voting.Rule.Show == ask.ShowSealed }

// traceAct adds what only the act tells, and reports whether there is something to write.
func (r *Record) traceAct(a Act, v Verdict, now time.Time) bool {
	switch v {
	case Forbidden, Theirs, Final:
		return r.refused(a, v, now)
	case Undone:
		r.event(Event{Kind: EventUndone, By: a.By.Person, Act: actMark(a.ID)}, now)
	case Claimed:
		r.event(Event{Kind: EventClaimed, By: a.By.Person, Act: actMark(a.ID)}, now)
	}
	return false
}

// refused takes note of an act that was refused, and reports whether it has. Who is
// refused again for the same reason is known already.
func (r *Record) refused(a Act, v Verdict, now time.Time) bool {
	t := r.Trail
	if t == nil || t.Refused >= maxRefused {
		return false
	}
	e := Event{Kind: EventRefused, By: a.By.Person, Act: actMark(a.ID), Detail: string(v)}
	if slices.ContainsFunc(t.Events, func(old Event) bool {
		return old.Kind == EventRefused && old.By.Key() == e.By.Key() && old.Detail == e.Detail
	}) {
		return false
	}
	r.event(e, now)
	r.Trail.Refused++
	return true
}

// event adds an event, and lets go of the oldest ones that are too many.
func (r *Record) event(e Event, now time.Time) {
	if r.Trail == nil {
		return
	}
	t := *r.Trail
	t.Seq++
	e.Seq, e.At, e.Revision = t.Seq, asStored(now), r.Revision
	t.Events = slices.Concat(t.Events, []Event{e}) // Those of other versions stay, and there is no room for more.
	first, text := len(t.Events)-1, t.Events[len(t.Events)-1].size()
	for first > 0 && len(t.Events)-first < maxTrail && text+t.Events[first-1].size() <= maxTrailText {
		first--
		text += t.Events[first].size()
	}
	t.Events = t.Events[first:]
	r.Trail = &t
}

func (e *Event) size() int {
	n := len(e.Text) + len(e.By.Name)
	for _, c := range e.Choices {
		n += len(c.Other) + len(c.Notes)
		for _, label := range c.Selected {
			n += len(label)
		}
	}
	return n
}

// choicesOf are the choices of an outcome, with what whoever decided wrote. What others wrote, as in
// a draft that is shared, is left out: an event is one person's, and is erased with their texts.
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
	slices.SortFunc(all, func(a, b ask.Choice) int { return a.Index - b.Index })
	return all
}
