package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
)

// shortWait is the wait after "ratelimited" without Retry-After. Slack's limits are per minute
// (https://docs.slack.dev/apis/web-api/rate-limits).
const shortWait = 30 * time.Second

// longestWait caps Retry-After. A per-minute limit is over by then, and an absurd value such as
// a year would block a channel's cards beyond their deadlines, and Socket Mode's connection.
const longestWait = time.Hour

// kinds maps Slack's error codes to error kinds. Each method's page under
// https://docs.slack.dev/reference/methods lists its codes.
var kinds = map[string]bridge.Kind{
	// The token or the app is misconfigured.
	"access_denied":             bridge.Misconfigured,
	"account_inactive":          bridge.Misconfigured,
	"app_not_installed":         bridge.Misconfigured,
	"app_uninstalled":           bridge.Misconfigured,
	"forbidden_team":            bridge.Misconfigured,
	"invalid_auth":              bridge.Misconfigured,
	"missing_scope":             bridge.Misconfigured,
	"no_permission":             bridge.Misconfigured,
	"no_such_subteam":           bridge.Misconfigured,
	"not_allowed_token_type":    bridge.Misconfigured,
	"not_authed":                bridge.Misconfigured,
	"org_login_required":        bridge.Misconfigured,
	"plan_upgrade_required":     bridge.Misconfigured, // User groups need a paid plan.
	"socket_mode_disabled":      bridge.Misconfigured,
	"team_access_not_granted":   bridge.Misconfigured,
	"team_not_found":            bridge.Misconfigured,
	"token_expired":             bridge.Misconfigured,
	"token_revoked":             bridge.Misconfigured,
	"two_factor_setup_required": bridge.Misconfigured,
	"unknown_method":            bridge.Misconfigured,

	// This place cannot be posted to.
	"cannot_dm_bot":                         bridge.Unreachable,
	"cannot_reply_to_message":               bridge.Unreachable,
	"channel_is_limited_access":             bridge.Unreachable,
	"channel_not_found":                     bridge.Unreachable,
	"ekm_access_denied":                     bridge.Unreachable,
	"enterprise_is_restricted":              bridge.Unreachable,
	"invalid_channel":                       bridge.Unreachable,
	"invalid_thread_ts":                     bridge.Unreachable,
	"invalid_user_combination":              bridge.Unreachable,
	"is_archived":                           bridge.Unreachable,
	"messages_tab_disabled":                 bridge.Unreachable,
	"method_not_supported_for_channel_type": bridge.Unreachable,
	"not_in_channel":                        bridge.Unreachable,
	"not_in_dm":                             bridge.Unreachable,
	"thread_locked":                         bridge.Unreachable,
	"thread_not_found":                      bridge.Unreachable,
	"user_disabled":                         bridge.Unreachable,
	"user_not_found":                        bridge.Unreachable,
	"user_not_in_channel":                   bridge.Unreachable,
	"user_not_visible":                      bridge.Unreachable,
	"users_not_found":                       bridge.Unreachable,

	// The card is invalid.
	"invalid_arguments":     bridge.Refused,
	"invalid_blocks":        bridge.Refused,
	"invalid_blocks_format": bridge.Refused,
	"metadata_too_large":    bridge.Refused,
	"msg_blocks_too_long":   bridge.Refused,
	"msg_too_long":          bridge.Refused,
	"no_text":               bridge.Refused,
	"view_too_large":        bridge.Refused,

	// The message cannot be edited.
	"block_mismatch":      bridge.Frozen,
	"cant_update_message": bridge.Frozen,
	"edit_window_closed":  bridge.Frozen,
	"message_not_found":   bridge.Gone,
	// An archived channel accepts neither edits nor replies.
	"is_inactive": bridge.Unreachable,

	// Slack did not execute the call.
	"accesslimited":              bridge.Transient,
	"external_channel_migrating": bridge.Transient,
	"expired_trigger_id":         bridge.Transient,
	"exchanged_trigger_id":       bridge.Transient,
	"invalid_trigger_id":         bridge.Transient,
	"request_timeout":            bridge.Transient, // Slack did not receive the whole body.
	"team_added_to_org":          bridge.Transient,
	"trigger_exchanged":          bridge.Transient,
	"trigger_expired":            bridge.Transient,

	// Slack failed midway; see classify for idempotent calls.
	"fatal_error":         bridge.Ambiguous,
	"file_update_failed":  bridge.Ambiguous,
	"internal_error":      bridge.Ambiguous,
	"service_unavailable": bridge.Ambiguous,
	"update_failed":       bridge.Ambiguous,

	"message_limit_exceeded": bridge.RateLimited,
	"rate_limited":           bridge.RateLimited,
	"ratelimited":            bridge.RateLimited,
}

