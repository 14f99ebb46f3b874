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

// Tolerance is how far apart the clocks of both sides may be for [Verify], and how old a call that is sent once more by
// somebody who has listened
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#verifying-signatures).
const Tolerance = 5 * time.Minute

// ErrUnverified means a call that was not made by whoever knows the secret, was changed on its way, or is more than
// [Tolerance] off. It never holds the secret.
var ErrUnverified = errors.New("webhook: the call is not to be trusted")

// Verify checks for a receiver that a call was made by a bridge that knows one of the secrets: several are for the time in
// which one takes the place of the other. The body must be what came in, byte for byte. It returns nil, an error that
// matches [ErrUnverified], or one that matches [ErrSecret] where a secret is none.
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
		return untrusted("no signature fits")
	}
	return nil
}

// untrusted says why a call is not to be trusted.
func untrusted(why string) error { return fmt.Errorf("%w: %s", ErrUnverified, why) }
