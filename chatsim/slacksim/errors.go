package slacksim

import (
	"fmt"
	"net/http"
	"time"
)

// apiError is how the Web API says no.
type apiError struct {
	word       string // Slack's own word
	status     int    // the HTTP status; 200 unless something else is said
	retryAfter time.Duration
	extra      object // further members of the reply
}

func (e *apiError) Error() string { return e.word }

// no refuses a call with Slack's word for it.
func no(word string) *apiError { return &apiError{word: word, status: http.StatusOK} }

// rateLimited refuses a call for now.
// https://docs.slack.dev/apis/web-api/rate-limits
func rateLimited(after time.Duration) *apiError {
	return &apiError{word: "ratelimited", status: http.StatusTooManyRequests, retryAfter: after}
}

// missingScope refuses a call for a right the token does not have.
// https://docs.slack.dev/authentication/tokens
func missingScope(needed string, provided string) *apiError {
	e := no("missing_scope")
	e.extra = object{"needed": needed, "provided": provided}
	return e
}

// invalid refuses blocks or a view, and says what is wrong with them and where.
func invalid(word string, problems []problem) *apiError {
	var plain, prefixed []any
	for _, p := range problems {
		line := fmt.Sprintf("%s [json-pointer:%s]", p.says, p.at)
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
