package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/observe"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// postingBudget bounds how long Submit waits for the card. Posting continues after that.
const postingBudget = 8 * time.Second

// Intake validates and stores new requests, and starts posting their cards.
type Intake struct {
	Settings    *Settings
	Directory   *Directory
	Caller      webhookChecker // nil if webhooks are not configured
	Records     *state.Records
	Workers     *deliver.Workers
	Deadlines   *deliver.Deadlines
	Background  *state.Background
	Log         *slog.Logger
	Reporter    state.Reporter
	Grants      *state.Grants
	Files       *state.Files
	Attachments *Attachments
	Accounts    *state.Accounts
}

// Submit stores a request under an ID and waits a moment for its card.
func (in *Intake) Submit(ctx context.Context, req ask.Request, id string) (Submission, error) {
	if in.Background.Stopped() {
		return Submission{}, storage.ErrClosed
	}
	began := time.Now()
	// A text that only resembles a label never gives a permission.
	req.Replies.Strict = req.Replies.Strict || req.Permission
	mark := fingerprint(&req)
	dest, err := in.Validate(&req)
	if err != nil {
		return Submission{}, err
	}
	r, err := in.newRecord(&req, &dest)
	if err != nil {
		return Submission{}, err
	}
	r.ID, r.Fingerprint = id, mark
	if err := in.checkSuperseded(ctx, &req, id); err != nil {
		return Submission{}, err
	}
	expiresIn, hours := req.ExpiresIn, req.Schedule.Hours
	zone, err := hours.Location()
	if err != nil && !hours.IsZero() {
		return Submission{}, invalid("schedule.hours.zone", ask.ErrSchedule, err.Error())
	}
	met, err := in.prepare(ctx, r, &req)
	if err != nil {
		return Submission{}, err
	}
	planned := r.Schedule
	stored, err := in.Records.Create(ctx, r, func(r *record.Record, now time.Time) error {
		r.Begin(expiresIn, now)
		r.DeferSteps(hours, zone)
		if met != nil {
			r.ResolveFromGrant(*met, now)
		}
		return nil
	})
	if errors.Is(err, storage.ErrExists) {
		s, err := in.again(ctx, &req, mark, stored)
		s.Advice = append(dest.advice, adviseSchedule(planned, hours, zone, &s.Record)...)
		return s, err
	}
	if err != nil {
		return Submission{}, fmt.Errorf("bridge: submit: %w", err)
	}
	in.Reporter.Report(observe.Observation{What: observe.RequestAsked, Record: stored, Took: time.Since(began)})
	in.Records.Publish(stored)
	if req.Supersedes != "" {
		in.supersede(ctx, req.Supersedes, stored)
	}
	posting := in.Workers.Deliver(stored, deliver.Begins)
	in.Log.Info("request stored", "request_id", r.ID, "tool_call_id", r.ToolCallID, "agent", r.Agent)
	ctx, cancel := context.WithTimeout(ctx, postingBudget)
	defer cancel()
	select {
	case <-posting.Done:
		stored = posting.First
	case <-ctx.Done():
	}
	return Submission{Record: *stored, Advice: append(dest.advice, adviseSchedule(planned, hours, zone, stored)...)}, nil
}

// again handles a request that was stored before, possibly by a replica that crashed.
func (in *Intake) again(ctx context.Context, req *ask.Request, mark string, stored *record.Record) (Submission, error) {
	if stored.Fingerprint != mark {
		return Submission{Record: *stored, Existed: true},
			fmt.Errorf("%w: request %s was made from %s, this one is %s", ask.ErrConflict, stored.ID, stored.Fingerprint, mark)
	}
	if req.Supersedes != "" {
		in.supersede(ctx, req.Supersedes, stored)
	}
	now, err := in.Deadlines.AsOfNow(ctx, *stored)
	if err != nil {
		return Submission{}, fmt.Errorf("bridge: submit: %w", err)
	}
	return Submission{Record: now, Existed: true}, nil
}

