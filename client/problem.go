package client

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Problem is the body of every error of the API (RFC 9457,
// https://www.rfc-editor.org/rfc/rfc9457). It matches the same errors of package ask as an
// error of the library.
type Problem struct { //nolint:errname // The RFC's name.
	Title  string `json:"title" doc:"The status in words" example:"Unprocessable Entity"`
	Status int    `json:"status" doc:"The HTTP status" example:"422"`
	Detail string `json:"detail,omitempty" doc:"What happened and what to do about it"`
	// Errors lists every problem of the call.
	Errors []Remark `json:"errors,omitempty" nullable:"false" doc:"Everything wrong with what was sent, at once"`
	// RequestID is the existing request with the same key.
	RequestID string `json:"request_id,omitempty" doc:"With 409: the request made before with the same key"`
	// Request is the current request, if an answer was for another revision.
	Request *Request `json:"request,omitempty" doc:"With 409 for an answer to another revision: the current request"`
	// CallID identifies the call in the log of the bridge.
	CallID string `json:"call_id,omitempty" doc:"With 5xx: finds the cause in the log of the bridge"`

	retryAfter time.Duration
}

// Remark is a remark about a member of a body.
type Remark struct {
	Path   string `json:"path" doc:"The path of the member" example:"questions[1].options[0].label"`
	Detail string `json:"detail" doc:"The problem or the advice" example:"must not be empty"`
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

// Is matches the errors of the library.
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

// RetryAfter returns the Retry-After of the bridge, or zero.
func (p *Problem) RetryAfter() time.Duration { return p.retryAfter }
