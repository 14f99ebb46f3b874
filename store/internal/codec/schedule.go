package codec

import (
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// storedSchedule is what happens while nobody answers, as it is stored.
type storedSchedule struct {
	Steps []storedStep `json:"st"`
	Done  int          `json:"do,omitempty"`

	ClaimFor time.Duration `json:"cf,omitempty"`
	Claim    *storedClaim  `json:"cl,omitempty"`
	PassTo   *ask.Policy   `json:"pt,omitempty"`
}

// storedClaim is who is on it.
type storedClaim struct {
	By    ask.Person `json:"by"`
	At    Micros     `json:"at"`
	Until Micros     `json:"u"`
	Order int64      `json:"or,omitempty"`
	Mark  string     `json:"m"`
}

type storedStep struct {
	After  time.Duration `json:"af"`
	At     Micros        `json:"at"`
	Do     ask.StepKind  `json:"do"`
	Policy *ask.Policy   `json:"rs,omitempty"`
	Added  []string      `json:"ad,omitempty"`
	Places []ask.Place   `json:"to,omitempty"`
	Who    []string      `json:"w,omitempty"`
	Pass   *storedPass   `json:"pa,omitempty"`
}

// storedPass is who passed the request on, and whom to.
type storedPass struct {
	By   ask.Person `json:"by"`
	To   ask.Person `json:"to"`
	Out  []string   `json:"o"`
	Mark string     `json:"m"`
}

func storedScheduleOf(s *record.Schedule) *storedSchedule {
	if s == nil {
		return nil
	}
	stored := &storedSchedule{Steps: make([]storedStep, len(s.Steps)), Done: s.Done, ClaimFor: s.ClaimFor}
	if c := s.Claim; c != nil {
		stored.Claim = &storedClaim{By: c.By, At: MicrosOf(c.At), Until: MicrosOf(c.Until), Order: c.Order, Mark: c.Mark}
	}
	if !s.PassTo.IsZero() {
		stored.PassTo = &s.PassTo
	}
	for n, step := range s.Steps {
		stored.Steps[n] = storedStep{
			After: step.After, At: MicrosOf(step.At), Do: step.Do, Added: step.Added, Places: step.Places, Who: step.Who,
		}
		if !step.Policy.IsZero() {
			stored.Steps[n].Policy = &step.Policy
		}
		if step.Pass != nil {
			stored.Steps[n].Pass = new(storedPass(*step.Pass))
		}
	}
	return stored
}

func (s *storedSchedule) schedule() *record.Schedule {
	if s == nil {
		return nil
	}
	r := &record.Schedule{Steps: make([]record.Step, len(s.Steps)), Done: s.Done, ClaimFor: s.ClaimFor}
	if c := s.Claim; c != nil {
		r.Claim = &record.Claim{By: c.By, At: c.At.Time(), Until: c.Until.Time(), Order: c.Order, Mark: c.Mark}
	}
	if s.PassTo != nil {
		r.PassTo = *s.PassTo
	}
	for n, step := range s.Steps {
		r.Steps[n] = record.Step{
			After: step.After, At: step.At.Time(), Do: step.Do, Added: step.Added, Places: step.Places, Who: step.Who,
		}
		if step.Policy != nil {
			r.Steps[n].Policy = *step.Policy
		}
		if step.Pass != nil {
			r.Steps[n].Pass = new(record.Pass(*step.Pass))
		}
	}
	return r
}
