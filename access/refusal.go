package access

import (
	"fmt"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Kind classifies refusals by what the caller can do.
type Kind string

// The kinds of refusals.
const (
	// Unknown: the token is unknown or has ended.
	Unknown Kind = "unknown"
	// Forbidden: the token does not allow the operation.
	Forbidden Kind = "forbidden"
	// Exhausted: a limit of the token is reached; retry later.
	Exhausted Kind = "exhausted"
	// Unclear: a platform or the store, which would decide, does not reply, or the configuration has changed meanwhile;
	// repeat the call.
	Unclear Kind = "unclear"
)

// RefusedError is the refusal of a call.
type RefusedError struct {
	Kind Kind
	// Detail is for the operator of the agent. It contains no secret.
	Detail string
	// Places lists the places of a request that are not allowed.
	Places []ask.Problem
	// RetryAfter is when to retry; zero means never.
	RetryAfter time.Duration
	// Err is the cause, for the log.
	Err error
}

func (r *RefusedError) Error() string {
	var text strings.Builder
	text.WriteString("access: " + r.Detail)
	for _, p := range r.Places {
		text.WriteString("; " + p.Error())
	}
	return text.String()
}

// Unwrap returns the cause.
func (r *RefusedError) Unwrap() error { return r.Err }

func refuse(kind Kind, format string, args ...any) *RefusedError {
	return &RefusedError{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// later sets RetryAfter.
func (r *RefusedError) later(d time.Duration) *RefusedError {
	r.RetryAfter = d
	return r
}
