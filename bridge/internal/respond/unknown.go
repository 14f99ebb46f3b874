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

// unknown is what to tell somebody who used a control of a request that the
// store does not have. The card is closed if it is ours; another bridge may look
// after it if it is not.
func (pp *Handler) unknown(i platform.Interaction) platform.Note {
	ours := pp.Marks.Wrote(i.Token)
	w := pp.wordsFor(i, &record.Record{})
	pp.Log.Warn("act on an unknown request", "request_id", i.Token.Request, "person", i.Person.Key(), "ours", ours)
	if !ours {
		return note(w, w.Note.Foreign)
	}
	pp.close(i, words.In(pp.Language).End.Unknown)
	return note(w, w.Note.Unknown)
}

// stray takes the controls off a card of ours that its record does not know, as that of a
// replica that died before anybody noted where it stands. While a card is being posted it may
// be that one, where the platform asks a person in another place than theirs.
func (pp *Handler) stray(i platform.Interaction, r *record.Record) {
	if slices.ContainsFunc(r.Copies, func(c record.Copy) bool { return c.Target.Platform == i.Message.Platform && record.Unposted(r, c) }) {
		return
	}
	if pp.Marks.Wrote(i.Token) {
		pp.close(i, words.In(pp.Language).End.Elsewhere)
	}
}

// close takes the controls off a card that has no record, and says why.
func (pp *Handler) close(i platform.Interaction, why string) {
	p, ok := pp.Platforms.Named[i.Person.Platform]
	if !ok || i.Message == (platform.MessageRef{}) {
		return
	}
	pp.Background.Go(func() {
		ctx, cancel := context.WithTimeoutCause(context.Background(), state.StoreTimeout, errors.New("platform too slow for an update"))
		defer cancel()
		s := render.Subject{
			Language: pp.Language, ID: i.Token.Request, Policy: ask.PolicyOf(ask.Anyone),
			Outcome: ask.Outcome{State: ask.Failed, Reason: why},
		}
		if err := p.Update(ctx, i.Message, render.Layout(s, p.Limits())); err != nil {
			pp.Log.Warn("card without a record not closed", "request_id", i.Token.Request, "error", err)
		}
	})
}
