package respond

import (
	"context"
	"errors"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// unknown returns the note to a person who used a control of a request that is not in
// the store. It closes the card if this bridge wrote it; otherwise another bridge may
// own it.
func (pp *Handler) unknown(i platform.Interaction) platform.Note {
	ours := pp.Marks.Wrote(i.Token)
	w := wordsFor(pp.Language, i, &record.Record{})
	pp.Log.Warn("act on an unknown request", "request_id", i.Token.Request, "person", i.Person.Key(), "ours", ours)
	if !ours {
		return note(w, w.Note.Foreign)
	}
	pp.close(i, words.In(pp.Language).End.Unknown)
	return note(w, w.Note.Unknown)
}

// stray closes a card that its record does not contain, such as one of a crashed
// replica. It does nothing while a card is being posted on that platform, because it may
// be that one, nor for a private message.
func (pp *Handler) stray(i platform.Interaction, r *record.Record) {
	if i.Private || slices.ContainsFunc(r.Copies, func(c record.Copy) bool { return c.Target.Platform == i.Message.Platform && record.Unposted(r, c) }) {
		return
	}
	if pp.Marks.Wrote(i.Token) {
		pp.close(i, words.In(pp.Language).End.Elsewhere)
	}
}

// close removes the controls of a card without a record and shows the reason.
func (pp *Handler) close(i platform.Interaction, why string) {
	p, ok := pp.Platforms.Named[i.Person.Platform]
	if !ok || i.Message == (platform.MessageRef{}) {
		return
	}
	pp.Background.Go(func() {
		ctx, cancel := context.WithTimeoutCause(context.Background(), state.StoreTimeout, errors.New("platform too slow for an update"))
		defer cancel()
		s := render.Subject{
			Language: pp.Language, ID: i.Token.Request,
			Outcome: ask.Outcome{State: ask.Failed, Reason: why},
		}
		if err := p.Update(ctx, i.Message, render.Layout(s, p.Limits())); err != nil {
			pp.Log.Warn("card without a record not closed", "request_id", i.Token.Request, "error", err)
		}
	})
}
