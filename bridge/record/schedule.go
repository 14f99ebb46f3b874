package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Schedule is what happens to a request while nobody answers. All of it was settled when
// the request was made, so that every replica does the same at the same moment.
type Schedule struct {
	// Steps are in the order of their moments. What they do never changes, and their
	// moments are only ever put off.
	Steps []Step
	// Done is how many have happened.
	Done int
	// ClaimFor is how long whoever says that they are on it keeps steps back; zero lets
	// nobody say so.
	ClaimFor time.Duration
	// Claim is who is on it, or was last; nil for nobody.
	Claim *Claim
	// PassTo is whom people can pass the request on to: those whom its route and its token
	// let answer. The zero policy lets nobody pass it on.
	PassTo ask.Policy
}

// Step is one thing that happens at a moment.
type Step struct {
	// After is how long after the request was made, and At the moment by the store's
	// clock, which [Record.Begin] sets.
	After time.Duration
	At    time.Time
	Do    ask.StepKind
	// Policy is who may answer from then on, and Added whom that lets answer besides;
	// a step that only reminds has neither.
	Policy ask.Policy
	Added  []string
	// Places are where it is asked from then on besides.
	Places []ask.Place
	// Who are told of the step, as in [Audience].
	Who []string
	// Pass is what somebody did who passed the request on; nil for a step of the plan.
	Pass *Pass
}

// begin sets the moments of the steps.
func (r *Record) begin(now time.Time) {
	if r.Schedule == nil {
		return
	}
	steps := slices.Clone(r.Schedule.Steps)
	for n := range steps {
		steps[n].At = asStored(now.Add(steps[n].After))
	}
	r.Schedule = &Schedule{Steps: r.inTime(steps), ClaimFor: r.Schedule.ClaimFor, PassTo: r.Schedule.PassTo}
}

// Keep puts the steps of a record that has just begun off to working hours. It is done
// once, so that replicas may know different rules for a time zone.
func (r *Record) Keep(hours ask.Hours, zone *time.Location) {
	if r.Schedule == nil || hours.IsZero() {
		return
	}
	steps := slices.Clone(r.Schedule.Steps)
	for n := range steps {
		steps[n].At = hours.Next(steps[n].At, zone).UTC()
	}
	r.Schedule.Steps = r.inTime(steps)
	r.Due = r.nextDue()
}

// inTime leaves out those of the steps to come that the deadline comes before.
func (r *Record) inTime(steps []Step) []Step {
	done := r.Schedule.Done
	return append(steps[:done:done], slices.DeleteFunc(slices.Clone(steps[done:]), func(s Step) bool {
		return !r.Deadline.IsZero() && !s.At.Before(r.Deadline)
	})...)
}

// nextDue is the earliest moment at which an open record changes by itself.
func (r *Record) nextDue() time.Time {
	next := r.moment()
	if s := r.Schedule; s != nil && r.Held == nil && s.Done < len(s.Steps) && s.Steps[s.Done].At.Before(next) {
		next = s.Steps[s.Done].At
	}
	return next
}

// stepDue reports whether a step has to happen before anything else does. It compares
// the time with nothing but Due, as a [Transition] must.
func (r *Record) stepDue(now time.Time) bool {
	return r.Open() && r.Schedule != nil && !now.Before(r.Due) && !r.Due.Equal(r.moment()) && !r.Overdue(now)
}

// step has the next step happen, with all that are due at the same moment: a claim or
// working hours may have kept them back until then. What they say to people follows by
// the delivery, in one message.
func (r *Record) step(now time.Time) {
	s := r.Schedule
	first := s.Done
	for s.Done < len(s.Steps) && !s.Steps[s.Done].At.After(s.Steps[first].At) {
		s.Done++
	}
	for n := first; n < s.Done; n++ {
		if next := s.Steps[n]; next.Do == ask.Add {
			r.widen(next, n+1)
		}
	}
	r.Due = r.nextDue()
	r.anew(now)
	r.DeliveryDue = now.Add(r.lease())
}

