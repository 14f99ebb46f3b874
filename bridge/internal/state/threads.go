package state

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
)

// Threads remembers which requests a message in a thread can answer, and which request a
// message has answered.
type Threads struct {
	Store storage.Threads
	Log   *slog.Logger
}

const (
	// ThreadLife is how long requests without a deadline are remembered: the longest
	// deadline.
	ThreadLife = ask.MaxExpiresIn
	// threadGrace is how long a thread is remembered after the deadline.
	threadGrace = time.Hour
)

// Thread returns the key of the replies to a message, or of the whole channel if it names
// none.
func Thread(at platform.MessageRef) string {
	in := at.Platform
	if at.Installation != "" {
		in += "@" + at.Installation
	}
	return in + "/" + at.Channel + "/" + at.Message
}

// ThreadsOf returns the keys under which a message can answer a card: replies to it,
// messages in its thread, and any message in a direct conversation.
func ThreadsOf(c record.Copy, direct bool) []string {
	at := c.Ref
	if at == (platform.MessageRef{}) {
		return nil
	}
	all, within := []string{Thread(at)}, at
	switch in := c.Target.Thread; {
	case direct, c.Target.User != "", in != "" && in == at.Channel:
		within.Message = ""
	case in != "":
		within.Message = in
	default: // If threads are channels, a thread started from the card has the card's ID.
		within.Channel, within.Message = at.Message, ""
	}
	return append(all, Thread(within))
}

// Note remembers the cards that an attempt has posted for an open request.
func (t *Threads) Note(ctx context.Context, r *record.Record, results []record.Result, direct func(ask.Place) bool) error {
	if !r.Replies.On() || !r.Open() {
		return nil
	}
	life := ThreadLife
	if !r.Deadline.IsZero() {
		life = max(time.Until(r.Deadline), 0)
	}
	var errs []error
	for n, c := range r.Copies {
		var refs []platform.MessageRef
		if n < len(results) {
			refs = record.PostedRefs(results[n])
		}
		if c.Adopted {
			refs = append(refs, c.Ref)
		}
		for _, ref := range refs {
			for _, thread := range ThreadsOf(record.Copy{Target: c.Target, Ref: ref}, direct(c.Target)) {
				errs = append(errs, t.Store.Put(ctx, thread, r.ID, life+threadGrace))
			}
		}
	}
	return errors.Join(errs...)
}

// Forget removes an ended request. If it fails, the entries expire.
func (t *Threads) Forget(ctx context.Context, r *record.Record, direct func(ask.Place) bool) {
	if !r.Replies.On() || r.Open() {
		return
	}
	for _, c := range r.Copies {
		for _, thread := range ThreadsOf(c, direct(c.Target)) {
			if err := t.Store.Remove(ctx, thread, r.ID); err != nil {
				t.Log.Warn("thread not forgotten", "request_id", r.ID, "error", err)
			}
		}
	}
}
