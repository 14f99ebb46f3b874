package codec

import (
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/bridge"
)

// refusal is the error of a transition, which is passed on as it is.
type refusal struct{ error }

// Refuse marks the error of a transition.
func Refuse(err error) error { return refusal{err} }

// Error says what happened in the words of the package's edge.
func Error(op, id string, err error) error {
	var no refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &no):
		return no.error
	case errors.Is(err, bridge.ErrExists):
		return bridge.ErrExists
	case id == "":
		return fmt.Errorf("store: %s: %w", op, err)
	}
	return fmt.Errorf("store: %s %s: %w", op, id, err)
}
