package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/askbridge/askbridge/internal/wait"
)

const (
	defaultTries = 5
	// callTime is the timeout of a call in addition to its wait: the bridge
	// gives a platform some seconds to show the card.
	callTime = 20 * time.Second
	// firstPause and maxPause limit the backoff, unless the bridge asks for another
	// pause.
	firstPause = 250 * time.Millisecond
	maxPause   = 10 * time.Second
)

// call is one call of the API. All are idempotent: submissions have a key.
type call struct {
	method, path string
	query        url.Values
	body         []byte
	// key is the Idempotency-Key, if any.
	key string
	// trace is the trace context of the agent, if any.
	trace tracing
	// wait is how long the bridge may wait before it responds.
	wait time.Duration
	// tries is the number of attempts; zero means until the context ends.
	tries int
}

// send makes a call, with retries. Only this part is generic: the compiler emits it once for every type of reply.
func send[T any](ctx context.Context, c *Client, what call) (*T, error) {
	var v *T
	err := c.retry(ctx, what, func() any {
		v = new(T)
		return v
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// retry repeats a call as long as that makes sense. Made returns a new reply to decode into, for each attempt.
func (c *Client) retry(ctx context.Context, what call, made func() any) error {
	if err := checkPath(what.path); err != nil {
		return err
	}
	began := time.Now()
	var last error
	for n := 1; ; n++ {
		err := c.once(ctx, what, made())
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), last)
		}
		last = err
		rest, again := repeatable(err, n)
		away := c.opts.Away > 0 && rest > what.wait+c.opts.Away-time.Since(began)
		if !again || away || n == what.tries {
			return err
		}
		if wait.For(ctx, rest) != nil {
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// repeatable reports whether and when to retry.
func repeatable(err error, n int) (time.Duration, bool) {
	rest := wait.Backoff(firstPause, maxPause, n-1)
	rest = rest/2 + rand.N(rest) //nolint:gosec // Jitter need not be secret.
	var p *Problem
	switch {
	case errors.Is(err, ErrUnknownToken):
		return 0, false
	case !errors.As(err, &p):
		// Without a response the result is unknown.
		return rest, true
	}
	switch p.Status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return max(rest, p.retryAfter), true
	}
	return 0, false
}

// Refused reports whether the bridge, or a proxy, has rejected the call permanently. It is false for an unavailable bridge,
// or one that asks to retry.
func Refused(err error) bool {
	_, again := repeatable(err, 1)
	return !again
}