// prepare stores the files of a new request, and returns its outcome if a grant applies.
// It does nothing if the request exists, which is detected later.
func (in *Intake) prepare(ctx context.Context, r *record.Record, req *ask.Request) (met *ask.Outcome, err error) {
	if (r.Permit == nil || len(r.Permit.Offers) == 0) && len(req.Files) == 0 {
		return nil, nil //nolint:nilnil // Nothing is no mistake.
	}
	if _, err := in.Records.Store.Load(ctx, r.ID); !errors.Is(err, storage.ErrNotFound) {
		return nil, nil //nolint:nilnil // The same.
	}
	if met, err = in.Grants.Meets(ctx, r, in.Records.Clock.Now()); err != nil {
		return nil, err
	}
	return met, in.Files.Keep(ctx, r, req)
}

// newRecord resolves the terms of the route and defaults, and checks everything that needs no
// call.
func (in *Intake) newRecord(req *ask.Request, dest *Destination) (r *record.Record, err error) {
	route, to := dest.route, dest.everywhere()
	in.Attachments.enclose(req, to)
	req.Requesters = in.Accounts.WithLinked(req.Requesters)
	notified := audience(req, route)
	if route.Responders, err = originResponders(in.routeOf(req), route.Responders, dest.origin); err != nil {
		return nil, err
	}
	now := in.Records.Clock.Now()
	for _, list := range []struct {
		path string
		who  *[]string
	}{{"responders", &req.Responders}, {"route", &route.Responders}, {"responders", &req.Token.Responders}} {
		if *list.who, err = in.resolveRotas(list.path, *list.who, now); err != nil {
			return nil, err
		}
	}
	policy, err := in.policy(answeringOf(req, route), req.Requesters)
	if err != nil {
		return nil, err
	}
	voting, err := in.voting(req, route, policy, to)
	if err != nil {
		return nil, err
	}
	replies, err := in.replies(req, route, voting, to)
	if err != nil {
		return nil, err
	}
	if req.ExpiresIn, err = in.expiresIn(req, route, voting); err != nil {
		return nil, err
	}
	questions := slices.Clone(req.Questions) // The caller may modify its own.
	for n, q := range questions {
		questions[n] = q.Clone()
	}
	language := cmp.Or(route.Language, in.Settings.Language)
	r = &record.Record{
		Tenant: req.Tenant, Session: req.Session, ToolCallID: req.ToolCallID,
		Agent: req.Agent, Route: in.routeOf(req), Context: req.Context, Links: req.Links, Source: req.Source, Language: cmp.Or(req.Language, dest.origin.Language, language), Files: ask.Attachments(req.Files), TraceParent: ask.TraceParent(req.TraceParent), Questions: questions,
		Policy: policy, Requesters: req.Requesters, Voting: voting, Audience: withOrigin(notified, req, dest.origin, policy), Replies: replies, Outcome: ask.Outcome{State: ask.Open},
		Hold: max(req.Hold, req.Token.Hold, route.Hold), Risk: req.Risk, AskBack: askBack(req, route), Wordless: req.Wordless, Permission: req.Permission,
		Copies: make([]record.Copy, len(dest.to)), Revision: 1, Fallback: fallbackOf(dest, cmp.Or(req.Language, language)),
	}
	for n, target := range dest.to {
		r.Copies[n] = record.Copy{Target: target, State: record.Pending}
	}
	if req.Webhook != "" {
		r.Webhook = &record.Webhook{Address: req.Webhook, State: record.Due}
	}
	if r.TraceParent != "" {
		r.TraceState = ask.TraceState(req.TraceState)
	}
	if req.Receipts || req.Token.Receipts || route.Receipts {
		r.Receipt = &record.Receipt{}
	}
	if r.Schedule, err = in.schedule(req, route, r); err != nil {
		return nil, err
	}
	in.Grants.May(req, r)
	if r.Audience != nil {
		r.Audience = r.Audience.Called(in.Settings.OnCall, now)
	}
	return r, nil
}

