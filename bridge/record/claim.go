package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Claim says that somebody is on it. It keeps back the steps that come before it lapses,
// and nothing else: others may answer, and say that they are on it, and the deadline
// stands.
type Claim struct {
	By        ask.Person
	At, Until time.Time
	// Order and Mark are those of the act.
	Order int64
	Mark  string
}

// claim has somebody be on it, in the place of whoever was. The steps that come before
// the claim lapses happen when it does, all in one moment. Who acts may answer.
func (r *Record) claim(a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
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
	r.putOff(until)
	r.noted(mark)
	r.progress(a.Message, m.Redraws, now)
	return Decision{Verdict: Claimed}, true
}

// putOff has the steps that would come earlier happen at a moment. Those that the
// deadline comes before then will never happen.
func (r *Record) putOff(until time.Time) {
	s := r.Schedule
	steps := slices.Clone(s.Steps)
	for n := s.Done; n < len(steps); n++ {
		if steps[n].At.Before(until) {
			steps[n].At = until
		}
	}
	s.Steps = r.inTime(steps)
	r.Due = r.nextDue()
}
