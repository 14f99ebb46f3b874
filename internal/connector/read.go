package connector

import (
	"encoding/json"
	"errors"
)

// ReadLoosely decodes JSON and leaves out the members that are not of the kind
// we expect: encoding/json goes on after such a member and only then complains.
func ReadLoosely(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return nil
	}
	return err
}

// Unprintable finds what no token holds: spaces and control characters.
func Unprintable(r rune) bool { return r <= ' ' || r == 0x7f }
