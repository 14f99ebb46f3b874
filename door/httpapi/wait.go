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
//
// While it waits it parks the goroutine that serves the call and no other, and
// holds neither the record nor much of a stack: functions that handle records
// by value are kept out of the way, so that the stack can shrink.
func (x *exchange) await(place *bridge.Parked, id string, wait time.Duration) (*bridge.Record, error) {
	r, why := x.park(place, wait)
	if why == nil {
		return r, nil
	}
	if gone := x.r.Context().Err(); gone != nil {
		return nil, gone
	}
	// Read it again: a wait without an answer tells at least how delivery stands
	// now, and an answer whose news was lost on the way is found.
	r, err := x.fetch(id)
	if err != nil {
		return nil, err
	}
	if early := x.h.draining.Err() != nil || !errors.Is(why, context.DeadlineExceeded); early && r.Open() {
		x.w.Header().Set("Retry-After", strconv.Itoa(int(comeBack.Seconds())))
	}
	return r, nil
}

// park waits for the end of the request, at most for the time given.
//
//go:noinline
func (x *exchange) park(place *bridge.Parked, wait time.Duration) (*bridge.Record, error) {
	ctx, cancel := context.WithTimeout(x.r.Context(), wait)
	defer cancel()
	defer context.AfterFunc(x.h.draining, cancel)()
	return place.Wait(ctx)
}

// fetch reads a request.
//
//go:noinline
func (x *exchange) fetch(id string) (*bridge.Record, error) {
	ctx, cancel := budget(x.r.Context())
	defer cancel()
	r, err := x.h.bridge.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	return &r, nil
}
