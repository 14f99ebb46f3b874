package codec

import (
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/bridge/storage"
)

// refusal wraps an error of a transition, which is returned unchanged.
type refusal struct{ error }

// Refuse marks an error as one of a transition.
func Refuse(err error) error { return refusal{err} }

// Error adds the operation and the ID to an error, except to those of transitions.
func Error(op, id string, err error) error {
	var no refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &no):
		return no.error
	case errors.Is(err, storage.ErrExists):
		return storage.ErrExists
	case id == "":
		return fmt.Errorf("store: %s: %w", op, err)
	}
	return fmt.Errorf("store: %s %s: %w", op, id, err)
}
