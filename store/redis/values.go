package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// values implements [keyvalue.Store].
type values struct {
	conn *conn
	keys keys
	form codec.Form
}

var _ keyvalue.Store = values{}

// KeyValue returns the key-value store with the same prefix. It is closed with the store.
func (r *Store) KeyValue() keyvalue.Store { return r.values() }

func (r *Store) values() values { return values{conn: r.conn, keys: r.keys, form: r.format.form} }

// Get implements [keyvalue.Store] in one round trip.
func (v values) Get(ctx context.Context, k keyvalue.Key) (keyvalue.Entry, error) {
	e, err := v.get(ctx, k)
	return e, codec.ValueError("get", k, err)
}

func (v values) get(ctx context.Context, k keyvalue.Key) (keyvalue.Entry, error) {
	if err := errors.Join(k.Validate(), v.conn.ready(ctx)); err != nil {
		return keyvalue.Entry{}, err
	}
	data, err := v.conn.client.Get(ctx, v.keys.value(k)[0]).Result()
	switch {
	case errors.Is(err, goredis.Nil):
		return keyvalue.Entry{}, storage.ErrNotFound
	case err != nil:
		return keyvalue.Entry{}, v.conn.classify(err)
	}
	return v.form.DecodeValue(k, []byte(data))
}

// Put implements [keyvalue.Store] in one round trip.
func (v values) Put(ctx context.Context, k keyvalue.Key, value []byte, o *keyvalue.PutOptions) (keyvalue.Entry, error) {
	if o == nil {
		o = &keyvalue.PutOptions{}
	}
	err := errors.Join(keyvalue.CheckPut(k, value, *o), v.conn.ready(ctx))
	var e keyvalue.Entry
	if err == nil {
		e, err = v.put(ctx, k, value, *o)
	}
	return e, codec.ValueError("put", k, err)
}

func (v values) put(ctx context.Context, k keyvalue.Key, value []byte, o keyvalue.PutOptions) (keyvalue.Entry, error) {
	version := nonce()
	data, err := v.form.SealValue(k, value)
	if err != nil {
		return keyvalue.Entry{}, err
	}
	reply, copies, err := v.conn.run(ctx, putScript, v.keys.value(k), []any{k.String(), o.If, version, o.TTL.Milliseconds(), data})
	if err != nil {
		return keyvalue.Entry{}, err
	}
	if len(reply) != 2 {
		return keyvalue.Entry{}, fmt.Errorf("put replied %q", reply)
	}
	switch word, text := reply[0], reply[1]; {
	case word == "conflict" && text == "":
		return keyvalue.Entry{}, keyvalue.ErrConflict
	case word == "conflict":
		e, err := v.form.DecodeValue(k, []byte(text))
		if err == nil {
			err = keyvalue.ErrConflict
		}
		return e, err
	default:
		expires, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return keyvalue.Entry{}, fmt.Errorf("put replied %q", reply)
		}
		e := keyvalue.Entry{Key: k, Value: value, Version: version, Expires: codec.Micros(expires).Time()}
		return e, v.conn.replicated(copies)
	}
}

// Delete implements [keyvalue.Store] in one round trip.
func (v values) Delete(ctx context.Context, k keyvalue.Key, version string) error {
	err := errors.Join(k.Validate(), v.conn.ready(ctx))
	if err == nil {
		err = v.delete(ctx, k, version)
	}
	return codec.ValueError("delete", k, err)
}

func (v values) delete(ctx context.Context, k keyvalue.Key, version string) error {
	word, copies, err := v.conn.runText(ctx, deleteScript, v.keys.value(k), []any{k.String(), version})
	switch {
	case err != nil:
		return err
	case word == "gone":
		return storage.ErrNotFound
	case word == "conflict":
		return keyvalue.ErrConflict
	}
	return v.conn.replicated(copies)
}

// List implements [keyvalue.Store], in two round trips for a page.
func (v values) List(ctx context.Context, r keyvalue.Range) ([]keyvalue.Entry, error) {
	found, err := v.list(ctx, r)
	return found, codec.ValueError("list", keyvalue.Key{}, err)
}

func (v values) list(ctx context.Context, r keyvalue.Range) (found []keyvalue.Entry, err error) {
	first, behind, after, err := r.Bounds()
	if err != nil {
		return nil, err
	}
	parts := v.keys.partitions
	if r.Kind != "" {
		parts = parts[v.keys.group(r.Kind, r.Tenant):][:1]
	}
	begin := "[" + first
	if first == "" {
		begin = "-"
	}
	if after != "" && after >= first {
		begin = "(" + after
	}
	for len(found) < r.Limit {
		names, err := v.names(ctx, parts, begin, "("+behind, min(r.Limit-len(found), pageSize))
		if err != nil || len(names) == 0 {
			return found, err
		}
		begin = "(" + names[len(names)-1]
		some, err := v.load(ctx, names)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// names returns the first value names in some partitions, in order.
func (v values) names(ctx context.Context, parts []partition, begin, behind string, limit int) ([]string, error) {
	if err := v.conn.ready(ctx); err != nil {
		return nil, err
	}
	ranges := make([]*goredis.StringSliceCmd, len(parts))
	err := v.conn.pipelined(ctx, func(pipe goredis.Pipeliner) {
		for n, part := range parts {
			ranges[n] = pipe.ZRangeArgs(ctx, goredis.ZRangeArgs{Key: part.names, Start: begin, Stop: behind, ByLex: true, Count: int64(limit)})
		}
	})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, some := range ranges {
		names = append(names, some.Val()...)
	}
	slices.Sort(names)
	return names[:min(limit, len(names))], nil
}

// load returns the values of some names, in that order. It omits values that are gone and removes their
// names.
func (v values) load(ctx context.Context, names []string) ([]keyvalue.Entry, error) {
	keys := make([]keyvalue.Key, len(names))
	replies := make([]*goredis.StringCmd, len(names))
	for n, name := range names {
		var err error
		if keys[n], err = keyvalue.ParseKey(name); err != nil {
			return nil, err
		}
	}
	err := v.conn.pipelined(ctx, func(pipe goredis.Pipeliner) {
		for n, k := range keys {
			replies[n] = pipe.Get(ctx, v.keys.value(k)[0])
		}
	})
	if err != nil {
		return nil, err
	}
	var (
		found []keyvalue.Entry
		gone  []keyvalue.Key
	)
	for n, k := range keys {
		data, err := replies[n].Result()
		switch {
		case errors.Is(err, goredis.Nil):
			gone = append(gone, k)
			continue
		case err != nil:
			return nil, v.conn.classify(err)
		}
		e, err := v.form.DecodeValue(k, []byte(data))
		if err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	for _, k := range gone {
		if err := v.delete(ctx, k, keyvalue.Absent); err != nil && !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, keyvalue.ErrConflict) {
			return nil, err
		}
	}
	return found, nil
}
