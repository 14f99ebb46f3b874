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
)

// Problem is the body of every error (RFC 9457,
// https://www.rfc-editor.org/rfc/rfc9457), and what [Client] returns for one.
type Problem struct { //nolint:errname // It is the RFC's word, and the body's first of all.
	Title  string `json:"title" doc:"The status in words" example:"Unprocessable Entity"`
	Status int    `json:"status" doc:"The HTTP status" example:"422"`
	Detail string `json:"detail,omitempty" doc:"What happened and what to do about it"`
	// Errors names everything wrong with what was sent, at once.
	Errors []Remark `json:"errors,omitempty" nullable:"false" doc:"Everything wrong with what was sent, at once"`
	// RequestID is the request that was made before with the same key.
	RequestID string `json:"request_id,omitempty" doc:"With 409: the request made before with the same key"`
	// CallID finds the cause in the log of the bridge.
	CallID string `json:"call_id,omitempty" doc:"With 5xx: finds the cause in the log of the bridge"`

	retryAfter time.Duration
	cause      error
}

// Remark says something about one member of what was sent.
type Remark struct {
	Path   string `json:"path" doc:"Where it stands" example:"questions[1].options[0].label"`
	Detail string `json:"detail" doc:"What is to be said about it" example:"must not be empty"`
}

func (p *Problem) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d %s", p.Status, p.Title)
	if p.Detail != "" {
		text.WriteString(": " + p.Detail)
	}
	for _, e := range p.Errors {
		fmt.Fprintf(&text, "; %s: %s", e.Path, e.Detail)
	}
	return text.String()
}

// Is matches the errors that a caller of the library would have got.
func (p *Problem) Is(target error) bool {
	switch target {
	case bridge.ErrNotFound:
		return p.Status == http.StatusNotFound || p.Status == http.StatusGone
	case bridge.ErrGone:
		return p.Status == http.StatusGone
	case bridge.ErrConflict:
		return p.Status == http.StatusConflict
	case bridge.ErrUnavailable:
		return p.Status == http.StatusServiceUnavailable
	case ask.ErrInvalid:
		return p.Status == http.StatusUnprocessableEntity
	}
	return false
}

// RetryAfter is how long the bridge asked to wait before the next try; zero
// when it did not say.
func (p *Problem) RetryAfter() time.Duration { return p.retryAfter }

// Unwrap returns the cause, which never leaves this process.
func (p *Problem) Unwrap() error { return p.cause }

func problem(status int, format string, args ...any) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// later asks the client to come back.
func (p *Problem) later(d time.Duration) *Problem {
	p.retryAfter = d
	return p
}

// at names a member in place of a general detail.
func (p *Problem) at(path, format string, args ...any) *Problem {
	p.Errors = append(p.Errors, Remark{Path: path, Detail: fmt.Sprintf(format, args...)})
	return p
}

func notFound() *Problem {
	return problem(http.StatusNotFound, "there is no such request")
}

// parameter is the problem of one malformed query parameter.
func parameter(name, format string, args ...any) *Problem {
	return problem(http.StatusUnprocessableEntity, "a query parameter cannot be read").at(name, format, args...)
}

// problemOf puts an error of the bridge into words for the caller. What it does
// not know becomes a 500 that tells nothing but the id of the call.
func problemOf(err error) *Problem {
	var known *Problem
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
		p := problem(status, "the request is not valid; nothing was asked")
		p.Errors = remarks(invalid.Problems)
		return p
	case errors.Is(err, bridge.ErrGone):
		return problem(http.StatusGone, "this request was open, and has vanished from the store; ask again if it still matters")
	case errors.Is(err, bridge.ErrNotFound):
		return notFound()
	case errors.Is(err, bridge.ErrConflict):
		return problem(http.StatusConflict, "%s", strings.TrimPrefix(err.Error(), "bridge: "))
	case errors.Is(err, bridge.ErrClosed):
		p := problem(http.StatusServiceUnavailable, "the bridge is shutting down; repeat the call").later(time.Second)
		p.cause = err
		return p
	case errors.Is(err, bridge.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		p := problem(http.StatusServiceUnavailable, "the store cannot be reached; nothing is lost, repeat the call").later(5 * time.Second)
		p.cause = err
		return p
	}
	p := problem(http.StatusInternalServerError, "something went wrong here; the log of the bridge says more under the call_id")
	p.cause = err
	return p
}

func problemOfRefusal(r *access.RefusedError) *Problem {
	status := map[access.Kind]int{
		access.Unknown: http.StatusUnauthorized, access.Forbidden: http.StatusForbidden,
		access.Exhausted: http.StatusTooManyRequests, access.Unclear: http.StatusServiceUnavailable,
	}[r.Kind]
	p := problem(status, "%s", r.Detail).later(r.RetryAfter)
	p.Errors, p.cause = remarks(r.Places), r.Err
	return p
}

func remarks(problems []ask.Problem) []Remark {
	var all []Remark
	for _, p := range problems {
		all = append(all, Remark{Path: p.Path, Detail: p.Detail})
	}
	return all
}
