package local

import (
	"context"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/index"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
)

// Keys returns the encryption keys of the store; nil for none.
func (l *Store) Keys() *seal.Keys { return l.o.Form.Keys }

// Reseal encrypts a record with the first key. It returns [storage.ErrUnchanged] if it already is.
func (l *Store) Reseal(ctx context.Context, id string) error {
	err := do(ctx, l.o.Update, func(t Table) error {
		e, row, err := l.load(t, id)
		if err != nil {
			return err
		}
		if key, err := codec.KeyOf(row.Data); err != nil || key == l.o.Form.First() {
			return codec.Refuse(storage.ErrUnchanged)
		}
		data, err := l.o.Form.Encode(e)
		if err != nil {
			return err
		}
		return t.Put(id, e.Rec.Tenant, row, index.Row{Data: data, At: row.At})
	})
	return codec.Error("reseal", id, err)
}

// ResealValue is [Store.Reseal] for a value.
func (l *Store) ResealValue(ctx context.Context, k keyvalue.Key) error {
	v := &values{l.o}
	err := do(ctx, l.o.Update, func(t Table) error {
		e, err := v.get(t, k)
		if err != nil {
			return err
		}
		stored, err := codec.DecodeValue(k, t.GetValue(k.String()))
		if err != nil {
			return err
		}
		if v.o.Form.KeyOfValue(stored.Value) == v.o.Form.First() {
			return storage.ErrUnchanged
		}
		data, err := v.o.Form.EncodeValue(e)
		if err != nil {
			return err
		}
		return t.PutValue(k.String(), data, codec.MicrosOf(e.Expires), codec.MicrosOf(e.Expires))
	})
	return codec.ValueError("reseal", k, err)
}
