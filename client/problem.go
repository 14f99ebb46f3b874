package client

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Problem is the body of every error of the API (RFC 9457,
// https://www.rfc-editor.org/rfc/rfc9457). It matches the errors of package ask that
// a caller of the library would have got.
type Problem struct { //nolint:errname // It is the RFC's word, and the body's first of all.
	Title  string `json:"title" doc:"The status in words" example:"Unprocessable Entity"`
	Status int    `json:"status" doc:"The HTTP status" example:"422"`
	Detail string `json:"detail,omitempty" doc:"What happened and what to do about it"`
	// Errors names everything wrong with what was sent, at once.
	Errors []Remark `json:"errors,omitempty" nullable:"false" doc:"Everything wrong with what was sent, at once"`
	// RequestID is the request that was made before with the same key.
	RequestID string `json:"request_id,omitempty" doc:"With 409: the request made before with the same key"`
	// Request is the request as it stands, where an answer was to another revision.
	Request *Request `json:"request,omitempty" doc:"With 409 of an answer to another revision: the request as it stands"`
	// CallID finds the cause in the log of the bridge.
	CallID string `json:"call_id,omitempty" doc:"With 5xx: finds the cause in the log of the bridge"`

	retryAfter time.Duration
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
	case ask.ErrNotFound:
		return p.Status == http.StatusNotFound || p.Status == http.StatusGone
	case ask.ErrGone:
		return p.Status == http.StatusGone
	case ask.ErrConflict:
		return p.Status == http.StatusConflict
	case ask.ErrUnavailable:
		return p.Status == http.StatusServiceUnavailable
	case ask.ErrInvalid:
		return p.Status == http.StatusUnprocessableEntity
	}
	return false
}

// RetryAfter is how long the bridge asked to wait before the next try; zero
// when it did not say.
func (p *Problem) RetryAfter() time.Duration { return p.retryAfter }
