package intake

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Equal requests with [ask.Request.Same] are numbered. The next number is used after the
// request before it has ended. The number is part of the ID, so of two concurrent
// requests the store creates one and the other finds it.

// alike is what equal requests have in common: everything that people see, the places,
// and the policy.
type alike struct {
	secret                   []byte
	tenant, session, content string
}

// alikeOf returns what a request has in common with equal ones, or an
// [*ask.InvalidError]. It includes the terms of route and token, so that requests with
// different approvers are never merged.
func (in *Intake) alikeOf(req *ask.Request) (*alike, error) {
	to, err := in.Validate(req)
	if err != nil {
		return nil, err
	}
	a := &alike{secret: in.Settings.IDSecret, tenant: req.Tenant, session: req.Session}
	if req.Same == ask.SameAgent {
		a.session = ""
	}
	content := []any{
		fingerprint(req), req.Agent, req.Context, req.Webhook, req.Supersedes, to.to, to.route.Terms,
		req.Token, req.Unbound, req.Requesters, req.Permission, req.Deaf, req.Wordless,
	}
	if !req.Source.IsZero() {
		content = append(content, req.Source)
	}
	a.content = string(state.Encode(content...))
	return a, nil
}

// id returns the ID of the request with a number.
func (a *alike) id(number int) string {
	mac := hmac.New(sha256.New, a.secret)
	mac.Write(state.Encode(a.tenant, a.session, "same", a.content, number))
	id := record.IDAlphabet.EncodeToString(mac.Sum(nil))[:idLength]
	return inPartition(a.tenant, a.session, id)
}

// SubmitSame submits a request unless an equal one is open, which it returns. It asks
// again after an equal request has ended, except within the time of
// [ask.Request.Within], because an answer counts only for what people have seen. It also
// asks again if the open request was revised, or is a permission prompt that was decided
// and can still be undone. It calls under with the ID before it submits.
func (in *Intake) SubmitSame(ctx context.Context, req ask.Request, under func(id string)) (Submission, error) {
	a, err := in.alikeOf(&req)
	if err != nil {
		return Submission{}, err
	}
	noted := 0
	if in.Settings.Numbers != nil {
		if noted, err = in.Settings.Numbers.Number(ctx, a.id(0)); err != nil {
			return Submission{}, fmt.Errorf("bridge: submit: %w", err)
		}
	}
	for from := noted; ; {
		number, err := in.open(ctx, a, from)
		if err != nil {
			return Submission{}, fmt.Errorf("bridge: submit: %w", err)
		}
		if number > 0 && req.Within > 0 && !req.Permission {
			s, err := in.handOn(ctx, a.id(number-1), req.Within)
			if err != nil || s.Handed {
				under(s.Record.ID)
				return s, err
			}
		}
		s, err := in.share(ctx, req, a, noted, number, under)
		switch {
		case err != nil || !s.Existed:
			return s, err
		case !s.Record.Open():
			from = number // The request ended between the two reads.
		case s.Record.Revised > 0 || req.Permission && s.Record.Held != nil:
			from = number + 1
		default:
			return s, nil
		}
	}
}

// share submits a request under its number, or joins the existing one. It notes the
// number first, so that earlier requests need not be read again.
func (in *Intake) share(ctx context.Context, req ask.Request, a *alike, noted, number int, under func(id string)) (Submission, error) {
	if in.Settings.Numbers != nil && number > noted {
		if err := in.Settings.Numbers.Note(ctx, a.id(0), number, state.LongestLife); err != nil {
			return Submission{}, fmt.Errorf("bridge: submit: note a number: %w", err)
		}
	}
	id := a.id(number)
	under(id)
	s, err := in.Submit(ctx, req, id)
	if err == nil && s.Existed && s.Record.Open() && req.Permission {
		s.Record, err = in.join(ctx, id)
	}
	return s, err
}

// join merges an equal permission prompt into an open one. The result may have ended or
// be held; then nothing was joined.
func (in *Intake) join(ctx context.Context, id string) (record.Record, error) {
	r, err := in.Workers.Change(ctx, id, (*record.Record).Join)
	if err != nil && !errors.Is(err, storage.ErrUnchanged) {
		return record.Record{}, fmt.Errorf("bridge: submit: %w", err)
	}
	return *r, nil
}

// handOn returns the answer of an ended request if it is recent enough.
func (in *Intake) handOn(ctx context.Context, id string, within time.Duration) (Submission, error) {
	handed := false
	r, err := in.Workers.Change(ctx, id, func(r *record.Record, now time.Time) error {
		handed = r.HandOn(within, now)
		if !handed {
			return storage.ErrUnchanged
		}
		return nil
	})
	if err != nil && !errors.Is(err, storage.ErrUnchanged) && !errors.Is(err, storage.ErrNotFound) {
		return Submission{}, fmt.Errorf("bridge: submit: %w", err)
	}
	if !handed {
		return Submission{}, nil
	}
	return Submission{Record: *r, Existed: true, Handed: true}, nil
}

// open returns the first number at or after from whose request has not ended, with a
// binary search.
func (in *Intake) open(ctx context.Context, a *alike, from int) (first int, err error) {
	var failed error
	ended := func(number int) bool {
		r, err := in.Deadlines.Load(ctx, a.id(number))
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			failed = err
		}
		return err == nil && !r.Open()
	}
	low, high := from, from
	for ended(high) {
		low, high = high+1, high+1+(high-from)
	}
	for low < high && failed == nil {
		if middle := (low + high) / 2; ended(middle) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, failed
}