// dead are the codes after which no method can succeed.
var dead = map[string]bool{
	"account_inactive": true, "app_not_installed": true, "app_uninstalled": true, "invalid_auth": true,
	"not_authed": true, "token_expired": true, "token_revoked": true,
}

// errorWord restricts the codes shown to agents to plain words, whatever server responded.
var errorWord = regexp.MustCompile(`^[a-z0-9_.]{1,80}$`)

// kindOf returns the kind of a Slack error code. An unknown code is Refused: retrying it for
// hours would hide it.
func kindOf(word string) bridge.Kind {
	if kind, ok := kinds[word]; ok {
		return kind
	}
	switch {
	case strings.HasPrefix(word, "restricted_action"), strings.HasPrefix(word, "slack_connect_"):
		return bridge.Unreachable
	case strings.HasSuffix(word, "_unavailable"), strings.HasSuffix(word, "_error"), strings.HasSuffix(word, "timeout"):
		return bridge.Ambiguous
	}
	return bridge.Refused
}

// classify converts any error of a call to a [bridge.PlatformError]. once means that the call
// is not idempotent; sent means that the request may have been sent.
func classify(op string, once bool, err error, sent bool) *bridge.PlatformError {
	e := &bridge.PlatformError{Platform: Name, Op: op, Err: plain(err)}
	var (
		refused slackapi.SlackErrorResponse
		limited *slackapi.RateLimitedError
		status  slackapi.StatusCodeError
		number  *strconv.NumError
	)
	switch {
	case errors.As(err, &limited):
		e.Kind, e.Code, e.RetryAfter = bridge.RateLimited, "ratelimited", limited.RetryAfter
	case errors.As(err, &number): // A 429 with an invalid Retry-After.
		e.Kind, e.Code = bridge.RateLimited, "ratelimited"
	case errors.As(err, &refused) && !errorWord.MatchString(refused.Err):
		e.Kind, e.Code, e.Err = bridge.Ambiguous, "unreadable_reply", errUnreadable
	case errors.As(err, &refused):
		e.Kind, e.Code = kindOf(refused.Err), refused.Err
	case errors.As(err, &status):
		e.Kind, e.Code = statusKind(status.Code), "http_"+strconv.Itoa(status.Code)
		if status.Code == http.StatusTooManyRequests {
			e.Code = "ratelimited"
		}
	default:
		e.Kind, e.Code = bridge.Ambiguous, lostWord(err)
		if !sent || connector.Unsent(err) {
			e.Kind = bridge.Transient
		}
	}
	if e.Kind == bridge.RateLimited {
		if e.RetryAfter <= 0 {
			e.RetryAfter = shortWait
		}
		e.RetryAfter = min(e.RetryAfter, longestWait)
	}
	if e.Kind == bridge.Ambiguous && !once {
		e.Kind = bridge.Transient
	}
	return e
}

// statusKind classifies responses that are not from Slack's API: its edge, or a proxy.
func statusKind(code int) bridge.Kind {
	switch {
	case code == http.StatusTooManyRequests:
		return bridge.RateLimited
	case code == http.StatusRequestEntityTooLarge:
		return bridge.Refused
	case code >= 500, code == http.StatusRequestTimeout:
		return bridge.Ambiguous
	default: // Redirects, and a proxy or an api_url that is not Slack's.
		return bridge.Misconfigured
	}
}

// lostWord returns the code of a call without a response.
func lostWord(err error) string {
	var (
		timeout net.Error
		syntax  *json.SyntaxError
		typed   *json.UnmarshalTypeError
	)
	switch {
	case errors.Is(err, errCallTimeout), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case connector.Unsent(err):
		return "connection_failed"
	case errors.Is(err, errUnreadable), errors.As(err, &syntax), errors.As(err, &typed):
		return "unreadable_reply"
	}
	return "connection_lost"
}

// plain removes the URL from an error because a reply URL is a secret. It adds Slack's details
// about a rejected card or a missing scope.
func plain(err error) error {
	if address, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("%s: %w", strings.ToLower(address.Op), plain(address.Err))
	}
	if refused, ok := errors.AsType[slackapi.SlackErrorResponse](err); ok {
		switch {
		case refused.Needed != "":
			return fmt.Errorf("%w: needs %s", err, refused.Needed)
		case len(refused.ResponseMetadata.Messages) > 0:
			return fmt.Errorf("%w: %s", err, strings.Join(refused.ResponseMetadata.Messages, "; "))
		}
	}
	return err
}
