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

// Sealing is a store that can encrypt what it keeps.
type Sealing interface {
	Both
	// Keys are those that it was opened with; nil for none.
	Keys() *seal.Keys
	// Reseal writes a record anew as the first key has it, and ResealValue a value. Nothing
	// else of them changes. They return [storage.ErrUnchanged] for what stands so already.
	Reseal(ctx context.Context, id string) error
	ResealValue(ctx context.Context, k keyvalue.Key) error
}

// Resealed is how far [Reseal] is.
type Resealed struct {
	// Requests and Values are how many were looked at; there are Total requests.
	Requests, Total, Values int
	// Written is how much stood in another form, and was written anew.
	Written int
}

// resealPasses is how often all is looked through until nothing is left.
const resealPasses = 3

// ErrOtherKeys means that somebody goes on writing as another key has it.
var ErrOtherKeys = errors.New("store: others go on writing with another key: have every askbridge read its keys again, and repeat this")

// Reseal writes anew what another key than the first has sealed, or what stands in clear and
// should not, so that the other keys can be given up. What stands as it should is left alone,
// so running it again goes on where it was interrupted. Redis may be in use meanwhile. When
// nothing is left, and no [Writer] has another key first, it forgets the other keys; else it
// returns [ErrOtherKeys]. Progress, which may be nil, is told now and then.
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

// pass looks at everything once.
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

// forgetOthers takes away the marks of all keys but the first.
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
