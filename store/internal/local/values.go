package local

import (
	"context"
	"errors"
	"strconv"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// ValueTable is the part of a [Table] for values, ordered by key and by expiry.
type ValueTable interface {
	// GetValue returns the value of a key; nil for none.
	GetValue(key string) []byte
	// PutValue stores a value with an expiry, and replaces the one that expires at was; 0 is never.
	PutValue(key string, data []byte, was, expires codec.Micros) error
	// DropValue removes the value that expires at was.
	DropValue(key string, was codec.Micros) error
	// WalkValues calls see for the values at and after a key, in order, until it returns false. see
	// must not change the table.
	WalkValues(from string, see func(key string, data []byte) bool)
	// WalkExpiries calls see for the values that expire, soonest first, until it returns false.
	WalkExpiries(see func(at codec.Micros, key string) bool)
	// NextVersion returns a number that it has not returned before.
	NextVersion() (uint64, error)
}

// values implements [keyvalue.Store] on any table.
type values struct{ o Options }

// KeyValue returns the key-value store in the same table. It is closed with the store.
func (l *Store) KeyValue() keyvalue.Store { return &values{l.o} }

// Get implements [keyvalue.Store].
func (v *values) Get(ctx context.Context, k keyvalue.Key) (e keyvalue.Entry, err error) {
	if err = k.Validate(); err == nil {
		err = do(ctx, v.o.View, func(t Table) (err error) {
			e, err = v.get(t, k)
			return err
		})
	}
	return e, codec.ValueError("get", k, err)
}

// Put implements [keyvalue.Store].
func (v *values) Put(ctx context.Context, k keyvalue.Key, value []byte, o *keyvalue.PutOptions) (e keyvalue.Entry, err error) {
	if o == nil {
		o = &keyvalue.PutOptions{}
	}
	if err = keyvalue.CheckPut(k, value, *o); err == nil {
		err = do(ctx, v.o.Update, func(t Table) (err error) {
			e, err = v.put(t, k, value, *o)
			return err
		})
	}
	return e, codec.ValueError("put", k, err)
}

// Delete implements [keyvalue.Store].
func (v *values) Delete(ctx context.Context, k keyvalue.Key, version string) error {
	err := k.Validate()
	if err == nil {
		err = do(ctx, v.o.Update, func(t Table) error {
			old, err := v.get(t, k)
			switch {
			case err != nil:
				return err
			case version != "" && version != old.Version:
				return keyvalue.ErrConflict
			}
			return t.DropValue(k.String(), codec.MicrosOf(old.Expires))
		})
	}
	return codec.ValueError("delete", k, err)
}

// List implements [keyvalue.Store].
func (v *values) List(ctx context.Context, r keyvalue.Range) (found []keyvalue.Entry, err error) {
	first, behind, after, err := r.Bounds()
	if err == nil {
		err = do(ctx, v.o.View, func(t Table) (err error) {
			found, err = v.list(t, first, behind, after, r.Limit)
			return err
		})
	}
	return found, codec.ValueError("list", keyvalue.Key{}, err)
}

func (v *values) now() codec.Micros { return codec.MicrosOf(v.o.Now()) }

// get returns the value of a key unless it has expired.
func (v *values) get(t ValueTable, k keyvalue.Key) (keyvalue.Entry, error) {
	data := t.GetValue(k.String())
	if data == nil {
		return keyvalue.Entry{}, storage.ErrNotFound
	}
	e, err := v.o.Form.DecodeValue(k, data)
	if err == nil && v.over(e, v.now()) {
		return keyvalue.Entry{}, storage.ErrNotFound
	}
	return e, err
}

// over reports whether an entry has expired.
func (v *values) over(e keyvalue.Entry, now codec.Micros) bool {
	at := codec.MicrosOf(e.Expires)
	return at != 0 && at <= now
}

// put also removes expired values, so that their number is limited.
func (v *values) put(t ValueTable, k keyvalue.Key, value []byte, o keyvalue.PutOptions) (keyvalue.Entry, error) {
	now := v.now()
	if err := v.purge(t, now); err != nil {
		return keyvalue.Entry{}, err
	}
	old, err := v.get(t, k)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return keyvalue.Entry{}, err
	}
	if o.If == keyvalue.Absent && old.Version != "" || o.If != "" && o.If != keyvalue.Absent && o.If != old.Version {
		return old, keyvalue.ErrConflict
	}
	n, err := t.NextVersion()
	if err != nil {
		return keyvalue.Entry{}, err
	}
	next := keyvalue.Entry{Key: k, Value: value, Version: strconv.FormatUint(n, 36)}
	if o.TTL > 0 {
		next.Expires = (now + codec.Micros(o.TTL.Microseconds())).Time()
	}
	data, err := v.o.Form.EncodeValue(next)
	if err != nil {
		return keyvalue.Entry{}, err
	}
	return next, t.PutValue(k.String(), data, codec.MicrosOf(old.Expires), codec.MicrosOf(next.Expires))
}

// purge removes expired values.
func (v *values) purge(t ValueTable, now codec.Micros) error {
	type expired struct {
		at  codec.Micros
		key string
	}
	var gone []expired
	t.WalkExpiries(func(at codec.Micros, key string) bool {
		if at > now {
			return false
		}
		gone = append(gone, expired{at, key})
		return true
	})
	for _, e := range gone {
		if err := t.DropValue(e.key, e.at); err != nil {
			return err
		}
	}
	return nil
}

func (v *values) list(t ValueTable, first, behind, after string, limit int) (found []keyvalue.Entry, err error) {
	now := v.now()
	t.WalkValues(max(first, after), func(key string, data []byte) bool {
		if key >= behind {
			return false
		}
		if key == after {
			return true
		}
		k, bad := keyvalue.ParseKey(key)
		var e keyvalue.Entry
		if bad == nil {
			e, bad = v.o.Form.DecodeValue(k, data)
		}
		if bad != nil {
			err = bad
			return false
		}
		if !v.over(e, now) {
			found = append(found, e)
		}
		return len(found) < limit
	})
	return found, err
}
