package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
)

// Sealing is a store that can encrypt its data.
type Sealing interface {
	Both
	// Keys returns the encryption keys of the store; nil for none.
	Keys() *seal.Keys
	// Reseal encrypts a record with the first key, and ResealValue a value. They return
	// [storage.ErrUnchanged] if it already is.
	Reseal(ctx context.Context, id string) error
	ResealValue(ctx context.Context, k keyvalue.Key) error
}

// Resealed is the progress of [Reseal].
type Resealed struct {
	// Requests and Values were checked, of Total requests.
	Requests, Total, Values int
	// Written is how many were encrypted again.
	Written int
}

// resealPasses is the maximum number of passes until nothing changes.
const resealPasses = 3

// ErrOtherKeys means that another bridge still writes with another key.
var ErrOtherKeys = errors.New("store: another askbridge still writes with another key: reload the keys of every askbridge, then repeat this")

// Reseal encrypts all data with the first key, so that the other keys can be removed. It skips data that
// already is, so it can be repeated after an interruption. A Redis store may be in use. If nothing is
// left, and no [Writer] uses another key first, it removes the marks of the other keys; otherwise it returns
// [ErrOtherKeys]. progress may be nil.
func Reseal(ctx context.Context, s Sealing, progress func(Resealed)) (n Resealed, err error) {
	if s.Keys().Ring() == nil {
		return n, errors.New("store: reseal: no keys are given")
	}
	for range resealPasses {
		before := n.Written
		if err := n.pass(ctx, s, progress); err != nil {
			return n, fmt.Errorf("store: reseal: %w", err)
		}
		if n.Written == before {
			if err := onlyFirst(ctx, s); err != nil {
				return n, err
			}
			return n, forgetOthers(ctx, s)
		}
	}
	return n, ErrOtherKeys
}

// pass checks all records and values once.
func (n *Resealed) pass(ctx context.Context, s Sealing, progress func(Resealed)) error {
	ids, err := listed(ctx, s, false, true)
	if err != nil {
		return err
	}
	n.Requests, n.Total, n.Values = 0, len(ids), 0
	tell := func(counter *int, err error) error {
		*counter++
		switch {
		case err == nil, errors.Is(err, storage.ErrNotReplicated):
			n.Written++
		case !errors.Is(err, storage.ErrUnchanged) && !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, ask.ErrGone):
			return err
		}
		if progress != nil {
			progress(*n)
		}
		return nil
	}
	for _, id := range ids {
		if err := tell(&n.Requests, s.Reseal(ctx, id)); err != nil {
			return err
		}
	}
	for e, err := range keyvalue.All(ctx, s.KeyValue(), keyvalue.Range{}) {
		if err == nil {
			err = tell(&n.Values, s.ResealValue(ctx, e.Key))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forgetOthers removes the marks of all keys except the first.
func forgetOthers(ctx context.Context, s Sealing) error {
	marked, err := marks(ctx, s)
	for _, key := range marked {
		if err == nil && key != s.Keys().Ring().First() {
			if err = s.KeyValue().Delete(ctx, markOf(key), ""); errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrNotReplicated) {
				err = nil
			}
		}
	}
	if err != nil {
		return fmt.Errorf("store: reseal: %w", err)
	}
	return nil
}
