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
}

type storedStep struct {
	After  time.Duration `json:"af"`
	At     Micros        `json:"at"`
	Do     ask.StepKind  `json:"do"`
	Policy *ask.Policy   `json:"rs,omitempty"`
	Added  []string      `json:"ad,omitempty"`
	Places []ask.Place   `json:"to,omitempty"`
	Who    []string      `json:"w,omitempty"`
}

func storedScheduleOf(s *record.Schedule) *storedSchedule {
	if s == nil {
		return nil
	}
	stored := &storedSchedule{Steps: make([]storedStep, len(s.Steps)), Done: s.Done}
	for n, step := range s.Steps {
		stored.Steps[n] = storedStep{
			After: step.After, At: MicrosOf(step.At), Do: step.Do, Added: step.Added, Places: step.Places, Who: step.Who,
		}
		if !step.Policy.IsZero() {
			stored.Steps[n].Policy = &step.Policy
		}
	}
	return stored
}

func (s *storedSchedule) schedule() *record.Schedule {
	if s == nil {
		return nil
	}
	r := &record.Schedule{Steps: make([]record.Step, len(s.Steps)), Done: s.Done}
	for n, step := range s.Steps {
		r.Steps[n] = record.Step{
			After: step.After, At: step.At.Time(), Do: step.Do, Added: step.Added, Places: step.Places, Who: step.Who,
		}
		if step.Policy != nil {
			r.Steps[n].Policy = *step.Policy
		}
	}
	return r
}
