package intake

import (
	"fmt"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// planned returns the schedule of a request, or else of its route, or else of its token.
func planned(req *ask.Request, route Route) (ask.Schedule, planner) {
	switch {
	case !req.Schedule.IsZero():
		return req.Schedule, byRequest
	case !route.Schedule.IsZero():
		return route.Schedule, byRoute
	}
	return req.Token.Schedule, byToken
}

// schedule returns the schedule of a record, or nil. Policies and recipients of all
// steps are resolved here, by the same rules as for the request.
func (in *Intake) schedule(req *ask.Request, route Route, r *record.Record) (*record.Schedule, error) {
	plan, by := planned(req, route)
	if by == byToken {
		if problems := in.Directory.CheckSchedule("the token's schedule", plan); len(problems) > 0 {
			return nil, &ask.InvalidError{Problems: problems}
		}
	}
	if plan.IsZero() {
		return nil, nil //nolint:nilnil // No schedule is no mistake.
	}
	req.Schedule = plan
	s := &record.Schedule{ClaimFor: plan.ClaimFor}
	if plan.PassOn {
		s.PassTo = passTo(req, route, r.Policy)
	}
	var added []string
	for n, step := range plan.Steps {
		at := fmt.Sprintf("schedule.steps[%d]", n)
		if req.ExpiresIn != ask.Never && step.After >= req.ExpiresIn {
			if by != byRequest {
				continue // The request is shorter than the schedule of its route or token.
			}
			return nil, invalid(at+".after", ask.ErrSchedule, fmt.Sprintf("must come before the deadline, %s after the request", req.ExpiresIn))
		}
		next := record.Step{After: step.After, Do: step.Do, Added: step.Responders, Places: step.To}
		if len(step.Responders) > 0 {
			if r.Voting != nil && r.Voting.Rule.Mode == ask.Poll {
				return nil, invalid(at+".responders", ask.ErrSchedule, "a poll cannot add people: its voters are known from the start")
			}
			added = append(slices.Clip(added), step.Responders...)
			var err error
			if next.Policy, err = in.policy(answeringOf(req, route).widened(by, added, in.Settings.Responders), req.Requesters); err != nil {
				return nil, err
			}
		}
		next.Who = recipients(step, req, r)
		s.Steps = append(s.Steps, next)
	}
	if len(s.Steps) == 0 && s.ClaimFor == 0 && s.PassTo.IsZero() {
		return nil, nil //nolint:nilnil // None of its steps comes before the end.
	}
	return s, nil
}

// adviseSchedule returns advice if the working hours move all steps past the deadline.
func adviseSchedule(plan *record.Schedule, hours ask.Hours, zone *time.Location, r *record.Record) []ask.Problem {
	kept := r.Schedule
	if hours.IsZero() || plan == nil || len(plan.Steps) == 0 || !r.Open() || kept == nil ||
		slices.ContainsFunc(kept.Steps, func(s record.Step) bool { return s.Pass == nil }) {
		return nil
	}
	first := hours.Next(r.Created.Add(plan.Steps[0].After), zone).In(zone)
	return []ask.Problem{Problem("schedule.hours", ask.ErrSchedule, fmt.Sprintf(
		"no reminder or escalation happens: the working hours move the first step to %s, and the deadline is %s",
		first.Format(time.RFC3339), r.Deadline.UTC().Format(time.RFC3339)))}
}

// passTo returns who a request can be passed on to: anyone within the floors of route
// and token, except requesters who may not answer.
func passTo(req *ask.Request, route Route, policy ask.Policy) ask.Policy {
	p := ask.PolicyOf(ask.Anyone)
	if policy.Has(ask.NotRequester) {
		p = ask.PolicyOf(ask.Anyone, ask.NotRequester)
	}
	for _, floor := range answeringOf(req, route).floors() {
		p = p.Narrow(ask.PolicyOf(floor...))
	}
	return p
}

// planner is the source of a schedule.
type planner int

const (
	byRequest planner = iota
	byRoute
	byToken
)

// widened adds the people of a step. A step of a route widens the route's list, a step
// of a token the token's, and neither the other's.
func (a answering) widened(by planner, added, otherwise []string) answering {
	switch {
	case by == byRoute && a.route != nil:
		a.route = slices.Concat(a.route, added)
	case by == byToken && a.token != nil:
		a.token = slices.Concat(a.token, added)
	}
	switch {
	case a.named != nil:
		a.named = slices.Concat(a.named, added)
	case a.route == nil && a.token == nil:
		a.named = slices.Concat(otherwise, added)
	}
	return a
}

// recipients returns who is notified of a step: by the step, or those it adds, or
// else those notified of the request.
func recipients(step ask.Step, req *ask.Request, r *record.Record) []string {
	switch {
	case step.Notify != nil:
		return resolved(step.Notify, req).Who
	case len(step.Responders) > 0:
		return step.Responders
	case r.Audience != nil:
		return r.Audience.Who
	case r.Policy.Open():
		return nil
	}
	var who []string
	lists := r.Policy.Lists()
	for _, e := range lists[len(lists)-1] {
		if e.Word == "" && e.Kind == "" && len(who) < ask.MaxNotify {
			who = append(who, e.String())
		}
	}
	return who
}
