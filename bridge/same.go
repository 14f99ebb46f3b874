package bridge

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// Requests with [ask.Request.Same] that have the same content are numbered: each
// is asked once the one before it has ended. The number is part of the id, so that
// of two that come at once the store creates one, and the other finds it.

// Numbers remember how far the requests of one content are numbered: those that have ended
// are forgotten in time, while a later one may still be open. [keyvalue.Numbers] keeps them
// beside the records of every store.
//
// [keyvalue.Numbers]: https://pkg.go.dev/github.com/askbridge/askbridge/store/keyvalue#Numbers
type Numbers interface {
	// Number returns the number of a content, zero where none is noted.
	Number(ctx context.Context, content string) (int, error)
	// Note notes the number of a content for so long, unless a higher one is noted.
	Note(ctx context.Context, content string, number int, life time.Duration) error
}

// sameID is the id of the request of that number among those with this content.
func sameID(secret []byte, r *ask.Request, number int) string {
	session := r.Session
	if r.Same == ask.SameAgent {
		session = ""
	}
	content := encode(fingerprint(r), r.Agent, r.Context, r.Webhook, r.Supersedes)
	mac := hmac.New(sha256.New, secret)
	mac.Write(encode(r.Tenant, session, "same", string(r.Same), content, number))
	id := record.IDAlphabet.EncodeToString(mac.Sum(nil))[:idLength]
	return inPartition(r.Tenant, session, id)
}

// attach hands a request in unless one with the same content is open, which is
// returned then. What has ended is asked anew: nobody's answer counts for a request
// that they have not seen, but for one of the time that [ask.Request.Within] gives. It says
// under which id it is about to do so.
func (in *intake) attach(ctx context.Context, req ask.Request, under func(id string)) (Submission, error) {
	for {
		noted, number, err := in.open(ctx, &req)
		if err != nil {
			return Submission{}, fmt.Errorf("bridge: submit: %w", err)
		}
		if number > 0 && req.Within > 0 {
			s, err := in.handOn(ctx, &req, number-1)
			if err != nil || s.Handed {
				under(s.Record.ID)
				return s, err
			}
		}
		s, err := in.share(ctx, req, noted, number, under)
		if err != nil || !s.Existed || s.Record.Open() {
			return s, err
		}
		// Somebody has answered it between the two.
	}
}

// share hands a request in under its number, or finds the one that is there. A prompt is
// handed in behind one that has been decided, though that can still be undone. Its number is
// noted first: those before it are not looked at again, and forgotten some day.
func (in *intake) share(ctx context.Context, req ask.Request, noted, number int, under func(id string)) (Submission, error) {
	for ; ; number++ {
		if in.opts.Numbers != nil && number > noted {
			if err := in.opts.Numbers.Note(ctx, sameID(in.opts.IDSecret, &req, 0), number, longestLife); err != nil {
				return Submission{}, fmt.Errorf("bridge: submit: note a number: %w", err)
			}
		}
		id := sameID(in.opts.IDSecret, &req, number)
		under(id)
		s, err := in.submit(ctx, req, id)
		if err != nil || !s.Existed || !s.Record.Open() || !req.Permission {
			return s, err
		}
		if s.Record, err = in.join(ctx, id); err != nil || s.Record.Held == nil {
			return s, err
		}
	}
}

// join has an equal prompt share an open one, whose card says so. What is returned has ended,
// or is held, where somebody was quicker, and nothing was joined then.
func (in *intake) join(ctx context.Context, id string) (Record, error) {
	r, err := in.workers.change(ctx, id, (*Record).Join)
	if err != nil && !errors.Is(err, ErrUnchanged) {
		return Record{}, fmt.Errorf("bridge: submit: %w", err)
	}
	return *r, nil
}

// handOn hands the answer of the request of that number on, if people have given it lately
// enough. The card says so.
func (in *intake) handOn(ctx context.Context, req *ask.Request, number int) (Submission, error) {
	if req.Permission {
		return Submission{}, nil
	}
	if err := req.Validate(in.rules(req)); err != nil {
		return Submission{}, err
	}
	within, handed := req.Within, false
	r, err := in.workers.change(ctx, sameID(in.opts.IDSecret, req, number), func(r *Record, now time.Time) error {
		handed = r.HandOn(within, now)
		if !handed {
			return ErrUnchanged
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrUnchanged) && !errors.Is(err, ErrNotFound) {
		return Submission{}, fmt.Errorf("bridge: submit: %w", err)
	}
	if !handed {
		return Submission{}, nil
	}
	return Submission{Record: *r, Existed: true, Handed: true}, nil
}

// open returns the number of the first request of this content that has not ended, from the
// one that is noted on. All that are before it have, so that few of them need to be looked at.
func (in *intake) open(ctx context.Context, req *ask.Request) (noted, first int, err error) {
	if in.opts.Numbers != nil {
		if noted, err = in.opts.Numbers.Number(ctx, sameID(in.opts.IDSecret, req, 0)); err != nil {
			return 0, 0, err
		}
	}
	var failed error
	ended := func(number int) bool {
		r, err := in.deadlines.load(ctx, sameID(in.opts.IDSecret, req, number))
		if err != nil && !errors.Is(err, ErrNotFound) {
			failed = err
		}
		return err == nil && !r.Open()
	}
	low, high := noted, noted
	for ended(high) {
		low, high = high+1, high+1+(high-noted)
	}
	for low < high && failed == nil {
		if middle := (low + high) / 2; ended(middle) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return noted, low, failed
}
