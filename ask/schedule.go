package ask

import (
	"fmt"
	"slices"
	"time"
)

// StepKind is what a step of a schedule does.
type StepKind string

// What a step can do. Nothing that a step does decides anything.
const (
	// Remind tells people again.
	Remind StepKind = "remind"
	// Add lets more people answer, and asks at more places.
	Add StepKind = "add"
	// HandOver is what people do: somebody has passed the request on, see [Schedule.PassOn].
	// No schedule plans it.
	HandOver StepKind = "pass"
)

// MaxPasses is how often one request can be passed on.
const MaxPasses = 5

// MaxSteps is how many steps a schedule may have.
const MaxSteps = 10

// The shortest and the longest time for which one press keeps steps back, see
// [Schedule.ClaimFor].
const (
	MinClaim = time.Minute
	MaxClaim = 24 * time.Hour
)

// MinStep is the shortest time before the first step, and between two.
const MinStep = 10 * time.Second

// Schedule says what happens while nobody answers; the zero value is that nothing does.
// It is never changed once made.
type Schedule struct {
	// Steps are in the order in which they happen.
	Steps []Step `json:"steps,omitempty"`
	// Hours are when steps happen: one that comes outside of them waits for the next
	// opening.
	Hours Hours `json:"hours,omitzero"`
	// ClaimFor is how long somebody who says that they are on it keeps the steps back;
	// zero offers nobody to say so.
	ClaimFor time.Duration `json:"claim_for,omitempty"`
	// PassOn lets people pass the request on to somebody else, who may answer in their place.
	PassOn bool `json:"pass_on,omitempty"`
}

// Step is one thing that happens while a request waits.
type Step struct {
	// After is how long after the request was made.
	After time.Duration `json:"after,omitempty"`
	Do    StepKind      `json:"do,omitempty"`
	// Responders may answer from then on, beside those who could, and To are more places
	// where it is asked. Only a step that adds has them.
	Responders []string `json:"responders,omitempty"`
	To         []Place  `json:"to,omitempty"`
	// Notify is who is told. Nil means those who are told of the request, or who are
	// added.
	Notify []string `json:"notify,omitzero"`
}

// IsZero reports whether nothing happens.
func (s Schedule) IsZero() bool {
	return len(s.Steps) == 0 && s.Hours.IsZero() && s.ClaimFor == 0 && !s.PassOn
}

// Check returns what is wrong with a schedule that stands at path.
func (s Schedule) Check(path string) []Problem {
	var c checker
	if len(s.Steps) > MaxSteps {
		c.add(path+".steps", ErrSchedule, "has %d steps; at most %d happen", len(s.Steps), MaxSteps)
	}
	if s.ClaimFor != 0 && (s.ClaimFor < MinClaim || s.ClaimFor > MaxClaim) {
		c.add(path+".claim_for", ErrSchedule, "must be between %s and %s, or absent", MinClaim, MaxClaim)
	}
	if len(s.Steps) == 0 && !s.Hours.IsZero() {
		c.add(path+".hours", ErrSchedule, "say when steps happen, and there are none")
	}
	c.problems = append(c.problems, s.Hours.Check(path+".hours")...)
	last := time.Duration(0)
	for n, step := range s.Steps {
		at := fmt.Sprintf("%s.steps[%d]", path, n)
		if step.After < last+MinStep || step.After > MaxExpiresIn {
			c.add(at+".after", ErrSchedule, "must be at least %s after the step before, or after the request", MinStep)
		}
		last = max(last, step.After)
		switch step.Do {
		case Remind:
			if step.Responders != nil || step.To != nil {
				c.add(at+".do", ErrSchedule, "is %q, which adds nobody; responders and to go with %q", Remind, Add)
			}
		case Add:
			if len(step.Responders) == 0 && len(step.To) == 0 {
				c.add(at, ErrSchedule, "adds nobody: give responders, to, or both")
			}
		default:
			c.add(at+".do", ErrSchedule, "%q is neither %q nor %q", shorten(string(step.Do)), Remind, Add)
		}
		if slices.Contains(step.Responders, NotRequester) || slices.Contains(step.Responders, Anyone) {
			c.add(at+".responders", ErrSchedule, "must name people and groups")
		}
		if step.Responders != nil {
			c.problems = append(c.problems, CheckResponders(at+".responders", step.Responders)...)
		}
		c.problems = append(c.problems, CheckNotify(at+".notify", step.Notify)...)
	}
	return c.problems
}
