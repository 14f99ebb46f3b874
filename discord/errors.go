package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
)

// shortWait is the wait after a 429 without Retry-After.
const shortWait = 5 * time.Second

// longestEdit is the longest rate-limit wait of an edit; beyond it the result is posted below
// the card.
const longestEdit = time.Minute

// Error codes with special handling:
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#json.
const (
	unknownMessage     = 10008
	unknownWebhook     = 10015 // also for an interaction without a response yet
	unknownInteraction = 10062
	noNewDMs           = 20026
	tooOldToEdit       = 30046
	alreadyAnswered    = 40060
	closedDM           = 50007
	archivedThread     = 50083
	noMutualServer     = 50278

	noReplyWithoutHistory = 160002
)

// numbers maps Discord's error codes to error kinds, with a description. Other codes are
// classified by HTTP status.
var numbers = map[int]struct {
	kind bridge.Kind
	word string
}{
	// The token or the application is misconfigured.
	40001: {bridge.Misconfigured, "unauthorized"},
	40002: {bridge.Misconfigured, "account needs verification"},
	50014: {bridge.Misconfigured, "invalid token"},
	50041: {bridge.Misconfigured, "invalid api version"},

	// This place cannot be posted to.
	10003:                 {bridge.Unreachable, "unknown channel"},
	10004:                 {bridge.Unreachable, "unknown server"},
	10013:                 {bridge.Unreachable, "unknown user"},
	noNewDMs:              {bridge.Unreachable, "flagged by anti-spam: no new direct messages"},
	20009:                 {bridge.Unreachable, "explicit content not allowed here"},
	30007:                 {bridge.Unreachable, "too many webhooks"},
	30033:                 {bridge.Unreachable, "too many thread participants"},
	40058:                 {bridge.Unreachable, "a forum takes posts and no messages: name one of its posts as the thread"},
	50001:                 {bridge.Unreachable, "missing access"},
	50003:                 {bridge.Unreachable, "not possible in a direct message"},
	closedDM:              {bridge.Unreachable, "cannot send messages to this user"},
	50008:                 {bridge.Unreachable, "not a text channel"},
	50013:                 {bridge.Unreachable, "missing permissions"},
	50024:                 {bridge.Unreachable, "wrong kind of channel"},
	50033:                 {bridge.Unreachable, "invalid recipient"},
	50055:                 {bridge.Unreachable, "invalid server"},
	archivedThread:        {bridge.Unreachable, "thread is archived"},
	noMutualServer:        {bridge.Unreachable, "no server in common with this user"},
	noReplyWithoutHistory: {bridge.Unreachable, "cannot reply without the permission to read message history"},
	160005:                {bridge.Unreachable, "thread is locked"},

	// The card is invalid.
	40005:  {bridge.Refused, "request too large"},
	50006:  {bridge.Refused, "empty message"},
	50035:  {bridge.Refused, "invalid form body"},
	50109:  {bridge.Refused, "invalid json"},
	200000: {bridge.Refused, "blocked by automod"},
	200001: {bridge.Refused, "title blocked by automod"},
	240000: {bridge.Refused, "harmful link blocked"},

	// The message cannot be edited, or the interaction is over.
	unknownMessage:     {bridge.Gone, "unknown message"},
	unknownWebhook:     {bridge.Gone, "unknown webhook"},
	unknownInteraction: {bridge.Gone, "unknown interaction"},
	50027:              {bridge.Gone, "interaction token is over"},
	alreadyAnswered:    {bridge.Gone, "interaction already acknowledged"},
	tooOldToEdit:       {bridge.Frozen, "too many edits of an old message"},
	50005:              {bridge.Frozen, "message of another author"},
	50021:              {bridge.Frozen, "system message"},

	// Discord did not execute the call; retry later.
	20016:  {bridge.RateLimited, "slow mode"},
	20022:  {bridge.RateLimited, "rate limited"},
	20028:  {bridge.RateLimited, "rate limited"},
	20029:  {bridge.RateLimited, "rate limited"},
	30040:  {bridge.RateLimited, "rate limited"},
	31001:  {bridge.RateLimited, "rate limited"},
	40003:  {bridge.RateLimited, "opening direct messages too fast"},
	40062:  {bridge.RateLimited, "rate limited"},
	40333:  {bridge.Transient, "internal network error"},
	130000: {bridge.Transient, "overloaded"},
}

