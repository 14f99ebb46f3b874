package connector

import (
	"errors"

	json "github.com/go-json-experiment/json/v1"
)

// ReadLoosely decodes JSON and leaves out the members that are not of the kind
// we expect: the decoder goes on after such a member and only then complains. It
// reads as encoding/json does, in half the time: most of what platforms send is
// left out, and looked at once here.
func ReadLoosely(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return nil
	}
	return err
}

// With returns a map, made where there is none, in which a question has a value.
func With[V any](m map[int]V, question int, v V) map[int]V {
	if m == nil {
		m = map[int]V{}
	}
	m[question] = v
	return m
}

// Unprintable finds what no token holds: spaces and control characters.
func Unprintable(r rune) bool { return r <= ' ' || r == 0x7f }
