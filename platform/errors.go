package platform

import (
	"fmt"
	"time"
)

// Kind classifies a platform's error by what the bridge should do.
type Kind string

// The kinds of platform errors.
const (
	// Transient: the call failed without an effect; retry later.
	Transient Kind = "transient"
	// Ambiguous: the reply was lost, so the call may have had its effect.
	Ambiguous Kind = "ambiguous"
	// RateLimited: wait for RetryAfter.
	RateLimited Kind = "rate_limited"
	// Misconfigured: credentials or permissions of the whole connection are wrong. Calls
	// should stop until an operator fixes them.
	Misconfigured Kind = "misconfigured"
	// Unreachable: the bot cannot post to this place (deleted, archived, no access).
	Unreachable Kind = "unreachable"
	// Refused: the platform rejects this card.
	Refused Kind = "refused"
	// Gone: the message no longer exists.
	Gone Kind = "gone"
	// Frozen: the message can no longer be edited.
	Frozen Kind = "frozen"
	// Locked: the message cannot be edited until a person reopens its thread or channel.
	// Retry in minutes, then in hours.
	Locked Kind = "locked"
)

// Error is the error of every call of a [Platform].
type Error struct {
	Platform string
	// Op is the platform's name of the call, such as "chat.postMessage".
	Op   string
	Kind Kind
	// RetryAfter is set if Kind is RateLimited.
	RetryAfter time.Duration
	// Code is the platform's error code, such as "is_archived". It is always set. Logs
	// and agents see it, so it must not contain secrets.
	Code string
	// Err is the cause. Only the log may contain it.
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s: %s (%s)", e.Platform, e.Op, e.Code, e.Kind)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
