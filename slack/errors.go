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

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
)

// shortWait is the wait after "ratelimited" without Retry-After. Slack's limits are per minute
// (https://docs.slack.dev/apis/web-api/rate-limits).
const shortWait = 30 * time.Second

// longestWait caps Retry-After. A per-minute limit is over by then, and an absurd value such as
// a year would block a channel's cards beyond their deadlines, and Socket Mode's connection.
const longestWait = time.Hour

// kinds maps Slack's error codes to error kinds. Each method's page under
// https://docs.slack.dev/reference/methods lists its codes.
var kinds = map[string]platform.Kind{
	// The token or the app is misconfigured.
	"access_denied":             platform.Misconfigured,
	"account_inactive":          platform.Misconfigured,
	"app_not_installed":         platform.Misconfigured,
	"app_uninstalled":           platform.Misconfigured,
	"forbidden_team":            platform.Misconfigured,
	"invalid_auth":              platform.Misconfigured,
	"missing_scope":             platform.Misconfigured,
	"no_permission":             platform.Misconfigured,
	"no_such_subteam":           platform.Misconfigured,
	"not_allowed_token_type":    platform.Misconfigured,
	"not_authed":                platform.Misconfigured,
	"org_login_required":        platform.Misconfigured,
	"plan_upgrade_required":     platform.Misconfigured, // User groups need a paid plan.
	"socket_mode_disabled":      platform.Misconfigured,
	"team_access_not_granted":   platform.Misconfigured,
	"team_not_found":            platform.Misconfigured,
	"token_expired":             platform.Misconfigured,
	"token_revoked":             platform.Misconfigured,
	"two_factor_setup_required": platform.Misconfigured,
	"unknown_method":            platform.Misconfigured,

	// This place cannot be posted to.
	"cannot_dm_bot":                         platform.Unreachable,
	"cannot_reply_to_message":               platform.Unreachable,
	"channel_is_limited_access":             platform.Unreachable,
	"channel_not_found":                     platform.Unreachable,
	"ekm_access_denied":                     platform.Unreachable,
	"enterprise_is_restricted":              platform.Unreachable,
	"invalid_channel":                       platform.Unreachable,
	"invalid_thread_ts":                     platform.Unreachable,
	"invalid_user_combination":              platform.Unreachable,
	"is_archived":                           platform.Unreachable,
	"messages_tab_disabled":                 platform.Unreachable,
	"method_not_supported_for_channel_type": platform.Unreachable,
	"not_in_channel":                        platform.Unreachable,
	"not_in_dm":                             platform.Unreachable,
	"thread_locked":                         platform.Unreachable,
	"thread_not_found":                      platform.Unreachable,
	"user_disabled":                         platform.Unreachable,
	"user_not_found":                        platform.Unreachable,
	"user_not_in_channel":                   platform.Unreachable,
	"user_not_visible":                      platform.Unreachable,
	"users_not_found":                       platform.Unreachable,

	// The card is invalid.
	"invalid_arguments":     platform.Refused,
	"invalid_blocks":        platform.Refused,
	"invalid_blocks_format": platform.Refused,
	"metadata_too_large":    platform.Refused,
	"msg_blocks_too_long":   platform.Refused,
	"msg_too_long":          platform.Refused,
	"no_text":               platform.Refused,
	"view_too_large":        platform.Refused,

	// The message cannot be edited.
	"block_mismatch":      platform.Frozen,
	"cant_update_message": platform.Frozen,
	"edit_window_closed":  platform.Frozen,
	"message_not_found":   platform.Gone,
	// An archived channel accepts neither edits nor replies.
	"is_inactive": platform.Unreachable,

	// Slack did not execute the call.
	"accesslimited":              platform.Transient,
	"external_channel_migrating": platform.Transient,
	"expired_trigger_id":         platform.Transient,
	"exchanged_trigger_id":       platform.Transient,
	"invalid_trigger_id":         platform.Transient,
	"request_timeout":            platform.Transient, // Slack did not receive the whole body.
	"team_added_to_org":          platform.Transient,
	"trigger_exchanged":          platform.Transient,
	"trigger_expired":            platform.Transient,

	// Slack failed midway; see classify for idempotent calls.
	"fatal_error":         platform.Ambiguous,
	"file_update_failed":  platform.Ambiguous,
	"internal_error":      platform.Ambiguous,
	"service_unavailable": platform.Ambiguous,
	"update_failed":       platform.Ambiguous,

	"message_limit_exceeded": platform.RateLimited,
	"rate_limited":           platform.RateLimited,
	"ratelimited":            platform.RateLimited,
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
func kindOf(word string) platform.Kind {
	if kind, ok := kinds[word]; ok {
		return kind
	}
	switch {
	case strings.HasPrefix(word, "restricted_action"), strings.HasPrefix(word, "slack_connect_"):
		return platform.Unreachable
	case strings.HasSuffix(word, "_unavailable"), strings.HasSuffix(word, "_error"), strings.HasSuffix(word, "timeout"):
		return platform.Ambiguous
	}
	return platform.Refused
}

// classify converts any error of a call to a [platform.Error]. once means that the call
// is not idempotent; sent means that the request may have been sent.
func classify(op string, once bool, err error, sent bool) *platform.Error {
	e := &platform.Error{Platform: Name, Op: op, Err: plain(err)}
	var (
		refused slackapi.SlackErrorResponse
		limited *slackapi.RateLimitedError
		status  slackapi.StatusCodeError
		number  *strconv.NumError
	)
	switch {
	case errors.As(err, &limited):
		e.Kind, e.Code, e.RetryAfter = platform.RateLimited, "ratelimited", limited.RetryAfter
	case errors.As(err, &number): // A 429 with an invalid Retry-After.
		e.Kind, e.Code = platform.RateLimited, "ratelimited"
	case errors.As(err, &refused) && !errorWord.MatchString(refused.Err):
		e.Kind, e.Code, e.Err = platform.Ambiguous, "unreadable_reply", errUnreadable
	case errors.As(err, &refused):
		e.Kind, e.Code = kindOf(refused.Err), refused.Err
	case errors.As(err, &status):
		e.Kind, e.Code = statusKind(status.Code), "http_"+strconv.Itoa(status.Code)
		if status.Code == http.StatusTooManyRequests {
			e.Code = "ratelimited"
		}
	default:
		e.Kind, e.Code = platform.Ambiguous, lostWord(err)
		if !sent || connector.Unsent(err) {
			e.Kind = platform.Transient
		}
	}
	if e.Kind == platform.RateLimited {
		if e.RetryAfter <= 0 {
			e.RetryAfter = shortWait
		}
		e.RetryAfter = min(e.RetryAfter, longestWait)
	}
	if e.Kind == platform.Ambiguous && !once {
		e.Kind = platform.Transient
	}
	return e
}

// statusKind classifies responses that are not from Slack's API: its edge, or a proxy.
func statusKind(code int) platform.Kind {
	switch {
	case code == http.StatusTooManyRequests:
		return platform.RateLimited
	case code == http.StatusRequestEntityTooLarge:
		return platform.Refused
	case code >= 500, code == http.StatusRequestTimeout:
		return platform.Ambiguous
	default: // Redirects, and a proxy or an api_url that is not Slack's.
		return platform.Misconfigured
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
