package redis

import (
	"context"
	"errors"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
)

// Keys returns the encryption keys of the store; nil for none.
func (r *Store) Keys() *seal.Keys { return r.format.form.Keys }

// Reseal encrypts a record with the first key. It returns [storage.ErrUnchanged] if it already is. Bridges
// can use the record in the meantime.
func (r *Store) Reseal(ctx context.Context, id string) error {
	return codec.Error("reseal", id, r.reseal(ctx, id))
}

func (r *Store) reseal(ctx context.Context, id string) error {
	for {
		if err := r.conn.ready(ctx); err != nil {
			return err
		}
		value, err := r.conn.client.Get(ctx, r.keys.record(id)).Result()
		switch {
		case errors.Is(err, goredis.Nil):
			return storage.ErrNotFound
		case err != nil:
			return r.conn.classify(err)
		}
		old, err := r.format.unpack(id, value)
		if err != nil {
			return err
		}
		if key, err := codec.KeyOf([]byte(strings.SplitN(value, " ", 4)[3])); err != nil || key == r.format.form.First() {
			return codec.Refuse(storage.ErrUnchanged)
		}
		next := &codec.Entry{Rec: old.Rec, Extra: old.Extra, Write: nonce()}
		// The index does not change, and the time does not matter.
		word, _, err := r.records.swap(ctx, &swapAttempt{old: old, was: &old.Rec, next: next})
		if word != conflict {
			return err
		}
	}
}

// ResealValue is [Store.Reseal] for a value. The value gets a new version.
func (r *Store) ResealValue(ctx context.Context, k keyvalue.Key) error {
	return codec.ValueError("reseal", k, r.resealValue(ctx, k))
}

func (r *Store) resealValue(ctx context.Context, k keyvalue.Key) error {
	v := r.values()
	for {
		if err := errors.Join(k.Validate(), r.conn.ready(ctx)); err != nil {
			return err
		}
		data, err := r.conn.client.Get(ctx, r.keys.value(k)[0]).Result()
		switch {
		case errors.Is(err, goredis.Nil):
			return storage.ErrNotFound
		case err != nil:
			return r.conn.classify(err)
		}
		stored, err := codec.DecodeValue(k, []byte(data))
		if err != nil {
			return err
		}
		if r.format.form.KeyOfValue(stored.Value) == r.format.form.First() {
			return storage.ErrUnchanged
		}
		value, err := r.format.form.OpenValue(k, stored.Value)
		if err != nil {
			return err
		}
		o := keyvalue.PutOptions{If: stored.Version}
		if !stored.Expires.IsZero() {
			now, err := r.conn.now(ctx)
			if err != nil {
				return err
			}
			o.TTL = max(stored.Expires.Sub(now.Time()), time.Millisecond)
		}
		if _, err := v.put(ctx, k, value, o); !errors.Is(err, keyvalue.ErrConflict) {
			return err
		}
	}
}
