package ask

import (
	"fmt"
	"slices"
	"time"
)

// StepKind is what a step of a schedule does.
type StepKind string

// The kinds of steps. No step decides a request.
const (
	// Remind notifies people again.
	Remind StepKind = "remind"
	// Add allows more people to answer and shows the request at more places.
	Add StepKind = "add"
	// HandOver records that a person passed the request on, see [Schedule.PassOn]. It cannot be
	// scheduled.
	HandOver StepKind = "pass"
)

// MaxPasses is the maximum number of times a request can be passed on.
const MaxPasses = 5

// MaxSteps is the maximum number of steps in a schedule.
const MaxSteps = 10

// The limits of [Schedule.ClaimFor].
const (
	MinClaim = time.Minute
	MaxClaim = 24 * time.Hour
)

// MinStep is the minimum time before the first step and between steps.
const MinStep = 10 * time.Second

// Schedule is the escalation of an unanswered request; the zero value has none. Schedules are
// immutable.
type Schedule struct {
	// Steps are in chronological order.
	Steps []Step `json:"steps,omitempty"`
	// Hours restricts when steps run: a step due outside them waits for the next opening.
	Hours Hours `json:"hours,omitzero"`
	// ClaimFor is how long a claim postpones the steps; zero disables claiming.
	ClaimFor time.Duration `json:"claim_for,omitempty"`
	// PassOn lets people pass the request on to someone who may answer in their place.
	PassOn bool `json:"pass_on,omitempty"`
}

// Step is one step of a schedule.
type Step struct {
	// After is the time since the request was created.
	After time.Duration `json:"after,omitempty"`
	Do    StepKind      `json:"do,omitempty"`
	// Responders may answer from then on, in addition to those who already could, and To are
	// additional places. Both are valid only for Add.
	Responders []string `json:"responders,omitempty"`
	To         []Place  `json:"to,omitempty"`
	// Notify lists who is notified. Nil means the people notified of the request, or for Add
	// the added people.
	Notify []string `json:"notify,omitzero"`
}

// IsZero reports whether the schedule does nothing.
func (s Schedule) IsZero() bool {
	return len(s.Steps) == 0 && s.Hours.IsZero() && s.ClaimFor == 0 && !s.PassOn
}

// Check validates the schedule; problems are reported at path.
func (s Schedule) Check(path string) []Problem {
	var c checker
	if len(s.Steps) > MaxSteps {
		c.add(path+".steps", ErrSchedule, "has %d steps; at most %d happen", len(s.Steps), MaxSteps)
	}
	if s.ClaimFor != 0 && (s.ClaimFor < MinClaim || s.ClaimFor > MaxClaim) {
		c.add(path+".claim_for", ErrSchedule, "must be between %s and %s, or absent", MinClaim, MaxClaim)
	}
	if len(s.Steps) == 0 && !s.Hours.IsZero() {
		c.add(path+".hours", ErrSchedule, "limits when steps run, but there are no steps")
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
				c.add(at+".do", ErrSchedule, "is %q, which adds no one; responders and to need %q", Remind, Add)
			}
		case Add:
			if len(step.Responders) == 0 && len(step.To) == 0 {
				c.add(at, ErrSchedule, "adds no one: set responders, to, or both")
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
