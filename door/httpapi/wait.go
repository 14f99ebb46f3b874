package httpapi

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// comeBack is the Retry-After of a call that ended early because the bridge
// shuts down.
const comeBack = time.Second

// waitTime reads ?wait, as in "30s" or "30". More than the cap means the cap.
func (x *exchange) waitTime() (time.Duration, error) {
	s := x.r.URL.Query().Get("wait")
	if s == "" {
		return 0, nil
	}
	if strings.Trim(s, "0123456789") == "" {
		s += "s"
	}
	wait, err := time.ParseDuration(s)
	if err != nil || wait < 0 {
		return 0, parameter("wait", "is not a duration such as 30s")
	}
	return min(wait, x.h.opts.MaxWait), nil
}

// await returns the request once it has ended, or as it stands after the wait.
// It never fails: the request is there, and whatever keeps us from waiting for
// it is a reason to come back. It parks the goroutine that serves the call and
// no other.
func (x *exchange) await(r bridge.Record, wait time.Duration) bridge.Record {
	if wait == 0 || !r.Open() {
		return r
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), wait)
	defer cancel()
	defer context.AfterFunc(x.h.draining, cancel)()
	last, err := x.h.bridge.Wait(ctx, r.ID)
	switch {
	case err == nil:
		return last
	case errors.Is(err, context.DeadlineExceeded) && x.h.draining.Err() == nil:
	case x.r.Context().Err() != nil:
		return r
	default:
		x.w.Header().Set("Retry-After", strconv.Itoa(int(comeBack.Seconds())))
	}
	return x.refresh(r)
}

// refresh reads the request again, so that a wait without an answer tells at
// least how delivery stands now, and an answer whose news was lost on the way
// is found.
func (x *exchange) refresh(r bridge.Record) bridge.Record {
	ctx, cancel := budget(x.r.Context())
	defer cancel()
	if now, err := x.h.bridge.Load(ctx, r.ID); err == nil {
		return now
	}
	return r
}
