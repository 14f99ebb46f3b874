package redis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
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

// swapAttempt is one attempt to replace a version by another.
type swapAttempt struct {
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
func (r *records) swap(ctx context.Context, s *swapAttempt) (verdict, *codec.Entry, error) {
	if err := r.conn.ready(ctx); err != nil {
		return "", nil, err
	}
	a, err := r.swapArgs(s)
	if err != nil {
		return "", nil, err
	}
	reply, copies, err := r.conn.run(ctx, swapScript, a.keys, a.args)
	if err != nil {
		return "", nil, err
	}
	return r.handleReply(ctx, s, a, reply, copies)
}

// swapArgs are the arguments of the script for one swap.
type swapArgs struct {
	keys  []string
	args  []any
	value string
	// silent means that nothing is published, since no other bridge listens.
	silent bool
}

func (r *records) swapArgs(s *swapAttempt) (a swapArgs, err error) {
	id := s.next.Rec.ID
	var expires int64
	if a.value, expires, err = r.format.pack(s.next); err != nil {
		return a, err
	}
	maxError := imprecision
	if s.exact {
		maxError = math.MaxInt64
	}
	var channel, mac string
	channel, a.silent = r.notifier.channel()
	ends := s.old.Rec.EndedAt.IsZero() && !s.next.Rec.EndedAt.IsZero()
	if ends && channel != "" && len(a.value) <= maxPublished {
		mac = r.notifier.mac(id, a.value)
	}
	a.keys = r.keys.both(id)
	a.args = append([]any{
		id, s.old.Token(), a.value, expires, channel,
		int64(s.now), int64(maxError), int64(codec.MicrosOf(s.old.Rec.Deadline)), int64(codec.MicrosOf(s.old.Rec.Due)),
		r.notifier.times(&s.next.Rec), mac,
	}, indexArgs(s.was, &s.next.Rec)...)
	return a, nil
}

// handleReply handles the reply of the script.
func (r *records) handleReply(ctx context.Context, s *swapAttempt, a swapArgs, reply []string, copies int64) (verdict, *codec.Entry, error) {
	id := s.next.Rec.ID
	word, at, found, err := parseSwap(reply)
	if err != nil {
		return "", nil, err
	}
	if at != 0 {
		r.conn.clock.learn(at)
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
			r.notifier.notifyLocal(ctx, s.next)
		case len(reply) > 3:
			r.notifier.notePublished(s.next.Rec.Notify(), caught(reply[3]))
		default:
			r.notifier.notePublished(s.next.Rec.Notify(), nil)
		}
		return stored, s.next, r.conn.replicated(copies)
	case gone:
		return gone, nil, r.missing(id)
	case conflict:
		r.recent.forget(id)
		e, err := r.decode(id, found)
		return conflict, e, err
	case clock:
		return clock, s.old, nil
	default:
		return "", nil, fmt.Errorf("swap replied %q", reply)
	}
}

// parseSwap returns the verdict of the script, the server's time and the stored value; zero and empty if the
// script did not return them.
func parseSwap(reply []string) (word verdict, at codec.Micros, found string, err error) {
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

// indexArgs returns the arguments of swap.lua for the index: whether to remove the record, and scores and
// members to add. A delivered record keeps its delivery-due member until the next claim, which saves
// a command per request.
func indexArgs(was, next *record.Record) []any {
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
	previous, _ := tenantPlaceOf(was)
	if at, in := tenantPlaceOf(next); in && at != previous {
		puts = append(puts, at, tenantMember(next.ID))
	}
	return append([]any{drop}, puts...)
}

// insert stores e unless its ID exists, and returns the stored record, with [storage.ErrExists] if it is
// another one. stale means that the index may contain a member that is not of that record. The function
// with adds commands to the round trip.
func (r *records) insert(ctx context.Context, e *codec.Entry, with func(goredis.Pipeliner)) (current *codec.Entry, stale bool, err error) {
	if err := r.conn.ready(ctx); err != nil {
		return e, false, err
	}
	id := e.Rec.ID
	value, expires, err := r.format.pack(e)
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
	channel, silent := r.notifier.channel()
	var (
		added, published *goredis.IntCmd
		reply            *goredis.Cmd
	)
	copies, err := r.conn.together(ctx, r.keys.record(id), func(pipe goredis.Pipeliner) {
		if added = nil; len(members) > 0 {
			added = pipe.ZAddNX(ctx, r.keys.index(id), members...)
		}
		reply = pipe.Do(ctx, set...)
		if channel != "" {
			published = pipe.Publish(ctx, channel, r.notifier.message(e))
		}
		with(pipe)
	})
	if err != nil && (added != nil && added.Err() != nil || reply.Err() != nil && !errors.Is(reply.Err(), goredis.Nil)) {
		return e, false, err
	}
	found, err := reply.Text()
	if err != nil && !errors.Is(err, goredis.Nil) {
		return e, false, r.conn.classify(err)
	}
	if err == nil && found != value {
		if current, err = r.decode(id, found); err != nil {
			return e, false, err
		}
		indexed := index.Due.Moment(&e.Rec) != 0 || index.Ended.Moment(&e.Rec) != 0
		return current, indexed && added.Val() == int64(len(members)), storage.ErrExists
	}
	r.recent.put(e)
	if silent {
		r.notifier.notifyLocal(ctx, e)
	} else {
		r.notifier.notePublished(e.Rec.Notify(), published.Err())
	}
	return e, added != nil && added.Val() < int64(len(members)), r.conn.replicated(copies)
}

// decides reports whether the server must check the time of a swap: if it ends a record or changes its due
// time, if its deadline or due time is near, and if the estimated time may be wrong. Other swaps, such
// as the report that a card was posted, save reading the clock.
func (r *records) decides(old, next *record.Record, now codec.Micros) bool {
	switch {
	case r.conn.clock.certain() == 0, index.Ended.Moment(old) != index.Ended.Moment(next), index.Due.Moment(old) != index.Due.Moment(next):
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
