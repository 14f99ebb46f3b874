package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/freshstack"
)

// postingBudget is how long Submit waits for the card to stand before it
// returns; posting goes on after that.
const postingBudget = 8 * time.Second

// Submission is what came of handing in a request.
type Submission struct {
	Record Record
	// Existed tells that the same request had been handed in before, so that
	// nothing new was posted.
	Existed bool
}

// Submit checks a request, stores it and posts its card. It returns once the
// card stands or cannot be posted now; Record.Copies says which.
//
// The same key (or tool-call ID) with the same questions, places and responders
// returns the request made before, whatever its state; with others it returns
// [ErrConflict] and that record. A bad request gives an [*ask.InvalidError]
// naming every problem; nothing is stored or posted then. It matches
// [ErrNotFound] when Supersedes names no request of the same tenant and session.
func (b *Bridge) Submit(ctx context.Context, req ask.Request) (Submission, error) {
	return b.submit(ctx, req, requestID(b.opts.IDSecret, &req))
}

// IDOf returns the id that a request with the same key or tool-call ID has, and
// nothing for one that has neither.
func (b *Bridge) IDOf(req *ask.Request) string {
	if req.Key == "" && req.ToolCallID == "" {
		return ""
	}
	return requestID(b.opts.IDSecret, req)
}

// Begin is [Bridge.Submit] for a caller who is going to wait. It parks the
// caller before anything is stored, so that no news is missed and nothing has to
// be read again. Unless there is an error the caller must leave the [Parked].
func (b *Bridge) Begin(ctx context.Context, req ask.Request) (Submission, *Parked, error) {
	id := requestID(b.opts.IDSecret, &req)
	place := b.Park(id)
	s, err := b.submit(ctx, req, id)
	if err != nil {
		place.Leave()
		return s, nil, err
	}
	if s.Existed {
		b.waiter.wake(&s.Record)
	}
	return s, place, nil
}

func (b *Bridge) submit(ctx context.Context, req ask.Request, id string) (Submission, error) {
	if b.running.Err() != nil {
		return Submission{}, ErrClosed
	}
	mark := fingerprint(&req)
	r, err := b.newRecord(&req)
	if err != nil {
		return Submission{}, err
	}
	r.ID, r.Fingerprint = id, mark
	if err := b.checkSuperseded(ctx, &req, id); err != nil {
		return Submission{}, err
	}
	expiresIn := req.ExpiresIn
	stored, err := b.create(ctx, r, func(r *Record, now time.Time) error {
		r.Begin(expiresIn, now)
		return nil
	})
	switch {
	case errors.Is(err, ErrExists) && stored.Fingerprint != mark:
		return Submission{Record: *stored, Existed: true},
			fmt.Errorf("%w: request %s was made from %s, this one is %s", ErrConflict, stored.ID, stored.Fingerprint, mark)
	case errors.Is(err, ErrExists):
		now, err := b.asOfNow(ctx, *stored)
		if err != nil {
			return Submission{}, fmt.Errorf("bridge: submit: %w", err)
		}
		return Submission{Record: now, Existed: true}, nil
	case err != nil:
		return Submission{}, fmt.Errorf("bridge: submit: %w", err)
	}
	b.changed(stored)
	if req.Supersedes != "" {
		b.supersede(ctx, req.Supersedes, stored)
	}
	posting := b.deliver(stored, false)
	b.log.Info("request stored", "request_id", r.ID, "tool_call_id", r.ToolCallID, "agent", r.Agent)
	ctx, cancel := context.WithTimeout(ctx, postingBudget)
	defer cancel()
	select {
	case <-posting.done:
		stored = posting.first
	case <-ctx.Done():
	}
	return Submission{Record: *stored}, nil
}

