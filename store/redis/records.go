package redis

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/index"
)

// verdict is the first word of the swap script's reply.
type verdict string

const (
	stored   verdict = "ok"
	conflict verdict = "conflict"
	gone     verdict = "gone"
	clock    verdict = "clock"
)

// swapping is one attempt to replace a version by another.
type swapping struct {
	old, next *codec.Entry
	// was is the record as the index has it; nil for none.
	was *record.Record
	// now is the time of the transition; zero if it does not matter.
	now codec.Micros
	// exact means that now was just read from the server, so its error is the latency.
	exact bool
}

// swap stores s.next, and returns the stored record if it is another one. The error of a stored record
// matches [storage.ErrNotReplicated].
func (r *Store) swap(ctx context.Context, s *swapping) (verdict, *codec.Entry, error) {
	if err := r.open(ctx); err != nil {
		return "", nil, err
	}
	a, err := r.swapArgs(s)
	if err != nil {
		return "", nil, err
	}
	reply, copies, err := r.run(ctx, swapScript, a.keys, a.args)
	if err != nil {
		return "", nil, err
	}
	return r.swapped(ctx, s, a, reply, copies)
}

// swapArgs are the arguments of the script for one swap.
type swapArgs struct {
	keys  []string
	args  []any
	value string
	// silent means that nothing is published, since no other bridge listens.
	silent bool
}

func (r *Store) swapArgs(s *swapping) (a swapArgs, err error) {
	id := s.next.Rec.ID
	var expires int64
	if a.value, expires, err = r.pack(s.next); err != nil {
		return a, err
	}
	off := imprecision
	if s.exact {
		off = math.MaxInt64
	}
	var channel, code string
	channel, a.silent = r.channel()
	ends := s.old.Rec.EndedAt.IsZero() && !s.next.Rec.EndedAt.IsZero()
	if ends && channel != "" && len(a.value) <= mostPublished {
		code = r.code(id, a.value)
	}
	a.keys = r.keys.both(id)
	a.args = append([]any{
		id, s.old.Token(), a.value, expires, channel,
		int64(s.now), int64(off), int64(codec.MicrosOf(s.old.Rec.Deadline)), int64(codec.MicrosOf(s.old.Rec.Due)),
		r.moments(&s.next.Rec), code,
	}, placing(s.was, &s.next.Rec)...)
	return a, nil
}

// swapped handles the reply of the script.
func (r *Store) swapped(ctx context.Context, s *swapping, a swapArgs, reply []string, copies int64) (verdict, *codec.Entry, error) {
	id := s.next.Rec.ID
	word, at, found, err := readSwap(reply)
	if err != nil {
		return "", nil, err
	}
	if at != 0 {
		r.server.learn(at)
	}
	if found == a.value {
		// The reply to our write was lost, and the client sent it again.
		word = stored
	}
	switch word {
	case stored:
		r.recent.put(s.next)
		switch {
		case a.silent:
			r.notifyLocal(ctx, s.next)
		case len(reply) > 3:
			r.published(s.next.Rec.Notify(), caught(reply[3]))
		default:
			r.published(s.next.Rec.Notify(), nil)
		}
		return stored, s.next, r.replicated(copies)
	case gone:
		return gone, nil, r.missing(id)
	case conflict:
		r.recent.forget(id)
		e, err := r.seen(id, found)
		return conflict, e, err
	case clock:
		return clock, s.old, nil
	default:
		return "", nil, fmt.Errorf("swap replied %q", reply)
	}
}

func readSwap(reply []string) (word verdict, at codec.Micros, found string, err error) {
	if len(reply) < 2 {
		return "", 0, "", fmt.Errorf("swap replied %q", reply)
	}
	n, err := strconv.ParseInt(reply[1], 10, 64)
	if err != nil {
		return "", 0, "", fmt.Errorf("swap replied %q", reply)
	}
	if len(reply) > 2 {
		found = reply[2]
	}
	return verdict(reply[0]), codec.Micros(n), found, nil
}

// placing returns the arguments of swap.lua for the index: whether to remove the record, and scores and
// members to add. A delivered record keeps its delivery-due member until the next claim, which saves
// a command per request.
func placing(was, next *record.Record) []any {
	var before [index.Kinds]codec.Micros
	if was != nil {
		for i := range index.Kinds {
			before[i] = i.Moment(was)
		}
	}
	drop, puts := 0, []any{}
	for i := range index.Kinds {
		at := i.Moment(next)
		switch {
		case at == before[i]:
		case at != 0:
			puts = append(puts, scoreOf(i, at), memberOf(i, next.ID))
		case i != index.DeliveryDue && next.Due.IsZero() && next.EndedAt.IsZero():
			drop = 1
		}
	}
	stood, _ := tenantPlaceOf(was)
	if at, in := tenantPlaceOf(next); in && at != stood {
		puts = append(puts, at, tenantMember(next.ID))
	}
	return append([]any{drop}, puts...)
}

