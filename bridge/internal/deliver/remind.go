package deliver

import (
	"context"
	"errors"
	"slices"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// remind posts a reply below a card, once. If doubted, another replica may have posted it
// before it crashed, so it searches first; if the search can never succeed, it posts
// nothing.
func (ps *Posts) remind(ctx context.Context, r *record.Record, c record.Copy, doubted bool) (result record.Result) {
	done := record.Announced{Steps: c.Saying}
	p, ok := ps.Platforms.Named[c.Target.Platform].(platform.Reminder)
	if !ok {
		return done
	}
	name := c.Target.Platform
	since := record.BelowSince(r, c)
	chat := ps.Platforms.Named[name]
	sought := func() record.Result {
		found, err := p.Reminded(ctx, c.Target, c.Ref, done.Steps, since)
		if pe, ok := errors.AsType[*platform.Error](err); ok && temporary(pe.Kind) {
			f, _ := ps.failed(chat, c, err).(record.Failure)
			return record.NotAnnounced{Failure: f, Steps: done.Steps, Doubted: true}
		}
		if found || err != nil {
			return done
		}
		return nil
	}
	if doubted {
		if result := sought(); result != nil {
			return result
		}
	}
	err := state.Protect(ps.Log, func() error {
		card := ps.Cards.below(r, chat, c)
		return ps.call(ps.Platforms.Breakers[name], opReply, r, c.Target, true, func() error { return p.Remind(ctx, c.Target, c.Ref, card, done.Steps) })
	})
	pe := &platform.Error{Kind: platform.Refused}
	errors.As(err, &pe)
	switch {
	case err == nil:
		ps.Log.Info("reply posted below a card", "request_id", r.ID, "platform", name, "steps", done.Steps)
		return done
	case pe.Kind == platform.Ambiguous:
		if result := sought(); result != nil {
			return result
		}
	case !temporary(pe.Kind):
		ps.Log.Warn("reply below a card refused", "request_id", r.ID, "platform", name, "steps", done.Steps, "error", err)
		return done
	}
	f, _ := ps.failed(chat, c, err).(record.Failure)
	return record.NotAnnounced{Failure: f, Steps: done.Steps}
}

// below lays out the reply below a card: a reminder, the agent's replies, or both.
func (cs *Cards) below(r *record.Record, p platform.Platform, c record.Copy) render.Card {
	s := cs.Subject(r, p, c)
	s.Notify, s.AskedBack = named(record.BelowRecipients(r, c)), nil
	steps, replies := record.Below(r, c, c.Saying)
	for _, asked := range replies {
		s.AskedBack = append(s.AskedBack, asked.AskedBack)
	}
	switch {
	case len(replies) == 0:
		return render.Reminder(s, p.Limits())
	case len(steps) == 0:
		return render.Replies(s, p.Limits())
	}
	card := render.Reminder(s, p.Limits())
	card.Sections = slices.Concat(card.Sections[:2], render.Replies(s, p.Limits()).Sections[1:])
	return card
}