// widen lets those answer whom a step adds, which is the nth, and asks where it does.
func (r *Record) widen(s Step, nth int) {
	if !s.Policy.IsZero() && !s.Policy.Vacant() {
		r.Policy = s.Policy // It can be vacant when nobody is on call.
	}
	if v := r.Voting; v != nil && v.Roster != nil {
		v.Roster = r.joined(s.Added)
	}
	done := r.happened()
	for _, place := range s.Places {
		if !slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.Target == place }) {
			r.Copies = append(r.Copies, Copy{Target: place, State: Delayed, Step: nth, Said: done, Saying: done})
		}
	}
}

// joined is the closed list of those who vote with whom a step has added, as far as the policy
// lets them; nil where a group is added, since nobody knows how many vote then.
func (r *Record) joined(added []string) []string {
	v := r.Voting
	all := slices.Clone(v.Roster)
	closed, known := r.Policy.People()
	for _, account := range added {
		e, _ := ask.ParseEntry(account)
		human := v.human(account)
		switch {
		case e.Kind != "":
			return nil
		case isRota(account), r.out(account), slices.Contains(all, human):
		case known && !slices.ContainsFunc(closed, func(p ask.Person) bool { return p.Key() == account }):
		case r.Policy.Has(ask.NotRequester) && slices.Contains(r.Requesters, account):
		default:
			all = append(all, human)
		}
	}
	return all
}

// Tick does what is due by the store's clock: the one step that is, or the end. It
// returns [ErrUnchanged] when nothing is. One moment takes one swap, so whoever finds
// the next one due as well comes again.
func (r *Record) Tick(now time.Time) error {
	switch {
	case r.CatchUp(now) == nil:
	case r.stepDue(now):
		r.step(now)
	default:
		return ErrUnchanged
	}
	return nil
}

// unsaid reports whether something has happened that was not said below a card yet.
func (r *Record) unsaid(c Copy) bool {
	if !r.Open() || c.State != Posted || c.Adopted || c.Said >= r.happened() {
		return false
	}
	steps, replies := r.Below(c, r.happened())
	return len(steps)+len(replies) > 0
}

// Hears returns who is to hear what is being said below a card: of its platform, and where
// it is sent to one person that one alone.
func (r *Record) Hears(c Copy) []string {
	var who []string
	tell := func(entry string) {
		if reaches(c, entry) && !slices.Contains(who, entry) {
			who = append(who, entry)
		}
	}
	steps, replies := r.Below(c, c.Saying)
	for _, s := range steps {
		for _, entry := range s.Who {
			tell(entry)
		}
	}
	for _, asked := range replies {
		tell(asked.By.Key())
	}
	return who
}

// Said tells that what happened up to Steps was said below a card, or never will be.
type Said struct{ Steps int }

func (s Said) write(r *Record, c *Copy, _ time.Time) {
	c.Said = max(c.Said, s.Steps)
	c.Saying = max(c.Saying, c.Said)
	if c.State == Posted && !r.Wants(*c) {
		c.Problem, c.RetryAt = "", time.Time{} // It was put off for this.
	}
}

// Unsaid tells that what happened up to Steps could not be said, and has not been as far as is known.
type Unsaid struct {
	Failure

	Steps int
	// Doubted tells that it may have been said, which nobody could look up. It stays begun, so that
	// whoever claims the record looks again.
	Doubted bool
}

func (u Unsaid) write(r *Record, c *Copy, now time.Time) {
	if u.Doubted {
		c.Problem = u.Why
		return
	}
	c.Saying = c.Said
	if r.Attempts < maxAttempts {
		u.Failure.write(r, c, now)
		return
	}
	Said{u.Steps}.write(r, c, now) // The card says what happened.
}

// Both are the results of one copy: its card was drawn, and something said below it.
// Either may be nil.
type Both struct{ First, Then Result }

func (b Both) write(r *Record, c *Copy, now time.Time) {
	for _, result := range []Result{b.First, b.Then} {
		if result != nil {
			result.write(r, c, now)
		}
	}
}
