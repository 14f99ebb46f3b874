package config

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Schedule is what happens to an unanswered request.
type Schedule struct {
	Steps    []Step `yaml:"steps"`
	Hours    Hours  `yaml:"hours"`
	ClaimFor Span   `yaml:"claim_for"`
	PassOn   bool   `yaml:"pass_on"`
}

// Hours are when steps happen.
type Hours struct {
	Zone string `yaml:"zone"`
	Days string `yaml:"days"`
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

// Step is one action.
type Step struct {
	After      Span     `yaml:"after"`
	Do         string   `yaml:"do"`
	Responders []string `yaml:"responders"`
	To         []Target `yaml:"to"`
	Notify     []string `yaml:"notify"`
}

// Known converts the schedule for the bridge.
func (s Schedule) Known() ask.Schedule {
	known := ask.Schedule{Hours: ask.Hours(s.Hours), ClaimFor: time.Duration(s.ClaimFor), PassOn: s.PassOn}
	for _, step := range s.Steps {
		next := ask.Step{After: time.Duration(step.After), Do: ask.StepKind(step.Do), Responders: step.Responders, Notify: step.Notify}
		for _, t := range step.To {
			next.To = append(next.To, ask.Place(t))
		}
		known.Steps = append(known.Steps, next)
	}
	return known
}