// The codes of errors without a number.
const (
	codeLimited   = "rate limited"
	codeTimeout   = "timeout"
	codeCancelled = "cancelled"
)

// classify converts any error of a call to a [bridge.PlatformError]: r is Discord's error
// response, or err a transport error; sent means that the request may have been sent.
func classify(k call, r *refusal, err error, sent bool) *bridge.PlatformError {
	e := &bridge.PlatformError{Platform: Name, Op: k.op, Err: plain(err)}
	if r == nil {
		e.Kind, e.Code = bridge.Ambiguous, lostWord(err)
		if !sent || connector.Unsent(err) {
			e.Kind = bridge.Transient
		}
	} else {
		e.Err = r
		e.Kind, e.Code = r.meaning()
		// Discord's edge may reject a card's content; see [gate.wall].
		if r.status == http.StatusForbidden && r.code == 0 && k.lane != "" {
			e.Kind = bridge.Unreachable
		}
		// A message unarchives an archived thread, so the result of a request can still be
		// posted there unless the thread is locked: then a moderator must open it
		// (https://docs.discord.com/developers/topics/threads#active--archived-threads).
		if k.op == opEdit && r.code == archivedThread {
			e.Kind = bridge.Locked
		}
		// Edits of old messages have a separate rate limit.
		if r.code == tooOldToEdit && 0 < r.retryAfter && r.retryAfter <= longestEdit {
			e.Kind = bridge.RateLimited
		}
	}
	if e.Kind == bridge.RateLimited {
		if e.RetryAfter = shortWait; r.retryAfter > 0 {
			e.RetryAfter = r.retryAfter
		}
	}
	if e.Kind == bridge.Ambiguous && !k.once {
		e.Kind = bridge.Transient
	}
	return e
}

// meaning returns the kind and code of an error response.
func (r *refusal) meaning() (bridge.Kind, string) {
	if known, ok := numbers[r.code]; ok {
		return known.kind, strconv.Itoa(r.code) + " " + known.word
	}
	code := "http_" + strconv.Itoa(r.status)
	if r.code != 0 {
		code = strconv.Itoa(r.code)
	}
	switch {
	case r.status == http.StatusTooManyRequests:
		return bridge.RateLimited, codeLimited
	case r.status >= 500, r.status == http.StatusRequestTimeout:
		return bridge.Ambiguous, code
	case r.status == http.StatusUnauthorized:
		return bridge.Misconfigured, code
	case r.status == http.StatusForbidden && r.code != 0:
		return bridge.Unreachable, code
	case r.status == http.StatusBadRequest, r.status == http.StatusRequestEntityTooLarge, r.code != 0:
		return bridge.Refused, code
	default: // Redirects, Discord's edge, and a proxy or an api_url that is not Discord's.
		return bridge.Misconfigured, code
	}
}

// numberOf returns Discord's error code in an error, or 0.
func numberOf(err error) int {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.code
	}
	return 0
}

// lostWord returns the code of a call without a response.
func lostWord(err error) string {
	var (
		timeout net.Error
		syntax  *json.SyntaxError
	)
	switch {
	case errors.Is(err, errCallTimeout), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return codeTimeout
	case errors.Is(err, context.Canceled):
		return codeCancelled
	case connector.Unsent(err):
		return "connection failed"
	case errors.Is(err, errUnreadable), errors.As(err, &syntax), isTypeError(err):
		return "unreadable reply"
	}
	return "connection lost"
}

func isTypeError(err error) bool {
	_, odd := errors.AsType[*json.UnmarshalTypeError](err)
	return odd
}

// plain removes the URL from an error because an interaction's URL is a secret.
func plain(err error) error {
	if address, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("%s: %w", strings.ToLower(address.Op), plain(address.Err))
	}
	return err
}
