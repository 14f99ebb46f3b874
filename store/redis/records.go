package redis

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
)

// records reads and writes single records.
type records struct {
	conn     *conn
	keys     keys
	format   format
	notifier *notifier
	recent   *recent
	turns    turns
	journal  journal
}

func (r *records) load(ctx context.Context, id string) (*codec.Entry, error) {
	if err := r.conn.ready(ctx); err != nil {
		return nil, err
	}
	return r.decodeReply(id, r.conn.client.Get(ctx, r.keys.record(id)))
}

// decodeReply decodes the reply to a GET of a record.
func (r *records) decodeReply(id string, reply *goredis.StringCmd) (*codec.Entry, error) {
	value, err := reply.Result()
	switch {
	case errors.Is(err, goredis.Nil):
		return nil, r.missing(id)
	case err != nil:
		return nil, r.conn.classify(err)
	}
	return r.decode(id, value)
}

// decode decodes and caches the value of a record.
func (r *records) decode(id, value string) (*codec.Entry, error) {
	e, err := r.format.unpack(id, value)
	if err == nil {
		r.recent.put(e)
	}
	return e, err
}

// missing returns the error for a record that does not exist.
func (r *records) missing(id string) error {
	e := r.recent.get(id)
	r.recent.forget(id)
	if e != nil && e.Rec.Open() {
		return ask.ErrGone
	}
	return storage.ErrNotFound
}

// change runs a transition and stores its result. See [Store.Change].
func (r *records) change(ctx context.Context, id string, f record.Transition) (record.Record, error) {
	defer r.turns.take(ctx, id)()
	e := r.recent.get(id)
	known := e != nil
	var err error
	if !known {
		if e, err = r.current(ctx, id); err != nil {
			return record.Record{}, err
		}
	}
	fresh, exact := !known, false
	for {
		now, err := r.conn.now(ctx)
		if err != nil {
			return record.Record{}, err
		}
		next, refused := e.Apply(f, now.Time())
		if refused != nil && fresh {
			return e.Rec.Clone(), codec.Refuse(refused)
		}
		if refused != nil {
			// There is no swap to detect that the cached record or the estimated time
			// is out of date.
			if e, err = r.current(ctx, id); err != nil {
				return record.Record{}, err
			}
			fresh = true
			continue
		}
		if next.Write = nonce(); !r.decides(&e.Rec, &next.Rec, now) {
			now = 0
		}
		s := &swapAttempt{old: e, was: &e.Rec, next: next, now: now, exact: exact}
		verdict, current, err := r.swap(ctx, s)
		switch {
		case verdict == stored:
			r.journal.add(write{swapAttempt: s})
			return next.Rec.Clone(), err
		case err != nil:
			return record.Record{}, err
		case verdict == conflict:
			e, fresh = current, true
		}
		exact = verdict == clock
	}
}

// current loads a record and the server's time. If there is no record it removes its index members.
func (r *records) current(ctx context.Context, id string) (*codec.Entry, error) {
	if err := r.conn.ready(ctx); err != nil {
		return nil, err
	}
	var (
		clock *goredis.TimeCmd
		value *goredis.StringCmd
	)
	_, err := r.conn.client.Pipelined(ctx, func(pipe goredis.Pipeliner) error {
		clock, value = pipe.Time(ctx), pipe.Get(ctx, r.keys.record(id))
		return nil
	})
	if err != nil && !errors.Is(err, goredis.Nil) {
		return nil, r.conn.classify(err)
	}
	r.conn.clock.learn(codec.MicrosOf(clock.Val()))
	e, err := r.decodeReply(id, value)
	if errors.Is(err, storage.ErrNotFound) {
		if failed := forgetScript.Run(ctx, r.conn.client, r.keys.both(id), id).Err(); failed != nil {
			err = r.conn.classify(failed)
		}
	}
	return e, err
}

// reindex corrects the index members of a stored record after insert found or wrote members that are not
// its own: those of an earlier record, or of inserted, which was not stored. A concurrent change of the
// record has the same effect. It returns err, the error of insert, unless it fails itself.
func (r *records) reindex(ctx context.Context, current, inserted *codec.Entry, err error) error {
	again := &codec.Entry{Rec: current.Rec, Extra: current.Extra, Write: nonce()}
	s := &swapAttempt{old: current, next: again}
	if current.Write != inserted.Write {
		was := current.Rec
		was.Due, was.EndedAt = inserted.Rec.Due, inserted.Rec.EndedAt
		s.was = &was
	}
	verdict, _, failed := r.swap(ctx, s)
	if verdict == stored {
		r.journal.add(write{swapAttempt: s})
	}
	if verdict != conflict && verdict != gone && failed != nil {
		return failed
	}
	return err
}

// nonce returns an identifier of a write. It can be guessable.
func nonce() string {
	return strconv.FormatUint(rand.Uint64()>>16, 36) //nolint:gosec // Not a secret.
}
