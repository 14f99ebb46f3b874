package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The minimum and maximum length of a secret in bytes
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme).
const (
	minSecret = 24
	maxSecret = 64
)

const secretPrefix = "whsec_"

// ErrSecret means that a secret is not "whsec_" followed by 24 to 64 bytes in base64.
var ErrSecret = errors.New("webhook: a secret is whsec_ and 24 to 64 bytes in base64; make one with: echo whsec_$(openssl rand -base64 32)")

// CheckSecret returns nil or an error that matches [ErrSecret] and does not contain the secret.
func CheckSecret(secret string) error {
	_, err := keyOf(secret)
	return err
}

func keyOf(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < minSecret || len(key) > maxSecret {
		return nil, ErrSecret
	}
	return key, nil
}

// sign sets the headers with the signatures of a body, one for each key.
func sign(h http.Header, keys [][]byte, id string, at time.Time, body []byte) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, 0, len(keys))
	for _, key := range keys {
		signatures = append(signatures, signature(key, id, stamp, body))
	}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", strings.Join(signatures, " "))
}

// signature returns the signature with one key.
func signature(key []byte, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, stamp)
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Sign sets the headers of a call that [Verify] checks, as [Sender] does: for calls that are not about a request. The error
// matches [ErrSecret].
func Sign(h http.Header, secret, id string, at time.Time, body []byte) error {
	key, err := keyOf(secret)
	if err != nil {
		return err
	}
	sign(h, [][]byte{key}, id, at, body)
	return nil
}
