package deliver

import (
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/bridge/internal/ratelimit"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/observe"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

// endedUnposted is the problem of a copy that was never posted.
const endedUnposted = "the request ended before it was posted"

// errInternal is what agents and people see of an internal error. The log has the
// details.
var errInternal = errors.New("internal error")

// failed converts an error into a retry or a permanent failure.
func (ps *Posts) failed(p platform.Platform, c record.Copy, err error) record.Result {
	pe := &platform.Error{Platform: p.Name(), Op: "call", Kind: platform.Transient, Code: "unexpected", Err: err}
	errors.As(err, &pe)
	why := fmt.Sprintf("%s: %s", pe.Platform, pe.Code)
	ps.Log.Warn("delivery failed", "platform", p.Name(), "target", c.Target.String(), "kind", pe.Kind, "error", err)
	posted := c.Ref != (platform.MessageRef{})
	if pe.Kind == platform.RateLimited && !posted && !errors.Is(err, ratelimit.ErrBudget) {
		ps.turns.Hold(p.Name(), c.Target.Channel+c.Target.User, time.Now().Add(pe.RetryAfter))
	}
	if !posted && (pe.Kind == platform.Misconfigured || pe.Kind == platform.Unreachable || pe.Kind == platform.Refused) {
		if pe.Kind == platform.Misconfigured {
			why = "platform_auth: " + why
		}
		return record.GivenUp{Why: why, UnlessPosted: true}
	}
	op := opPost
	if posted {
		op = opUpdate
	}
	ps.Reporter.Report(observe.Observation{What: observe.DeliveryPutOff, Platform: p.Name(), Op: op, Wait: pe.RetryAfter, Err: pe})
	f := record.Failure{Why: why, Posted: posted, Ambiguous: pe.Kind == platform.Ambiguous, Spread: state.Chance()}
	switch pe.Kind {
	case platform.RateLimited:
		f.Wait = max(pe.RetryAfter, time.Second)
	case platform.Misconfigured:
		f.AtLeast = ratelimit.RestTime
	case platform.Locked:
		f.Long = true
	}
	return f
}

// doubting makes a failed post be searched for next time, if another card may exist for
// which no search was possible.
func doubting(result record.Result, d doubt) record.Result {
	if f, later := result.(record.Failure); later && d == unsearched {
		f.Ambiguous = true
		return f
	}
	return result
}

// temporary reports whether an error of this kind may disappear on its own.
func temporary(k platform.Kind) bool {
	return k == platform.Transient || k == platform.RateLimited || k == platform.Ambiguous
}
