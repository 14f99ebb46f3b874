package config

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Schedule is what happens while nobody answers.
type Schedule struct {
	Steps []Step `yaml:"steps"`
}

// Step is one thing that happens.
type Step struct {
	After      Span     `yaml:"after"`
	Do         string   `yaml:"do"`
	Responders []string `yaml:"responders"`
	To         []Target `yaml:"to"`
	Notify     []string `yaml:"notify"`
}

// Known returns the schedule as the bridge knows it.
func (s Schedule) Known() ask.Schedule {
	var known ask.Schedule
	for _, step := range s.Steps {
		next := ask.Step{After: time.Duration(step.After), Do: ask.StepKind(step.Do), Responders: step.Responders, Notify: step.Notify}
		for _, t := range step.To {
			next.To = append(next.To, ask.Place(t))
		}
		known.Steps = append(known.Steps, next)
	}
	return known
}
