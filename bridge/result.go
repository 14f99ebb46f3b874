package bridge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// The ways to write a result down. Each runs inside a transition, on a record
// that others may have changed since the call was made.

func stands(ref MessageRef, face int64, plain bool) func(*Record, *Copy, time.Time) {
	return func(r *Record, c *Copy, _ time.Time) {
		for n := range r.Copies {
			if r.Copies[n].Ref == ref {
				r.Copies[n].Painted = max(r.Copies[n].Painted, face)
				return
			}
		}
		card := Copy{Target: c.Target, State: Posted, Ref: ref, Painted: face, Plain: plain}
		if c.Ref == (MessageRef{}) {
			*c = card
			return
		}
		card.Adopted = true
		r.Copies = append(r.Copies, card)
	}
}

func adoptAll(refs []MessageRef) func(*Record, *Copy, time.Time) {
	return func(r *Record, c *Copy, now time.Time) {
		target := c.Target
		for n, ref := range refs {
			if n == 0 {
				stands(ref, 0, c.Plain)(r, c, now)
				continue
			}
			stands(ref, 0, false)(r, &Copy{Target: target, Ref: refs[0]}, now)
		}
	}
}

func painted(face int64) func(*Record, *Copy, time.Time) {
	return func(_ *Record, c *Copy, _ time.Time) {
		c.Painted = max(c.Painted, face)
		c.Problem, c.RetryAt, c.State = "", time.Time{}, Posted
	}
}

func lost(why string) func(*Record, *Copy, time.Time) {
	return func(_ *Record, c *Copy, _ time.Time) {
		c.State, c.Problem, c.RetryAt = Lost, why, time.Time{}
	}
}

func giveUp(why string) func(*Record, *Copy, time.Time) {
	return func(_ *Record, c *Copy, _ time.Time) {
		c.State, c.Problem, c.Queue, c.RetryAt = Undeliverable, why, 0, time.Time{}
	}
}

// repost puts a card that somebody deleted back, once.
func repost(_ *Record, c *Copy, _ time.Time) {
	*c = Copy{Target: c.Target, State: Pending, Plain: c.Plain, Reposted: true}
}

// failed sorts an error into trying later and giving up.
func (b *Bridge) failed(p Platform, c Copy, err error) func(*Record, *Copy, time.Time) {
	pe := &PlatformError{Platform: p.Name(), Op: "call", Kind: Again, Code: "unexpected", Err: err}
	errors.As(err, &pe)
	why := fmt.Sprintf("%s: %s", pe.Platform, pe.Code)
	b.log.Warn("delivery failed", "platform", p.Name(), "target", c.Target.String(), "kind", pe.Kind, "error", err)
	posted := c.Ref != (MessageRef{})
	if pe.Kind == Patience && !posted {
		b.pacer.hold(p.Name(), c.Target.Channel+c.Target.User, time.Now().Add(pe.RetryAfter))
	}
	if !posted && (pe.Kind == Setup || pe.Kind == Unreachable || pe.Kind == Refused) {
		if pe.Kind == Setup {
			why = "platform_auth: " + why
		}
		return giveUp(why)
	}
	return func(r *Record, c *Copy, now time.Time) {
		if posted && r.Attempts >= maxAttempts {
			c.State, c.Problem, c.RetryAt = Lost, why, time.Time{}
			return
		}
		wait := backoff(r.Attempts)
		if pe.Kind == Patience {
			wait = max(pe.RetryAfter, time.Second)
		}
		if pe.Kind == Setup {
			wait = max(wait, circuitRest)
		}
		c.Problem, c.Queue, c.RetryAt = why, 0, now.Add(wait)
		if !posted {
			c.State = Delayed
			c.Unclear = c.Unclear || pe.Kind == Unclear
		}
	}
}

// backoff grows from a second to a minute, with jitter so that many records do
// not come back together.
func backoff(attempts int) time.Duration {
	wait := min(time.Second<<min(attempts, 6), time.Minute)
	return wait/2 + rand.N(wait) //nolint:gosec // Jitter is no secret.
}
