package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// OnCall returns the accounts of those who are on call at a moment, by the name of a rota.
type OnCall func(rota string, at time.Time) []string

// Called puts those who are on call at a moment in place of the rotas that a list names. A
// rota that nobody is on call for stays.
func Called(list []string, on OnCall, at time.Time) []string {
	if !slices.ContainsFunc(list, isRota) {
		return list
	}
	var all []string
	for _, who := range list {
		called := []string{who}
		if e, _ := ask.ParseEntry(who); e.Platform == ask.OnCall {
			if people := on(e.ID, at); len(people) > 0 {
				called = people
			}
		}
		for _, who := range called {
			if !slices.Contains(all, who) {
				all = append(all, who)
			}
		}
	}
	return all
}

func isRota(who string) bool {
	e, _ := ask.ParseEntry(who)
	return e.Platform == ask.OnCall
}

// Call finds out who is on call for the steps that are due: at their own moment, and before
// they happen, so that what is stored names people. Whoever has steps happen begins with
// it.
func (r *Record) Call(on OnCall, now time.Time) {
	if !r.stepDue(now) {
		return
	}
	s := r.Schedule
	steps := slices.Clone(s.Steps)
	for n := s.Done; n < len(steps) && !steps[n].At.After(steps[s.Done].At); n++ {
		step := &steps[n]
		step.Who, step.Added = r.instead(Called(step.Who, on, step.At)), Called(step.Added, on, step.At)
		step.Policy = step.Policy.With(func(e ask.Entry) []string {
			if e.Platform != ask.OnCall {
				return nil
			}
			return on(e.ID, step.At)
		})
	}
	s.Steps = steps
}