// insert stores e unless its ID exists, and returns the stored record, with [storage.ErrExists] if it is
// another one. odd means that the index may contain a member that is not of that record.
func (r *Store) insert(ctx context.Context, e *codec.Entry) (there *codec.Entry, odd bool, err error) {
	if err := r.open(ctx); err != nil {
		return e, false, err
	}
	id := e.Rec.ID
	value, expires, err := r.pack(e)
	if err != nil {
		return e, false, err
	}
	set := []any{"SET", r.keys.record(id), value, "NX", "GET"}
	if expires != 0 {
		set = append(set, "PXAT", expires)
	}
	var members []goredis.Z
	for i := range index.Kinds {
		if at := i.Moment(&e.Rec); at != 0 {
			members = append(members, goredis.Z{Score: float64(scoreOf(i, at)), Member: memberOf(i, id)})
		}
	}
	if at, in := tenantPlaceOf(&e.Rec); in {
		members = append(members, goredis.Z{Score: float64(at), Member: tenantMember(id)})
	}
	channel, silent := r.channel()
	var (
		added, published *goredis.IntCmd
		reply            *goredis.Cmd
	)
	along := r.later.take()
	r.workOut(along)
	copies, err := r.together(ctx, r.keys.record(id), func(pipe goredis.Pipeliner) {
		if added = nil; len(members) > 0 {
			added = pipe.ZAddNX(ctx, r.keys.index(id), members...)
		}
		reply = pipe.Do(ctx, set...)
		if channel != "" {
			published = pipe.Publish(ctx, channel, r.message(e))
		}
		sendAll(ctx, pipe, along)
	})
	r.arrive(along)
	if err != nil && (added != nil && added.Err() != nil || reply.Err() != nil && !errors.Is(reply.Err(), goredis.Nil)) {
		return e, false, err
	}
	found, err := reply.Text()
	if err != nil && !errors.Is(err, goredis.Nil) {
		return e, false, r.unavailable(err)
	}
	if err == nil && found != value {
		if there, err = r.seen(id, found); err != nil {
			return e, false, err
		}
		alive := index.Due.Moment(&e.Rec) != 0 || index.Ended.Moment(&e.Rec) != 0
		return there, alive && added.Val() == int64(len(members)), storage.ErrExists
	}
	r.recent.put(e)
	if silent {
		r.notifyLocal(ctx, e)
	} else {
		r.published(e.Rec.Notify(), published.Err())
	}
	return e, added != nil && added.Val() < int64(len(members)), r.replicated(copies)
}

// pack returns the stored value of e, which swap.lua documents, and its expiry in milliseconds. The expiry
// is zero while the record is open or a delivery is due.
func (r *Store) pack(e *codec.Entry) (value string, expires int64, err error) {
	lags := 0
	switch {
	case !e.Rec.DeliveryDue.IsZero():
		lags = 1
	case !e.Rec.EndedAt.IsZero():
		expires = e.Rec.EndedAt.Add(r.layout.Retention).UnixMilli()
	}
	buf := packing.Get().(*bytes.Buffer)
	defer packing.Put(buf)
	buf.Reset()
	_, _ = fmt.Fprintf(buf, "%s %d %d ", e.Token(), lags, expires) // A buffer takes everything.
	if err := r.form.EncodeTo(buf, e); err != nil {
		return "", 0, err
	}
	return buf.String(), expires, nil
}

// packing is a pool of buffers for encoding values.
var packing = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// unpack decodes a stored value.
func (r *Store) unpack(id, value string) (*codec.Entry, error) {
	words := strings.SplitN(value, " ", 4)
	if len(words) < 4 {
		return nil, errors.New("decode record: it has no token")
	}
	e, err := r.form.Decode(id, []byte(words[3]))
	if err != nil {
		return nil, err
	}
	_, e.Write, _ = strings.Cut(words[0], ".")
	return e, nil
}

// decides reports whether the server must check the time of a swap: if it ends a record or changes its due
// time, if its deadline or due time is near, and if the estimated time may be wrong. Other swaps, such
// as the report that a card was posted, save reading the clock.
func (r *Store) decides(old, next *record.Record, now codec.Micros) bool {
	switch {
	case r.server.certain() == 0, index.Ended.Moment(old) != index.Ended.Moment(next), index.Due.Moment(old) != index.Due.Moment(next):
		return true
	case !old.EndedAt.IsZero():
		return false
	}
	for _, t := range []time.Time{old.Deadline, old.Due} {
		if m := codec.MicrosOf(t); m != 0 && max(m-now, now-m) <= near {
			return true
		}
	}
	return false
}