// Validate returns where a request goes, or an [*ask.InvalidError] with all of its
// problems.
func (in *Intake) Validate(req *ask.Request) (dest Destination, err error) {
	var problems []ask.Problem
	if wrong, ok := errors.AsType[*ask.InvalidError](req.Validate(in.rules(req))); ok {
		problems = wrong.Problems
	}
	wellFormed := len(ask.CheckOrigin("origin", req.Origin)) == 0
	problems = (&ask.InvalidError{Problems: problems}).Merge(&ask.InvalidError{Problems: checkLabels(req.Questions)}).Problems
	name, d := in.routeOf(req), in.Directory
	dest.to = req.To
	if name != "" {
		var ok bool
		if dest.route, ok = in.Settings.Routes[name]; !ok {
			problems = append(problems, Problem("route", ask.ErrTarget, fmt.Sprintf("there is no route %q", name)))
		}
		dest.to = dest.route.To
	} else if dest.to == nil {
		problems = append(problems, Problem("to", ask.ErrTarget, "there is neither a place nor a route, and no default_route is configured"))
	} else {
		problems = append(problems, d.checkTargets("to", dest.to)...)
	}
	if wellFormed {
		problems = append(problems, dest.sendBack(req, name, d, in.Settings.Threads)...)
	}
	problems = slices.Concat(problems, checkLanguage("language", req.Language),
		d.CheckEntries("responders", req.Responders, ask.ErrResponders), d.CheckEntries("notify", req.Notify, ask.ErrNotify),
		d.CheckSchedule("schedule", req.Schedule),
		d.CheckEntries("the token's responders", req.Token.Responders, ask.ErrResponders),
		d.CheckEntries("the token's notify", req.Token.Notify, ask.ErrNotify),
		in.checkWebhook(req), in.Attachments.check(req, dest.everywhere()))
	if len(problems) > 0 {
		return dest, &ask.InvalidError{Problems: problems}
	}
	return dest, nil
}

// routeOf returns the name of a request's route, or "" if it names its places itself.
func (in *Intake) routeOf(req *ask.Request) string {
	if req.Route == "" && req.To == nil {
		return in.Settings.DefaultRoute
	}
	return req.Route
}

// rules returns the limits of a request.
func (in *Intake) rules(req *ask.Request) *ask.Rules { return cmp.Or(req.Rules, &in.Settings.Rules) }

// expiresIn returns the lifetime of a request: its own, or else that of its route, or
// else the default.
func (in *Intake) expiresIn(req *ask.Request, route Route, voting *record.Voting) (time.Duration, error) {
	poll := voting != nil && voting.Rule.Mode == ask.Poll
	span := cmp.Or(req.ExpiresIn, route.ExpiresIn, in.Settings.ExpiresIn)
	if req.ExpiresIn == 0 && route.ExpiresIn == 0 && in.rules(req).NoDeadline && !poll {
		span = ask.Never
	}
	if poll && span == ask.Never {
		return 0, invalid("policy.mode", ask.ErrPolicy, "a poll ends at its deadline, so it needs one: give expires_in")
	}
	return span, nil
}

// checkSuperseded rejects a request that replaces one that its session does not have. It
// accepts one that was stored before, since the replaced request may have expired.
func (in *Intake) checkSuperseded(ctx context.Context, req *ask.Request, id string) error {
	if req.Supersedes == "" {
		return nil
	}
	old, err := in.Records.Store.Load(ctx, req.Supersedes)
	switch {
	case err == nil && record.Replaceable(&old, req.Tenant, req.Session, id):
		return nil
	case err != nil && !errors.Is(err, storage.ErrNotFound):
		return fmt.Errorf("bridge: submit: %w", err)
	}
	switch _, err := in.Records.Store.Load(ctx, id); {
	case err == nil:
		return nil
	case !errors.Is(err, storage.ErrNotFound):
		return fmt.Errorf("bridge: submit: %w", err)
	}
	return invalid("supersedes", storage.ErrNotFound, "there is no such request in this session")
}

// supersede ends the request that a new one replaces.
func (in *Intake) supersede(ctx context.Context, id string, next *record.Record) {
	_, err := in.Workers.Change(ctx, id, func(r *record.Record, now time.Time) error {
		return r.Supersede(next, now)
	})
	if err != nil && !errors.Is(err, storage.ErrUnchanged) {
		in.Log.Warn("superseded request not closed", "request_id", id, "error", err)
	}
}

// Submission is the result of submitting a request; see bridge.Submission.
type Submission struct {
	Record  record.Record
	Existed bool
	Handed  bool
	Advice  []ask.Problem
}
