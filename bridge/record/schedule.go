package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Schedule is what happens to a request while it is unanswered. All of it is settled when the
// request is made, so that every replica does the same at the same moment. A nil schedule has no
// steps.
type Schedule struct {
	// Steps are in the order of their moments. What they do never changes, and their moments are
	// only ever postponed.
	Steps []Step
	// Done is the number of steps that have happened.
	Done int
	// ClaimFor is how long a claim postpones steps; zero turns claims off.
	ClaimFor time.Duration
	// Claim is the last claim; nil for none.
	Claim *Claim
	// PassTo is the policy for recipients of a pass: they must be allowed to answer by the route and
	// the token. The zero policy turns passing off.
	PassTo ask.Policy
}

// Step is one scheduled event: a reminder, an escalation to more people, or a pass.
type Step struct {
	// After is the time since the request was made, and At the moment by the store's clock, which
	// [Record.Begin] sets.
	After time.Duration
	At    time.Time
	Do    ask.StepKind
	// Policy is who may answer from then on, and Added the people that adds. A reminder has
	// neither.
	Policy ask.Policy
	Added  []string
	// Places are additional places for the card.
	Places []ask.Place
	// Who is notified, as in [Audience].
	Who []string
	// Pass is set if a person passed the request on; nil for a planned step.
	Pass *Pass
}

// Claim records that a person is working on the request. It postpones the steps that would come
// before it lapses, and nothing else: others may still answer or claim it, and the deadline is kept.
type Claim struct {
	By        ask.Person
	At, Until time.Time
	// Order and Mark are those of the act.
	Order int64
	Mark  string
}

// Pass records that a person passed the request on to someone who may answer in their place. It
// never changes once stored.
type Pass struct {
	By, To ask.Person
	// Out are the accounts of the person who passed it on. None of them may answer any more.
	Out []string
	// Mark is that of the act.
	Mark string
}

// begun is the schedule of a request that begins now.
func (s *Schedule) begun(now, deadline time.Time) *Schedule {
	if s == nil {
		return nil
	}
	steps := slices.Clone(s.Steps)
	for n := range steps {
		steps[n].At = asStored(now.Add(steps[n].After))
	}
	next := &Schedule{ClaimFor: s.ClaimFor, PassTo: s.PassTo}
	next.setSteps(steps, deadline)
	return next
}

// setSteps replaces the steps with those that come before the deadline.
func (s *Schedule) setSteps(steps []Step, deadline time.Time) {
	s.Steps = append(steps[:s.Done:s.Done], slices.DeleteFunc(slices.Clone(steps[s.Done:]), func(step Step) bool {
		return !deadline.IsZero() && !step.At.Before(deadline)
	})...)
}

// deferToHours postpones the steps to working hours.
func (s *Schedule) deferToHours(hours ask.Hours, zone *time.Location, deadline time.Time) {
	steps := slices.Clone(s.Steps)
	for n := range steps {
		steps[n].At = hours.Next(steps[n].At, zone).UTC()
	}
	s.setSteps(steps, deadline)
}

// postpone moves the steps that would come earlier to a moment. Those that it moves past the
// deadline never happen.
func (s *Schedule) postpone(until, deadline time.Time) {
	steps := slices.Clone(s.Steps)
	for n := s.Done; n < len(steps); n++ {
		if steps[n].At.Before(until) {
			steps[n].At = until
		}
	}
	s.setSteps(steps, deadline)
}

// next is the next step; false if none is left.
func (s *Schedule) next() (Step, bool) {
	if s == nil || s.Done >= len(s.Steps) {
		return Step{}, false
	}
	return s.Steps[s.Done], true
}

// Claimable reports whether cards offer to claim the request: a claim would postpone a step, and no
// earlier claim is in force. Cards are drawn again with the first step after a claim has lapsed.
func (s *Schedule) Claimable() bool {
	_, more := s.next()
	if !more || s.ClaimFor == 0 {
		return false
	}
	return s.Claim == nil || s.Done > 0 && !s.Steps[s.Done-1].At.Before(s.Claim.Until)
}

// advance marks the next step as done, together with all that fall on the same moment, as after a
// claim or working hours. It returns them with the index of the first.
func (s *Schedule) advance() (first int, happened []Step) {
	first = s.Done
	for s.Done < len(s.Steps) && !s.Steps[s.Done].At.After(s.Steps[first].At) {
		s.Done++
	}
	return first, s.Steps[first:s.Done]
}

// resolveOnCall replaces rotas in the steps that happen next with those on call at the time.
func (s *Schedule) resolveOnCall(on OnCall) {
	steps := slices.Clone(s.Steps)
	for n := s.Done; n < len(steps) && !steps[n].At.After(steps[s.Done].At); n++ {
		step := &steps[n]
		step.Who, step.Added = s.replacePassers(ResolveRotas(step.Who, on, step.At)), ResolveRotas(step.Added, on, step.At)
		step.Policy = step.Policy.With(func(e ask.Entry) []string {
			if e.Platform != ask.OnCall {
				return nil
			}
			return on(e.ID, step.At)
		})
	}
	s.Steps = steps
}

// insert adds a pass as a step that happens now, after all that have. Later steps notify its
// recipient in place of the person who passed the request on. A claim of that person ends.
func (s *Schedule) insert(step Step) {
	s.Steps = slices.Insert(slices.Clone(s.Steps), s.Done, step)
	s.Done++
	for n := s.Done; n < len(s.Steps); n++ {
		s.Steps[n].Who = s.replacePassers(s.Steps[n].Who)
	}
	if s.Claim != nil && slices.Contains(step.Pass.Out, s.Claim.By.Key()) {
		s.Claim = nil
	}
}

// passes are all passes, oldest first.
func (s *Schedule) passes() []*Pass {
	if s == nil {
		return nil
	}
	var all []*Pass
	for _, step := range s.Steps {
		if step.Pass != nil {
			all = append(all, step.Pass)
		}
	}
	return all
}

// successor is the last person in the chain of passes that someone began; zero if they have not
// passed the request on.
func (s *Schedule) successor(who ask.Responder) (to ask.Person) {
	accounts := append(slices.Clip(who.Groups), who.Key())
	for _, p := range s.passes() {
		if slices.ContainsFunc(p.Out, func(key string) bool { return slices.Contains(accounts, key) }) {
			to, accounts = p.To, []string{p.To.Key()}
		}
	}
	return to
}

// hasPassed reports whether the owner of an account has passed the request on.
func (s *Schedule) hasPassed(account string) bool {
	return slices.ContainsFunc(s.passes(), func(p *Pass) bool { return slices.Contains(p.Out, account) })
}

// passedTo reports whether someone is the recipient of a pass, and PassTo allows them.
func (s *Schedule) passedTo(who ask.Responder) bool {
	return slices.ContainsFunc(s.passes(), func(p *Pass) bool {
		return p.To.Key() == who.Key() || slices.Contains(who.Groups, p.To.Key())
	}) && s.PassTo.Allows(who)
}

// replacePassers returns a list with the recipients of passes in place of those who passed the
// request on.
func (s *Schedule) replacePassers(list []string) []string {
	for _, p := range s.passes() {
		isOut := func(entry string) bool { return slices.Contains(p.Out, entry) }
		if !slices.ContainsFunc(list, isOut) {
			continue
		}
		list = slices.DeleteFunc(slices.Clone(list), isOut)
		if to := p.To.Key(); !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	return list
}
