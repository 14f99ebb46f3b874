package connector

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Window is the maximum difference between a signature's time and ours, as Slack recommends
// (https://docs.slack.dev/authentication/verifying-requests-from-slack). Discord specifies none.
const Window = 5 * time.Minute

// maxStamp is the maximum length of a timestamp header.
const maxStamp = 12

// Why a request was refused. None of them contains the expected signature.
var (
	ErrNoSignature  = errors.New("no single signature header")
	ErrBadSignature = errors.New("malformed signature header")
	ErrNoTime       = errors.New("no single timestamp header")
	ErrBadTime      = errors.New("malformed timestamp header")
	ErrMismatch     = errors.New("signature does not match")
	ErrOld          = errors.New("signature is too old or from the future: is this machine's clock right?")
)

// Signature is read from the headers of a signed request. It proves nothing until it was verified with the body.
type Signature struct {
	// Bytes is the signature itself.
	Bytes []byte
	// Stamp is its time as it was signed, Sent the same in seconds.
	Stamp string
	Sent  int64
}

// ReadSignature parses the two headers: a prefix and a signature of size bytes in hex, and its time.
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

// Fresh returns an error for a signature outside of [Window].
func (s Signature) Fresh(now time.Time) error {
	if age := now.Sub(time.Unix(s.Sent, 0)); age > Window || age < -Window {
		return ErrOld
	}
	return nil
}
