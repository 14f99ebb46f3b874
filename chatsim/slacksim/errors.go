package slacksim

import (
	"fmt"
	"net/http"
	"time"
)

// apiError is an error response of the Web API.
type apiError struct {
	word       string // Slack's error code
	status     int    // HTTP status; 200 by default
	retryAfter time.Duration
	extra      object // further members of the response
}

func (e *apiError) Error() string { return e.word }

// no returns the error response for a Slack error code.
func no(word string) *apiError { return &apiError{word: word, status: http.StatusOK} }

// rateLimited returns the response to a rate-limited call.
// https://docs.slack.dev/apis/web-api/rate-limits
func rateLimited(after time.Duration) *apiError {
	return &apiError{word: "ratelimited", status: http.StatusTooManyRequests, retryAfter: after}
}

// missingScope returns the response to a call whose token lacks a scope.
// https://docs.slack.dev/authentication/tokens
func missingScope(needed string, provided string) *apiError {
	e := no("missing_scope")
	e.extra = object{"needed": needed, "provided": provided}
	return e
}

// invalid rejects blocks or a view and lists the problems with their positions.
func invalid(word string, problems []problem) *apiError {
	var plain, prefixed []any
	for _, p := range problems {
		line := fmt.Sprintf("%s [json-pointer:%s]", p.text, p.at)
		plain = append(plain, line)
		prefixed = append(prefixed, "[ERROR] "+line)
	}
	e := no(word)
	e.extra = object{"response_metadata": object{"messages": prefixed}}
	if word == "invalid_blocks" {
		e.extra["errors"] = plain
	}
	return e
}
