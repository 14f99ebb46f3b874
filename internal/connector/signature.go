package connector

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Window is how old, or how far ahead, a signature may be: what Slack advises
// (https://docs.slack.dev/authentication/verifying-requests-from-slack). Discord
// names no number.
const Window = 5 * time.Minute

// maxStamp is how long a timestamp header may be.
const maxStamp = 12

// Why a request was refused. None of them says what the signature should have
// been.
var (
	ErrNoSignature  = errors.New("no single signature header")
	ErrBadSignature = errors.New("malformed signature header")
	ErrNoTime       = errors.New("no single timestamp header")
	ErrBadTime      = errors.New("malformed timestamp header")
	ErrMismatch     = errors.New("signature does not match")
	ErrOld          = errors.New("signature is too old or from the future: is this machine's clock right?")
)

// Signature is what the headers of a signed request say. Nothing of it is true
// before it was held against the body.
type Signature struct {
	// Bytes are the signature itself.
	Bytes []byte
	// Stamp is when it was made, as it was signed; Sent is the same in seconds.
	Stamp string
	Sent  int64
}

// ReadSignature reads the two headers: a signature of so many bytes in hex behind
// the prefix, and when it was made.
func ReadSignature(signatures, stamps []string, prefix string, size int) (Signature, error) {
	if len(signatures) != 1 {
		return Signature{}, ErrNoSignature
	}
	if len(stamps) != 1 {
		return Signature{}, ErrNoTime
	}
	s := Signature{Stamp: stamps[0]}
	if s.Stamp == "" || len(s.Stamp) > maxStamp || strings.Trim(s.Stamp, "0123456789") != "" {
		return Signature{}, ErrBadTime
	}
	var err error
	if s.Sent, err = strconv.ParseInt(s.Stamp, 10, 64); err != nil {
		return Signature{}, ErrBadTime
	}
	digits, ok := strings.CutPrefix(signatures[0], prefix)
	if !ok {
		return Signature{}, ErrBadSignature
	}
	if s.Bytes, err = hex.DecodeString(digits); err != nil || len(s.Bytes) != size {
		return Signature{}, ErrBadSignature
	}
	return s, nil
}

// Fresh refuses a signature of another time.
func (s Signature) Fresh(now time.Time) error {
	if age := now.Sub(time.Unix(s.Sent, 0)); age > Window || age < -Window {
		return ErrOld
	}
	return nil
}
