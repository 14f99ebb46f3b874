package discordsim

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// apiError is an error response of the API.
type apiError struct {
	status     int
	code       int // Discord's error code
	message    string
	errors     object // problems by field
	retryAfter time.Duration
	scope      string // of a rate limit: "user", "shared" or "global"
}

func (e *apiError) Error() string { return fmt.Sprintf("%d: %s", e.code, e.message) }

// body is the response body of the error.
// https://docs.discord.com/developers/reference#error-messages
func (e *apiError) body() object {
	out := object{"message": e.message, "code": e.code}
	if e.errors != nil {
		out["errors"] = e.errors
	}
	if e.retryAfter > 0 {
		out["retry_after"] = e.retryAfter.Seconds()
		out["global"] = e.scope == "global"
	}
	return out
}

// knownErrors are the implemented error codes.
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
var knownErrors = map[int]apiError{
	10002:  {status: http.StatusNotFound, message: "Unknown Application"},
	10003:  {status: http.StatusNotFound, message: "Unknown Channel"},
	10004:  {status: http.StatusNotFound, message: "Unknown Guild"},
	10007:  {status: http.StatusNotFound, message: "Unknown Member"},
	10008:  {status: http.StatusNotFound, message: "Unknown Message"},
	10011:  {status: http.StatusNotFound, message: "Unknown Role"},
	10013:  {status: http.StatusNotFound, message: "Unknown User"},
	10015:  {status: http.StatusNotFound, message: "Unknown Webhook"},
	10062:  {status: http.StatusNotFound, message: "Unknown interaction"},
	10063:  {status: http.StatusNotFound, message: "Unknown application command"},
	30015:  {status: http.StatusBadRequest, message: "Maximum number of attachments in a message reached (10)"},
	20026:  {status: http.StatusForbidden, message: "This bot has been flagged by our anti-spam system for abusive behavior"},
	30034:  {status: http.StatusBadRequest, message: "Max number of daily application command creates has been reached (200)"},
	30032:  {status: http.StatusBadRequest, message: "Maximum number of application commands reached"},
	30046:  {status: http.StatusTooManyRequests, message: "Maximum number of edits to messages older than 1 hour reached. Try again later"},
	40003:  {status: http.StatusTooManyRequests, message: "You are opening direct messages too fast"},
	40005:  {status: http.StatusRequestEntityTooLarge, message: "Request entity too large"},
	40041:  {status: http.StatusBadRequest, message: "An application command with that name already exists"},
	40094:  {status: http.StatusBadRequest, message: "This interaction has reached the maximum number of follow-up messages"},
	40058:  {status: http.StatusBadRequest, message: "Cannot message this thread until after the post author has sent an initial message"},
	40067:  {status: http.StatusBadRequest, message: "A tag is required to create a forum post in this channel"},
	40060:  {status: http.StatusBadRequest, message: "Interaction has already been acknowledged."},
	50001:  {status: http.StatusForbidden, message: "Missing Access"},
	50005:  {status: http.StatusForbidden, message: "Cannot edit a message authored by another user"},
	50006:  {status: http.StatusBadRequest, message: "Cannot send an empty message"},
	50007:  {status: http.StatusForbidden, message: "Cannot send messages to this user"},
	50013:  {status: http.StatusForbidden, message: "Missing Permissions"},
	50016:  {status: http.StatusBadRequest, message: "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete"},
	50024:  {status: http.StatusBadRequest, message: "Cannot execute action on this channel type"},
	50027:  {status: http.StatusUnauthorized, message: "Invalid Webhook Token"},
	50034:  {status: http.StatusBadRequest, message: "A message provided was too old to bulk delete"},
	50035:  {status: http.StatusBadRequest, message: "Invalid Form Body"},
	50041:  {status: http.StatusBadRequest, message: "Invalid API version"},
	50083:  {status: http.StatusBadRequest, message: "Thread is archived"},
	50109:  {status: http.StatusBadRequest, message: "The request body contains invalid JSON."},
	50278:  {status: http.StatusForbidden, message: "Cannot send messages to this user due to having no mutual guilds"},
	160002: {status: http.StatusForbidden, message: "You cannot reply without permission to read message history"},
	160004: {status: http.StatusBadRequest, message: "A thread has already been created for this message"},
	520001: {status: http.StatusBadRequest, message: "Poll expired"},
	520003: {status: http.StatusBadRequest, message: "Cannot edit a poll message"},
	160005: {status: http.StatusForbidden, message: "Thread is locked"},
}

// no returns the error for one of Discord's codes.
func no(code int) *apiError {
	e, known := knownErrors[code]
	if !known {
		e = apiError{status: http.StatusBadRequest, message: "Error"}
	}
	e.code = code
	return &e
}

// plain returns an error with only an HTTP status.
func plain(status int) *apiError {
	return &apiError{status: status, message: fmt.Sprintf("%d: %s", status, http.StatusText(status))}
}

// rateLimited returns the response to a rate-limited call.
// https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit
func rateLimited(after time.Duration, scope string) *apiError {
	return &apiError{
		status: http.StatusTooManyRequests, message: "You are being rate limited.", retryAfter: max(after, time.Millisecond), scope: scope,
	}
}

// invalid rejects a body and lists the problems, each nested under its field.
func invalid(problems []problem) *apiError {
	e := no(50035)
	e.errors = object{}
	for _, p := range problems {
		at := e.errors
		for name := range strings.SplitSeq(p.at, ".") {
			if name == "" {
				continue
			}
			inner := child(at, name)
			if inner == nil {
				inner = object{}
				at[name] = inner
			}
			at = inner
		}
		list, _ := at["_errors"].([]any)
		at["_errors"] = append(list, object{"code": p.code, "message": p.text})
	}
	return e
}