// newRecord resolves route and defaults and checks everything that can be
// checked without asking a platform.
func (b *Bridge) newRecord(req *ask.Request) (*Record, error) {
	var problems []ask.Problem
	rules := cmp.Or(req.Rules, &b.opts.Rules)
	if invalid, ok := errors.AsType[*ask.InvalidError](req.Validate(rules)); ok {
		problems = invalid.Problems
	}
	var route Route
	name := req.Route
	if name == "" && len(req.To) == 0 {
		name = b.opts.DefaultRoute
	}
	to := req.To
	if name != "" {
		var ok bool
		if route, ok = b.opts.Routes[name]; !ok {
			problems = append(problems, problem("route", ask.ErrTarget, fmt.Sprintf("there is no route %q", name)))
		}
		to = route.To
	} else if len(to) == 0 {
		problems = append(problems, problem("to", ask.ErrTarget, "name a place or a route; there is no default route"))
	} else {
		problems = append(problems, b.checkTargets("to", to)...)
	}
	problems = append(problems, b.checkResponders("responders", req.Responders)...)
	problems = append(problems, b.checkWebhook(req)...)
	if len(problems) > 0 {
		return nil, &ask.InvalidError{Problems: problems}
	}
	policy, err := b.policy(req, route)
	if err != nil {
		return nil, err
	}
	if req.ExpiresIn == 0 {
		req.ExpiresIn = route.ExpiresIn
	}
	if req.ExpiresIn == 0 {
		if req.ExpiresIn = b.opts.ExpiresIn; rules.NoDeadline {
			req.ExpiresIn = ask.Never
		}
	}
	copies := make([]Copy, len(to))
	for n, target := range to {
		copies[n] = Copy{Target: target, State: record.Pending}
	}
	var webhook *record.Webhook
	if req.Webhook != "" {
		webhook = &record.Webhook{Address: req.Webhook, State: record.Due}
	}
	return &Record{
		Tenant: req.Tenant, Session: req.Session, ToolCallID: req.ToolCallID,
		Agent: req.Agent, Context: req.Context, Questions: req.Questions,
		Policy: policy, Requesters: req.Requesters, Outcome: ask.Outcome{State: ask.Open},
		Copies: copies, Webhook: webhook, Revision: 1,
	}, nil
}

// Ask submits a request and waits until it has ended. When ctx ends first the
// request stays open and the error is ctx's; asking again with the same key
// finds it.
func (b *Bridge) Ask(ctx context.Context, req ask.Request) (ask.Outcome, error) {
	_, place, err := b.Begin(ctx, req)
	if err != nil {
		return ask.Outcome{}, err
	}
	defer place.Leave()
	r, err := place.Wait(ctx)
	if err != nil {
		return ask.Outcome{}, err
	}
	return r.Outcome, nil
}

// Wait returns the record once it has ended. When ctx ends first, or the bridge
// stops, it returns nothing but ctx's error or [ErrClosed]; [Bridge.Load] tells how
// the request stands then. It returns [ErrNotFound] when the store has been
// emptied meanwhile. Any number of callers may wait for one request, on any
// replica. Who waits for very many at a time saves a goroutine for each with
// [Parked.Notify].
func (b *Bridge) Wait(ctx context.Context, id string) (*Record, error) {
	place := b.Park(id)
	defer place.Leave()
	if r, err := b.peek(ctx, id); err != nil || r != nil {
		return r, err
	}
	return place.Wait(ctx)
}

// peek returns a record if it has ended.
func (b *Bridge) peek(ctx context.Context, id string) (ended *Record, err error) {
	look := func() {
		var r Record
		if r, err = b.Load(ctx, id); err == nil && !r.Open() {
			ended = &r
		}
	}
	if b.opts.PlainWait {
		look()
	} else {
		freshstack.Run(look)
	}
	return ended, err
}

// ChannelOf returns the channel that a message to the target would stand in: the
// one of its thread where threads are channels of their own, whatever the target
// says, and else the target's. Errors are the platform's, see [ThreadFinder]; what
// the platform refuses counts against the tenant as a refused card does.
func (b *Bridge) ChannelOf(ctx context.Context, tenant string, t ask.Place) (string, error) {
	finder, ok := b.platforms[t.Platform].(ThreadFinder)
	if !ok || t.Thread == "" {
		return t.Channel, nil
	}
	breaker := b.breakers[t.Platform]
	if err := breaker.allow(time.Now(), tenant, t, false); err != nil {
		return "", err
	}
	channel, err := finder.ParentOf(ctx, t.Thread)
	if err != nil {
		breaker.note(time.Now(), tenant, t, err)
	}
	return channel, err
}

// Load returns a record as it stands now, or [ErrNotFound]. It is never open past
// its deadline, by the store's clock.
func (b *Bridge) Load(ctx context.Context, id string) (Record, error) {
	r, err := b.store.Load(ctx, id)
	if err == nil {
		r, err = b.asOfNow(ctx, r)
	}
	if err == nil && r.Open() {
		b.waiter.saw(id, r.Version)
	}
	return r, err
}

