package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/platform"
)

// rescueBudget is how long what people did is tried again that could not be stored.
const rescueBudget = 2 * time.Minute

// rescue goes on trying to store an act for a person who has been told so.
func (pp *people) rescue(i platform.Interaction, a record.Act, resp platform.Responder) {
	say := func(n platform.Note) {
		ctx, cancel := context.WithTimeoutCause(context.Background(), clickBudget, errors.New("platform too slow for a note"))
		defer cancel()
		if err := resp.ReplyEphemeral(ctx, n); err != nil {
			pp.log.Warn("note not delivered", "request_id", i.Token.Request, "person", i.Person.Key(), "error", err)
		}
	}
	if pp.background.again(func(ctx context.Context) bool {
		r, known, result, err := pp.judgeKnown(ctx, i, a)
		a = known
		switch {
		case errors.Is(err, ErrNotFound):
			say(pp.unknown(i))
		case errors.Is(err, errUnchecked):
			w := pp.wordsFor(i, r)
			say(note(w, w.Note.Unchecked))
		case err != nil:
			return false
		default:
			say(pp.rescued(ctx, i, r, a, result))
		}
		return true
	}) {
		return
	}
	w := pp.wordsFor(i, &Record{})
	say(note(w, w.Note.TryAgain))
}

// rescued brings cards up to date with an act that was stored late, where no reply draws them any
// more, and returns what to tell the person.
func (pp *people) rescued(ctx context.Context, i platform.Interaction, r *Record, a record.Act, result record.Decision) platform.Note {
	if result.Verdict == record.Elsewhere {
		pp.stray(i, r)
	}
	if pp.platforms.redraws(r, a, result.Verdict) {
		r = pp.markStale(ctx, r, i.Message)
	}
	pp.spread(r)
	w := pp.wordsFor(i, r)
	if result.Verdict.Counts() || result.Verdict == record.Stale {
		return note(w, w.Note.Rescued)
	}
	return sayDecision(w, r, a, result)
}

// again tries what the store was away for until it is done, and reports whether that was in the
// time there is for it.
func (b *background) again(try func(ctx context.Context) (done bool)) bool {
	ctx, cancel := context.WithTimeoutCause(b.ctx, rescueBudget, errors.New("store away for too long"))
	defer cancel()
	for n := 0; ; n++ {
		if wait.For(ctx, backoff(min(n, 3))) != nil {
			return false
		}
		tight, cancel := context.WithTimeoutCause(ctx, sweepBudget, errors.New("store too slow for a click"))
		done := try(tight)
		cancel()
		if done {
			return true
		}
	}
}
