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

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
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
	kind platform.Kind
	word string
}{
	// The token or the application is misconfigured.
	40001: {platform.Misconfigured, "unauthorized"},
	40002: {platform.Misconfigured, "account needs verification"},
	50014: {platform.Misconfigured, "invalid token"},
	50041: {platform.Misconfigured, "invalid api version"},

	// This place cannot be posted to.
	10003:                 {platform.Unreachable, "unknown channel"},
	10004:                 {platform.Unreachable, "unknown server"},
	10013:                 {platform.Unreachable, "unknown user"},
	noNewDMs:              {platform.Unreachable, "flagged by anti-spam: no new direct messages"},
	20009:                 {platform.Unreachable, "explicit content not allowed here"},
	30007:                 {platform.Unreachable, "too many webhooks"},
	30033:                 {platform.Unreachable, "too many thread participants"},
	40058:                 {platform.Unreachable, "a forum takes posts and no messages: name one of its posts as the thread"},
	50001:                 {platform.Unreachable, "missing access"},
	50003:                 {platform.Unreachable, "not possible in a direct message"},
	closedDM:              {platform.Unreachable, "cannot send messages to this user"},
	50008:                 {platform.Unreachable, "not a text channel"},
	50013:                 {platform.Unreachable, "missing permissions"},
	50024:                 {platform.Unreachable, "wrong kind of channel"},
	50033:                 {platform.Unreachable, "invalid recipient"},
	50055:                 {platform.Unreachable, "invalid server"},
	archivedThread:        {platform.Unreachable, "thread is archived"},
	noMutualServer:        {platform.Unreachable, "no server in common with this user"},
	noReplyWithoutHistory: {platform.Unreachable, "cannot reply without the permission to read message history"},
	160005:                {platform.Unreachable, "thread is locked"},

	// The card is invalid.
	40005:  {platform.Refused, "request too large"},
	50006:  {platform.Refused, "empty message"},
	50035:  {platform.Refused, "invalid form body"},
	50109:  {platform.Refused, "invalid json"},
	200000: {platform.Refused, "blocked by automod"},
	200001: {platform.Refused, "title blocked by automod"},
	240000: {platform.Refused, "harmful link blocked"},

	// The message cannot be edited, or the interaction is over.
	unknownMessage:     {platform.Gone, "unknown message"},
	unknownWebhook:     {platform.Gone, "unknown webhook"},
	unknownInteraction: {platform.Gone, "unknown interaction"},
	50027:              {platform.Gone, "interaction token is over"},
	alreadyAnswered:    {platform.Gone, "interaction already acknowledged"},
	tooOldToEdit:       {platform.Frozen, "too many edits of an old message"},
	50005:              {platform.Frozen, "message of another author"},
	50021:              {platform.Frozen, "system message"},

	// Discord did not execute the call; retry later.
	20016:  {platform.RateLimited, "slow mode"},
	20022:  {platform.RateLimited, "rate limited"},
	20028:  {platform.RateLimited, "rate limited"},
	20029:  {platform.RateLimited, "rate limited"},
	30040:  {platform.RateLimited, "rate limited"},
	31001:  {platform.RateLimited, "rate limited"},
	40003:  {platform.RateLimited, "opening direct messages too fast"},
	40062:  {platform.RateLimited, "rate limited"},
	40333:  {platform.Transient, "internal network error"},
	130000: {platform.Transient, "overloaded"},
}

// The codes of errors without a number.
const (
	codeLimited   = "rate limited"
	codeTimeout   = "timeout"
	codeCancelled = "cancelled"
)

// classify converts any error of a call to a [platform.Error]: r is Discord's error
// response, or err a transport error; sent means that the request may have been sent.
func classify(k call, r *refusal, err error, sent bool) *platform.Error {
	e := &platform.Error{Platform: Name, Op: k.op, Err: plain(err)}
	if r == nil {
		e.Kind, e.Code = platform.Ambiguous, lostWord(err)
		if !sent || connector.Unsent(err) {
			e.Kind = platform.Transient
		}
	} else {
		e.Err = r
		e.Kind, e.Code = r.meaning()
		// Discord's edge may reject a card's content; see [limiter.cloudflareBlock].
		if r.status == http.StatusForbidden && r.code == 0 && k.place != "" {
			e.Kind = platform.Unreachable
		}
		// A message unarchives an archived thread, so the result of a request can still be
		// posted there unless the thread is locked: then a moderator must open it
		// (https://docs.discord.com/developers/topics/threads#active--archived-threads).
		if k.op == opEdit && r.code == archivedThread {
			e.Kind = platform.Locked
		}
		// Edits of old messages have a separate rate limit.
		if r.code == tooOldToEdit && 0 < r.retryAfter && r.retryAfter <= longestEdit {
			e.Kind = platform.RateLimited
		}
	}
	if e.Kind == platform.RateLimited {
		if e.RetryAfter = shortWait; r.retryAfter > 0 {
			e.RetryAfter = r.retryAfter
		}
	}
	if e.Kind == platform.Ambiguous && !k.once {
		e.Kind = platform.Transient
	}
	return e
}

// meaning returns the kind and code of an error response.
func (r *refusal) meaning() (platform.Kind, string) {
	if known, ok := numbers[r.code]; ok {
		return known.kind, strconv.Itoa(r.code) + " " + known.word
	}
	code := "http_" + strconv.Itoa(r.status)
	if r.code != 0 {
		code = strconv.Itoa(r.code)
	}
	switch {
	case r.status == http.StatusTooManyRequests:
		return platform.RateLimited, codeLimited
	case r.status >= 500, r.status == http.StatusRequestTimeout:
		return platform.Ambiguous, code
	case r.status == http.StatusUnauthorized:
		return platform.Misconfigured, code
	case r.status == http.StatusForbidden && r.code != 0:
		return platform.Unreachable, code
	case r.status == http.StatusBadRequest, r.status == http.StatusRequestEntityTooLarge, r.code != 0:
		return platform.Refused, code
	default: // Redirects, Discord's edge, and a proxy or an api_url that is not Discord's.
		return platform.Misconfigured, code
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
