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

// Requests with [ask.Request.Same] that have the same content are numbered: each
// is asked once the one before it has ended. The number is part of the id, so that
// of two that come at once the store creates one, and the other finds it.

// alike is what equal requests have in common: all that people are shown, where, who may answer
// and on whose word it was let in.
type alike struct {
	secret                   []byte
	tenant, session, content string
}

// alikeOf is what a request has in common with those equal to it, or an [*ask.InvalidError].
// What its route and its token demand belongs to it: nobody's card takes in a request for which
// somebody else has to answer, or more people.
func (in *Intake) alikeOf(req *ask.Request) (*alike, error) {
	route, to, err := in.Validate(req)
	if err != nil {
		return nil, err
	}
	a := &alike{secret: in.Opts.IDSecret, tenant: req.Tenant, session: req.Session}
	if req.Same == ask.SameAgent {
		a.session = ""
	}
	a.content = string(state.Encode(fingerprint(req), req.Agent, req.Context, req.Webhook, req.Supersedes, to, route.Terms,
		req.Token, req.Unbound, req.Requesters, req.Permission, req.Deaf, req.Wordless))
	return a, nil
}

// id is that of the request of a number among those that are alike.
func (a *alike) id(number int) string {
	mac := hmac.New(sha256.New, a.secret)
	mac.Write(state.Encode(a.tenant, a.session, "same", a.content, number))
	id := record.IDAlphabet.EncodeToString(mac.Sum(nil))[:idLength]
	return inPartition(a.tenant, a.session, id)
}

// attach hands a request in unless one with the same content is open, which is
// returned then. What has ended is asked anew: nobody's answer counts for a request
// that they have not seen, but for one of the time that [ask.Request.Within] gives. So is what
// has been revised since, and a prompt behind one that has been decided, though that can still be
// undone. It says under which id it is about to do so.
func (in *Intake) SubmitSame(ctx context.Context, req ask.Request, under func(id string)) (Submission, error) {
	a, err := in.alikeOf(&req)
	if err != nil {
		return Submission{}, err
	}
	noted := 0
	if in.Opts.Numbers != nil {
		if noted, err = in.Opts.Numbers.Number(ctx, a.id(0)); err != nil {
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
			from = number // Somebody has answered it between the two.
		case s.Record.Revised > 0 || req.Permission && s.Record.Held != nil:
			from = number + 1
		default:
			return s, nil
		}
	}
}

// share hands a request in under its number, or finds the one that is there, which a prompt joins.
// Its number is noted first: those before it are not looked at again, and forgotten some day.
func (in *Intake) share(ctx context.Context, req ask.Request, a *alike, noted, number int, under func(id string)) (Submission, error) {
	if in.Opts.Numbers != nil && number > noted {
		if err := in.Opts.Numbers.Note(ctx, a.id(0), number, state.LongestLife); err != nil {
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

// join has an equal prompt share an open one, whose card says so. What is returned has ended,
// or is held, where somebody was quicker, and nothing was joined then.
func (in *Intake) join(ctx context.Context, id string) (record.Record, error) {
	r, err := in.Workers.Change(ctx, id, (*record.Record).Join)
	if err != nil && !errors.Is(err, storage.ErrUnchanged) {
		return record.Record{}, fmt.Errorf("bridge: submit: %w", err)
	}
	return *r, nil
}

// handOn hands the answer of a request on, if people have given it lately enough. The card says so.
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

// open returns the number of a request of this content that has not ended, the first one as far as
// all before it have, from one number on. So few of them need to be looked at.
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
