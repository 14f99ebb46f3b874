package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// DeferSteps postpones the steps of a record that has just begun to working hours. It runs once, so
// replicas may know different rules for a time zone.
func (r *Record) DeferSteps(hours ask.Hours, zone *time.Location) {
	if r.Schedule == nil || hours.IsZero() {
		return
	}
	r.Schedule.deferToHours(hours, zone, r.Deadline)
	r.Due = nextDue(r)
}

// ResolveOnCall replaces rotas in the steps that are due with those on call at the step's time, so
// that the record names people. Callers that apply steps call it first.
func (r *Record) ResolveOnCall(on OnCall, now time.Time) {
	if stepDue(r, now) {
		r.Schedule.resolveOnCall(on)
	}
}

// Tick applies what is due: the next step, or the end. It returns [ErrUnchanged] if nothing is. Each
// moment is stored on its own, so a caller repeats it until nothing is due.
func (r *Record) Tick(now time.Time) error {
	switch {
	case catchUp(r, now) == nil:
	case stepDue(r, now):
		happen(r, now)
	default:
		return ErrUnchanged
	}
	return nil
}

// ReconcileCard adopts the card that was used if it was unknown, applies what is due, see
// [Record.Tick], and redraws a card that shows outdated controls.
func (r *Record) ReconcileCard(a Act, m DraftMode, now time.Time) error {
	changed := adopt(r, a, now)
	if r.Tick(now) != nil {
		changed = redrawOutdated(r, a, m, now) || changed
	} else {
		changed = true
	}
	if changed {
		return nil
	}
	return ErrUnchanged
}

// happen applies the steps of the next moment. One message announces them all later.
func happen(r *Record, now time.Time) {
	first, steps := r.Schedule.advance()
	for n, step := range steps {
		if step.Do == ask.Add {
			widen(r, step, first+n+1)
		}
	}
	r.Due = nextDue(r)
	redrawAll(r, now)
	lease(r, now)
}

// widen applies the nth step, which adds responders and places.
func widen(r *Record, s Step, nth int) {
	if !s.Policy.IsZero() && !s.Policy.Vacant() {
		r.Policy = s.Policy // It is vacant if no one is on call.
	}
	if v := r.Voting; v != nil && v.Roster != nil {
		v.Roster = widenedRoster(r, s.Added)
	}
	done := announcements(r)
	for _, place := range s.Places {
		if !slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.Target == place }) {
			r.Copies = append(r.Copies, Copy{Target: place, State: Delayed, Step: nth, Said: done, Saying: done})
		}
	}
}

// widenedRoster is the roster with the people that a step adds, as far as the policy allows them; nil
// if the step adds a group, whose size is unknown.
func widenedRoster(r *Record, added []string) []string {
	v := r.Voting
	all := slices.Clone(v.Roster)
	closed, known := r.Policy.People()
	for _, account := range added {
		e, _ := ask.ParseEntry(account)
		human := v.human(account)
		switch {
		case e.Kind != "":
			return nil
		case isRota(account), r.Schedule.hasPassed(account), slices.Contains(all, human):
		case known && !slices.ContainsFunc(closed, func(p ask.Person) bool { return p.Key() == account }):
		case r.Policy.Has(ask.NotRequester) && slices.Contains(r.Requesters, account):
		default:
			all = append(all, human)
		}
	}
	return all
}

// claim records that a person works on the request, in place of any earlier claim. The steps that
// come before the claim lapses happen when it does, all at once. The person may answer.
func claim(r *Record, a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	s := r.Schedule
	if s == nil || s.ClaimFor == 0 {
		return Decision{Verdict: Unknown}, false
	}
	if last := s.Claim; last != nil {
		switch {
		case last.Mark == mark:
			return Decision{Verdict: Repeated}, false
		case last.By.Platform == a.By.Platform && a.Order < last.Order:
			return Decision{Verdict: Stale}, false
		}
	}
	now = asStored(now)
	until := now.Add(s.ClaimFor)
	s.Claim = &Claim{By: a.By.Person, At: now, Until: until, Order: a.Order, Mark: mark}
	s.postpone(until, r.Deadline)
	r.Due = nextDue(r)
	rememberOnce(r, mark)
	redrawOthers(r, a.Message, m.Redraws, now)
	return Decision{Verdict: Claimed}, true
}
