package webhook

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Tolerance is the maximum difference between the clocks of both sides for [Verify], and the maximum age of a replayed call
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#verifying-signatures).
const Tolerance = 5 * time.Minute

// ErrUnverified means that a call was not signed with the secret, was modified, or is older than [Tolerance]. It does not
// contain the secret.
var ErrUnverified = errors.New("webhook: unverified call")

// Verify checks that a call was made by a bridge with one of the secrets; pass several during a rotation. The body must be
// the exact bytes that were received. It returns nil, an error that matches [ErrUnverified], or one that matches [ErrSecret]
// for an invalid secret.
func Verify(h http.Header, body []byte, secrets ...string) error {
	id, stamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	switch off := time.Since(time.Unix(seconds, 0)); {
	case id == "" || stamp == "" || h.Get("webhook-signature") == "":
		return untrusted("it lacks one of webhook-id, webhook-timestamp and webhook-signature")
	case err != nil:
		return untrusted("webhook-timestamp is no time")
	case off.Abs() > Tolerance:
		return untrusted("webhook-timestamp is more than " + Tolerance.String() + " off")
	}
	fits := false
	for _, secret := range secrets {
		key, err := keyOf(secret)
		if err != nil {
			return err
		}
		want := signature(key, id, stamp, body)
		for sent := range strings.FieldsSeq(h.Get("webhook-signature")) {
			fits = hmac.Equal([]byte(sent), []byte(want)) || fits
		}
	}
	if !fits {
		return untrusted("no signature matches")
	}
	return nil
}

// untrusted returns an [ErrUnverified] with a reason.
func untrusted(why string) error { return fmt.Errorf("%w: %s", ErrUnverified, why) }
