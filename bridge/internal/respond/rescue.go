package respond

import (
	"context"
	"errors"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
)

// rescue retries an act that could not be stored, after a note to the person.
func (pp *Handler) rescue(i platform.Interaction, a record.Act, resp platform.Responder) {
	say := func(n platform.Note) {
		ctx, cancel := context.WithTimeoutCause(context.Background(), clickBudget, errors.New("platform too slow for a note"))
		defer cancel()
		if err := resp.ReplyEphemeral(ctx, n); err != nil {
			pp.Log.Warn("note not delivered", "request_id", i.Token.Request, "person", i.Person.Key(), "error", err)
		}
	}
	if pp.Background.Retry(func(ctx context.Context) bool {
		r, known, result, err := pp.judgeKnown(ctx, i, a)
		a = known
		switch {
		case errors.Is(err, storage.ErrNotFound):
			say(pp.unknown(i))
		case errors.Is(err, errUnchecked):
			w := wordsFor(pp.Language, i, r)
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
	w := wordsFor(pp.Language, i, &record.Record{})
	say(note(w, w.Note.TryAgain))
}

// rescued updates cards after an act was stored late, since no reply draws them, and
// returns the note to the person.
func (pp *Handler) rescued(ctx context.Context, i platform.Interaction, r *record.Record, a record.Act, result record.Decision) platform.Note {
	if result.Verdict == record.Elsewhere {
		pp.stray(i, r)
	}
	if pp.Lookup.redraws(r, a, result.Verdict) {
		r = pp.markStale(ctx, r, i.Message)
	}
	pp.Publish(r)
	w := wordsFor(pp.Language, i, r)
	if result.Verdict.Counts() || result.Verdict == record.Stale {
		return note(w, w.Note.Rescued)
	}
	return sayDecision(pp.Cards, w, r, a, result)
}