// Cancel withdraws an open request on the agent's word. One that has ended is
// returned as it is.
func (b *Bridge) Cancel(ctx context.Context, id, reason string) (Record, error) {
	r, err := b.change(ctx, id, func(r *Record, now time.Time) error {
		return r.Withdraw(ask.Cancelled, reason, now)
	})
	if errors.Is(err, ErrUnchanged) {
		return *r, nil
	}
	if err != nil {
		return *r, fmt.Errorf("bridge: cancel %s: %w", id, err)
	}
	b.changed(r)
	b.deliver(r, false)
	return *r, nil
}

// checkSuperseded refuses a request that wants to replace one that its session
// does not have. Another tenant's looks like one that does not exist. A request
// that was handed in before is not refused, since what it replaced may be
// forgotten by now.
func (b *Bridge) checkSuperseded(ctx context.Context, req *ask.Request, id string) error {
	if req.Supersedes == "" {
		return nil
	}
	old, err := b.store.Load(ctx, req.Supersedes)
	switch {
	case err == nil && old.ReplacedBy(req.Tenant, req.Session, id):
		return nil
	case err != nil && !errors.Is(err, ErrNotFound):
		return fmt.Errorf("bridge: submit: %w", err)
	}
	switch _, err := b.store.Load(ctx, id); {
	case err == nil:
		return nil
	case !errors.Is(err, ErrNotFound):
		return fmt.Errorf("bridge: submit: %w", err)
	}
	return &ask.InvalidError{Problems: []ask.Problem{problem("supersedes", ErrNotFound, "there is no such request in this session")}}
}

// supersede ends the request that a new one replaces, if it is still open.
func (b *Bridge) supersede(ctx context.Context, id string, next *Record) {
	r, err := b.change(ctx, id, func(r *Record, now time.Time) error {
		return r.Supersede(next, now)
	})
	switch {
	case errors.Is(err, ErrUnchanged):
	case err != nil:
		b.log.Warn("superseded request not closed", "request_id", id, "error", err)
	default:
		b.changed(r)
		b.deliver(r, false)
	}
}

// Query selects records to list.
type Query struct {
	// Tenant owns the records; every tenant's when All is set.
	Tenant string
	All    bool
	// Ended selects finished requests, oldest first; else open ones, by
	// deadline. Those of one tenant are in order to the second.
	Ended bool
	// After resumes behind the last record of the page before.
	After Cursor
	// Limit is the most records wanted; zero means 100.
	Limit int
}

// List returns records of one tenant, in pages. Fewer than Limit means that
// there are no more.
func (b *Bridge) List(ctx context.Context, q Query) ([]Record, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = 100
	}
	s := Scan{Ended: q.Ended, Limit: limit}
	if !q.All {
		s.Tenant = &q.Tenant
	}
	s.From, s.After = q.After.At, q.After.ID
	var found []Record
	for len(found) < limit {
		page, err := b.store.Scan(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("bridge: list: %w", err)
		}
		for _, r := range page {
			if len(found) == limit {
				break
			}
			if r, err = b.asOfNow(ctx, r); err != nil {
				return nil, fmt.Errorf("bridge: list: %w", err)
			}
			if q.Ended == !r.Open() {
				found = append(found, r)
			}
		}
		if len(page) < s.Limit {
			break
		}
		s.resume(&page[len(page)-1])
	}
	return found, nil
}

// Open returns how many open requests a tenant has, or a few more, at a cost that
// does not grow with those of other tenants.
func (b *Bridge) Open(ctx context.Context, tenant string) (int, error) {
	n, err := b.store.Count(ctx, tenant)
	if err != nil {
		return 0, fmt.Errorf("bridge: count: %w", err)
	}
	return n, nil
}

// Cursor is a place in a list: behind the record of that id, which stands at a
// moment of the index. The zero value is the begin.
type Cursor struct {
	At time.Time
	ID string
}

// CursorOf is the place behind a record in the list of ended or of open ones.
func CursorOf(r *Record, ended bool) Cursor {
	if ended {
		return Cursor{r.EndedAt, r.ID}
	}
	return Cursor{r.Due, r.ID}
}

// resume moves the scan behind the last record of a page.
func (s *Scan) resume(last *Record) {
	at := CursorOf(last, s.Ended)
	s.From, s.After = at.At, at.ID
}
