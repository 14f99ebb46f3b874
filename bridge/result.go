package bridge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// The ways to write a result down. Each runs inside a transition, on a record
// that others may have changed since the call was made.

// endedUnposted is why a card does not stand anywhere.
const endedUnposted = "the request ended before it was posted"

// stands notes where a card was posted. Ambiguous tells that another one may stand
// there since an earlier post.
func stands(ref MessageRef, revision int64, plain, unclear bool) func(*Record, *Copy, time.Time) {
	return func(r *Record, c *Copy, _ time.Time) {
		for n := range r.Copies {
			if r.Copies[n].Ref == ref {
				r.Copies[n].Rendered = max(r.Copies[n].Rendered, revision)
				return
			}
		}
		card := Copy{Target: c.Target, State: Posted, Ref: ref, Rendered: revision, Plain: plain, Ambiguous: unclear}
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
				stands(ref, 0, c.Plain, false)(r, c, now)
				continue
			}
			stands(ref, 0, false, false)(r, &Copy{Target: target, Ref: refs[0]}, now)
		}
	}
}

// besides takes note of the cards that stand beside a known one.
func besides(refs []MessageRef) func(*Record, *Copy, time.Time) {
	return func(r *Record, c *Copy, now time.Time) {
		c.Ambiguous, c.Problem, c.RetryAt = false, "", time.Time{}
		known := *c
		for _, ref := range refs {
			stands(ref, 0, false, false)(r, &known, now)
		}
	}
}

// waitForPost puts off what to do with a card that somebody else may be posting
// just now: after a lease they have noted where it stands, or never will.
func waitForPost(_ *Record, c *Copy, now time.Time) {
	if c.Ref == (MessageRef{}) {
		c.RetryAt = now.Add(lease)
	}
}

// unlessPosted writes nothing down when somebody else has posted the card since.
func unlessPosted(f func(*Record, *Copy, time.Time)) func(*Record, *Copy, time.Time) {
	return func(r *Record, c *Copy, now time.Time) {
		if c.Ref == (MessageRef{}) {
			f(r, c, now)
		}
	}
}

func rendered(revision int64) func(*Record, *Copy, time.Time) {
	return func(_ *Record, c *Copy, _ time.Time) {
		c.Rendered = max(c.Rendered, revision)
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

// errInternal is what agents and people are told of a fault of ours; the log has
// the rest.
var errInternal = errors.New("internal error")

// unprepared is for a card that could not be laid out. One that does not stand yet
// is given up, so that the agent hears of it at once; one that stands is tried
// again later, perhaps by another version of this program.
func unprepared(r *Record, c *Copy, now time.Time) {
	const why = "internal error while preparing the card"
	switch {
	case c.Ref == (MessageRef{}):
		giveUp(why)(r, c, now)
	case r.Attempts >= maxAttempts:
		lost(why)(r, c, now)
	default:
		c.Problem, c.RetryAt = why, now.Add(backoff(r.Attempts))
	}
}

// repost puts a card that somebody deleted back, once.
func repost(_ *Record, c *Copy, _ time.Time) {
	*c = Copy{Target: c.Target, State: Pending, Plain: c.Plain, Reposted: true}
}

// failed sorts an error into trying later and giving up.
func (b *Bridge) failed(p Platform, c Copy, err error) func(*Record, *Copy, time.Time) {
	pe := &PlatformError{Platform: p.Name(), Op: "call", Kind: Transient, Code: "unexpected", Err: err}
	errors.As(err, &pe)
	why := fmt.Sprintf("%s: %s", pe.Platform, pe.Code)
	b.log.Warn("delivery failed", "platform", p.Name(), "target", c.Target.String(), "kind", pe.Kind, "error", err)
	posted := c.Ref != (MessageRef{})
	if pe.Kind == RateLimited && !posted && !errors.Is(err, errBudget) {
		b.pacer.hold(p.Name(), c.Target.Channel+c.Target.User, time.Now().Add(pe.RetryAfter))
	}
	if !posted && (pe.Kind == Misconfigured || pe.Kind == Unreachable || pe.Kind == Refused) {
		if pe.Kind == Misconfigured {
			why = "platform_auth: " + why
		}
		return unlessPosted(giveUp(why))
	}
	return func(r *Record, c *Copy, now time.Time) {
		if !posted && c.Ref != (MessageRef{}) {
			// Somebody else has posted it since, and ours may stand beside it.
			c.Ambiguous = c.Ambiguous || pe.Kind == Ambiguous
			return
		}
		if posted && r.Attempts >= maxAttempts {
			c.State, c.Problem, c.RetryAt = Lost, why, time.Time{}
			return
		}
		wait := backoff(r.Attempts)
		switch pe.Kind {
		case RateLimited:
			wait = max(pe.RetryAfter, time.Second)
		case Misconfigured:
			wait = max(wait, circuitRest)
		case Locked:
			wait = longBackoff(r.Attempts)
		}
		c.Problem, c.Queue, c.RetryAt = why, 0, now.Add(wait)
		if !posted {
			c.State = Delayed
			c.Ambiguous = c.Ambiguous || pe.Kind == Ambiguous
		}
	}
}

// passing reports whether a failure of this kind may be over soon.
func passing(k Kind) bool { return k == Transient || k == RateLimited || k == Ambiguous }

// longBackoff is the same from ten minutes to six hours, for what a person has to
// do first whom nobody asks to. All tries together take about four days.
func longBackoff(attempts int) time.Duration {
	wait := min(10*time.Minute<<min(attempts, 6), 6*time.Hour)
	return wait*3/4 + rand.N(wait/2) //nolint:gosec // Jitter is no secret.
}

// backoff grows from a second to a minute, with jitter so that many records do
// not come back together.
func backoff(attempts int) time.Duration {
	wait := min(time.Second<<min(attempts, 6), time.Minute)
	return wait/2 + rand.N(wait) //nolint:gosec // Jitter is no secret.
}
