package connector

import (
	"errors"

	json "github.com/go-json-experiment/json/v1"
)

// ReadLoosely decodes JSON and ignores members of an unexpected type. It behaves like encoding/json in half the time,
// because it scans skipped members, which are most of what platforms send, only once.
func ReadLoosely(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return nil
	}
	return err
}

// With sets the value of a question in a map, which may be nil, and returns the map.
func With[V any](m map[int]V, question int, v V) map[int]V {
	if m == nil {
		m = map[int]V{}
	}
	m[question] = v
	return m
}

// Unprintable reports whether a character cannot be part of a token: a space or a control character.
func Unprintable(r rune) bool { return r <= ' ' || r == 0x7f }
