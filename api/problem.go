package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
)

// failure is a problem response as an error.
type failure struct {
	client.Problem

	retryAfter time.Duration
	// cause is never sent to the caller.
	cause error
}

// Unwrap returns the cause.
func (p *failure) Unwrap() error { return p.cause }

func problem(status int, format string, args ...any) *failure {
	return &failure{Problem: client.Problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}}
}

// later sets Retry-After.
func (p *failure) later(d time.Duration) *failure {
	p.retryAfter = d
	return p
}

// at reports an error of a member instead of a general detail.
func (p *failure) at(path, format string, args ...any) *failure {
	p.Errors = append(p.Errors, client.Remark{Path: path, Detail: fmt.Sprintf(format, args...)})
	return p
}

func notFound() *failure {
	return problem(http.StatusNotFound, "there is no such request")
}

// parameter returns the problem for a malformed query parameter.
func parameter(name, format string, args ...any) *failure {
	return problem(http.StatusUnprocessableEntity, "a query parameter cannot be read").at(name, format, args...)
}

// problemOf converts an error of the bridge to a problem. Unknown errors become a 500 that
// contains only the call id.
func problemOf(err error) *failure {
	var known *failure
	var refused *access.RefusedError
	var invalid *ask.InvalidError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &refused):
		return problemOfRefusal(refused)
	case errors.As(err, &invalid):
		status := http.StatusUnprocessableEntity
		if errors.Is(err, bridge.ErrNotFound) {
			status = http.StatusNotFound
		}
		p := problem(status, "the request is invalid; no question was asked")
		p.Errors = remarks(invalid.Problems)
		return p
	case errors.Is(err, bridge.ErrGone):
		return problem(http.StatusGone, "this request was open, and has vanished from the store; ask again if it still matters")
	case errors.Is(err, bridge.ErrNotFound):
		return notFound()
	case errors.Is(err, bridge.ErrConflict):
		return problem(http.StatusConflict, "%s", strings.TrimPrefix(err.Error(), "ask: "))
	case errors.Is(err, bridge.ErrClosed):
		p := problem(http.StatusServiceUnavailable, "the bridge is shutting down; repeat the call").later(time.Second)
		p.cause = err
		return p
	case errors.Is(err, bridge.ErrNotReplicated):
		p := problem(http.StatusServiceUnavailable, "it holds here, but too few replicas of the store have it, so it could be lost; repeat the call").later(time.Second)
		p.cause = err
		return p
	case errors.Is(err, bridge.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		p := problem(http.StatusServiceUnavailable, "%s; nothing is lost, retry the call", bridge.StoreTrouble(err)).later(5 * time.Second)
		p.cause = err
		return p
	}
	p := problem(http.StatusInternalServerError, "internal error; the bridge's log has details under the call_id")
	p.cause = err
	return p
}

func problemOfRefusal(r *access.RefusedError) *failure {
	status := map[access.Kind]int{
		access.Unknown: http.StatusUnauthorized, access.Forbidden: http.StatusForbidden,
		access.Exhausted: http.StatusTooManyRequests, access.Unclear: http.StatusServiceUnavailable,
	}[r.Kind]
	p := problem(status, "%s", r.Detail).later(r.RetryAfter)
	p.Errors, p.cause = remarks(r.Places), r.Err
	return p
}

func remarks(problems []ask.Problem) []client.Remark {
	var all []client.Remark
	for _, p := range problems {
		all = append(all, client.Remark{Path: p.Path, Detail: p.Detail})
	}
	return all
}
