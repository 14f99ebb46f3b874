package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

// Threads remembers which requests messages can answer, by where those are written; which
// requests a message has answered, and when it was changed. It only helps to find them:
// whether a request is open, and whose it is to answer, its record says. [keyvalue.Threads]
// keeps them beside the records of every store.
//
// [keyvalue.Threads]: https://pkg.go.dev/github.com/askbridge/askbridge/store/keyvalue#Threads
type Threads interface {
	// Put remembers a request for a thread, for so long at most.
	Put(ctx context.Context, thread, request string, life time.Duration) error
	// Of returns the requests that were put for a thread.
	Of(ctx context.Context, thread string) ([]string, error)
	// Remove forgets one of them. It is no error if there is none.
	Remove(ctx context.Context, thread, request string) error
}

// threads are what a bridge notes there: where cards stand that messages can answer, and
// which requests a message has answered.
type threads struct {
	store Threads
	log   *slog.Logger
}

const (
	// threadLife is how long a request without a deadline is found; as long as the
	// longest deadline.
	threadLife = ask.MaxExpiresIn
	// threadGrace is how much longer a thread is remembered than the request lives.
	threadGrace = time.Hour
)

// thread names what messages have in common that reply to one message, or are written in
// one conversation where the message is empty.
func thread(platform, channel, message string) string {
	return platform + "/" + channel + "/" + message
}

// threadsOf are the threads in which messages can mean the card of a copy: replies to the
// card, what else is written in its thread, and whatever is in a conversation with one
// person.
func threadsOf(c Copy, direct bool) []string {
	at := c.Ref
	if at == (platform.MessageRef{}) {
		return nil
	}
	all := []string{thread(at.Platform, at.Channel, at.Message)}
	switch in := c.Target.Thread; {
	case direct, c.Target.User != "", in != "" && in == at.Channel:
		all = append(all, thread(at.Platform, at.Channel, ""))
	case in != "":
		all = append(all, thread(at.Platform, at.Channel, in))
	default: // Where threads are channels, one that is opened from the card has the card's id.
		all = append(all, thread(at.Platform, at.Message, ""))
	}
	return all
}

// note remembers the cards of an open request that an attempt has put in front of people.
func (t *threads) note(ctx context.Context, r *Record, results []record.Result, direct func(ask.Place) bool) error {
	if !r.Replies.On() || !r.Open() {
		return nil
	}
	life := threadLife
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
			for _, thread := range threadsOf(Copy{Target: c.Target, Ref: ref}, direct(c.Target)) {
				errs = append(errs, t.store.Put(ctx, thread, r.ID, life+threadGrace))
			}
		}
	}
	return errors.Join(errs...)
}

// forget removes what is remembered of a request that has ended. What stays behind is
// found in vain, until its time is over.
func (t *threads) forget(ctx context.Context, r *Record, direct func(ask.Place) bool) {
	if !r.Replies.On() || r.Open() {
		return
	}
	for _, c := range r.Copies {
		for _, thread := range threadsOf(c, direct(c.Target)) {
			if err := t.store.Remove(ctx, thread, r.ID); err != nil {
				t.log.Warn("thread not forgotten", "request_id", r.ID, "error", err)
			}
		}
	}
}

// replies is what messages can answer of a request: as it says itself, within what its
// route and its token say.
func (in *intake) replies(req *ask.Request, route Route, voting *record.Voting, to []ask.Place) (ask.Replies, error) {
	replies := req.Replies.Under(req.Token.Replies).Under(route.Replies).Normal()
	if !replies.On() {
		return ask.Replies{}, nil
	}
	if voting != nil && voting.Rule.Show != ask.ShowLive {
		// Everybody would read what nobody is to see.
		if req.Replies.On() {
			return replies, invalid("replies.mode", ask.ErrReplies, "votes that are not shown live cannot be typed where others read them")
		}
		return ask.Replies{}, nil
	}
	if problems := in.platforms.checkHearing("replies", in.opts.Threads, to); len(problems) > 0 {
		return replies, &ask.InvalidError{Problems: problems}
	}
	return replies, nil
}

// checkHearing returns why messages at some of these places would not be heard.
func (ps *platforms) checkHearing(path string, store Threads, to []ask.Place) []ask.Problem {
	if store == nil {
		return []ask.Problem{problem(path, ask.ErrReplies, "this bridge does not remember threads, so it would not know which request a message answers")}
	}
	var names []string
	var problems []ask.Problem
	for _, target := range to {
		p, ok := ps.named[target.Platform]
		if !ok || slices.Contains(names, target.Platform) {
			continue
		}
		names = append(names, target.Platform)
		why := errors.New("typed messages do not arrive from there")
		if h, able := p.(platform.Hearer); able {
			why = h.Hears()
		}
		if why != nil {
			problems = append(problems, problem(path, ask.ErrReplies, fmt.Sprintf("%s: %v", target.Platform, why)))
		}
	}
	return problems
}

// threadOf is where a message is written, as [threadsOf] has it.
func threadOf(i platform.Interaction) string {
	return thread(cmp.Or(i.Message.Platform, i.Person.Platform), i.Message.Channel, i.Said.To)
}
