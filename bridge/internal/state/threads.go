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

// threads are what a bridge notes there: where cards stand that messages can answer, and
// which requests a message has answered.
type Threads struct {
	Store storage.Threads
	Log   *slog.Logger
}

const (
	// threadLife is how long a request without a deadline is found; as long as the
	// longest deadline.
	ThreadLife = ask.MaxExpiresIn
	// threadGrace is how much longer a thread is remembered than the request lives.
	threadGrace = time.Hour
)

// thread names what messages have in common that reply to one message, or are written in
// one conversation where the message is empty.
func Thread(platform, channel, message string) string {
	return platform + "/" + channel + "/" + message
}

// threadsOf are the threads in which messages can mean the card of a copy: replies to the
// card, what else is written in its thread, and whatever is in a conversation with one
// person.
func ThreadsOf(c record.Copy, direct bool) []string {
	at := c.Ref
	if at == (platform.MessageRef{}) {
		return nil
	}
	all := []string{Thread(at.Platform, at.Channel, at.Message)}
	switch in := c.Target.Thread; {
	case direct, c.Target.User != "", in != "" && in == at.Channel:
		all = append(all, Thread(at.Platform, at.Channel, ""))
	case in != "":
		all = append(all, Thread(at.Platform, at.Channel, in))
	default: // Where threads are channels, one that is opened from the card has the card's id.
		all = append(all, Thread(at.Platform, at.Message, ""))
	}
	return all
}

// note remembers the cards of an open request that an attempt has put in front of people.
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

// forget removes what is remembered of a request that has ended. What stays behind is
// found in vain, until its time is over.
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
