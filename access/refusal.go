package access

import (
	"fmt"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Kind says what a refused caller can do about it.
type Kind string

// The kinds of refusals.
const (
	// Unknown: nobody knows the token.
	Unknown Kind = "unknown"
	// Forbidden: the token does not allow it.
	Forbidden Kind = "forbidden"
	// Exhausted: the token allows it again later.
	Exhausted Kind = "exhausted"
	// Unclear: whether the token allows it cannot be told now: a platform or the store
	// has to be asked and does not reply, or the configuration was changed meanwhile.
	Unclear Kind = "unclear"
)

// RefusedError says why a caller may not do something.
type RefusedError struct {
	Kind Kind
	// Detail is for whoever runs the agent. It holds no secret.
	Detail string
	// Places names what of a request is not allowed.
	Places []ask.Problem
	// RetryAfter is when to come back; zero means that there is no use.
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

// later asks the caller to come back.
func (r *RefusedError) later(d time.Duration) *RefusedError {
	r.RetryAfter = d
	return r
}
