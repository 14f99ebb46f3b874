package keyvalue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
)

// Numbers stores the last number of equal requests. It implements [storage.Numbers] on any [Store]. The name
// of a content includes a keyed hash of its tenant:
//
//	number//<content>
type Numbers struct{ Store Store }

const numberKind = "number"

func numberKey(content string) Key { return Key{Kind: numberKind, ID: content} }

func decodeNumber(e Entry) (int, error) {
	number, err := strconv.Atoi(string(e.Value))
	if err != nil {
		return 0, fmt.Errorf("keyvalue: decode number of %s: %w", e.Key.ID, err)
	}
	return number, nil
}

// Number implements [storage.Numbers].
func (k Numbers) Number(ctx context.Context, content string) (int, error) {
	e, err := k.Store.Get(ctx, numberKey(content))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return decodeNumber(e)
}

// Note implements [storage.Numbers].
func (k Numbers) Note(ctx context.Context, content string, number int, life time.Duration) error {
	_, err := Update(ctx, k.Store, numberKey(content), func(old Entry) ([]byte, time.Duration, error) {
		if old.Version != "" {
			switch noted, err := decodeNumber(old); {
			case err != nil:
				return nil, 0, err
			case noted >= number:
				return nil, 0, errKept
			}
		}
		return []byte(strconv.Itoa(number)), life, nil
	})
	if errors.Is(err, errKept) {
		return nil
	}
	return stored(err)
}

var _ storage.Numbers = Numbers{}
