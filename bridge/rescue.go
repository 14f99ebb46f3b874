package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/wait"
)

// rescueBudget is how long an act that could not be stored is tried again.
const rescueBudget = 2 * time.Minute

// rescue goes on trying to store an act for a person who has been told so.
func (pp *people) rescue(i Interaction, a record.Act, resp Responder) {
	ctx, cancel := context.WithTimeoutCause(pp.background.ctx, rescueBudget, errors.New("store away for too long"))
	defer cancel()
	say := func(n Note) {
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), clickBudget, errors.New("platform too slow for a note"))
		defer cancel()
		if err := resp.ReplyEphemeral(ctx, n); err != nil {
			pp.log.Warn("note not delivered", "request_id", i.Token.Request, "person", i.Person.Key(), "error", err)
		}
	}
	for n := 0; ; n++ {
		_ = wait.For(ctx, backoff(min(n, 3)))
		if ctx.Err() != nil {
			w := pp.wordsFor(i, &Record{})
			say(note(w, w.Note.TryAgain))
			return
		}
		tight, cancel := context.WithTimeoutCause(ctx, sweepBudget, errors.New("store too slow for a click"))
		r, known, result, err := pp.judgeKnown(tight, i, a)
		cancel()
		a = known
		switch {
		case errors.Is(err, ErrNotFound):
			say(pp.unknown(i))
			return
		case errors.Is(err, errUnchecked):
			w := pp.wordsFor(i, r)
			say(note(w, w.Note.Unchecked))
			return
		case err != nil:
			continue
		}
		if pp.platforms.redraws(r, a, result.Verdict) {
			r = pp.markStale(ctx, r, i.Message) // No reply draws it any more.
		}
		pp.spread(r)
		w := pp.wordsFor(i, r)
		if result.Verdict.Counts() || result.Verdict == record.Stale {
			say(note(w, w.Note.Rescued))
		} else {
			say(sayDecision(w, r, a, result))
		}
		return
	}
}
