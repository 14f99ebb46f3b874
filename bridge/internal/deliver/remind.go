package deliver

import (
	"context"
	"errors"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// remind posts a reply below a card, once. If doubted, another replica may have posted it
// before it crashed, so it searches first; if the search can never succeed, or the request has
// ended, it posts nothing.
func (ps *Posts) remind(ctx context.Context, r *record.Record, c record.Copy, doubted bool) (result record.Result) {
	done := record.Announced{After: c.Said, Steps: c.Saying}
	p, ok := ps.Platforms.Named[c.Target.Platform].(platform.Reminder)
	if !ok {
		return done
	}
	name := c.Target.Platform
	since := record.BelowSince(r, c)
	chat := ps.Platforms.Named[name]
	steps, _ := record.Below(r, c, c.Saying)
	posted := func(ref platform.MessageRef) record.Result {
		if len(steps) > 0 {
			done.Reminder = ref
		}
		return done
	}
	sought := func() record.Result {
		found, err := p.Reminded(ctx, c.Target, c.Ref, done.Steps, since)
		if pe, ok := errors.AsType[*platform.Error](err); ok && temporary(pe.Kind) {
			f, _ := ps.failed(chat, c, err).(record.Failure)
			return record.NotAnnounced{Failure: f, Steps: done.Steps, Doubted: true}
		}
		if found != (platform.MessageRef{}) || err != nil || !r.Open() {
			return posted(found)
		}
		return nil
	}
	if doubted {
		if result := sought(); result != nil {
			return result
		}
	}
	var ref platform.MessageRef
	err := state.Protect(ps.Log, func() error {
		card := ps.Cards.below(r, chat, c)
		return ps.call(ps.Platforms.Breakers[name], opReply, r, c.Target, true, func() (err error) {
			ref, err = p.Remind(ctx, c.Target, c.Ref, card, done.Steps)
			return err
		})
	})
	pe := &platform.Error{Kind: platform.Refused}
	errors.As(err, &pe)
	switch {
	case err == nil:
		ps.Log.Info("reply posted below a card", "request_id", r.ID, "platform", name, "steps", done.Steps)
		return posted(ref)
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

// closeReminder edits a reminder of an ended request so that it says how the request ended.
func (ps *Posts) closeReminder(ctx context.Context, r *record.Record, m record.Reminder) *record.ReminderEdit {
	name := m.Ref.Platform
	edit := &record.ReminderEdit{Ref: m.Ref}
	p, ok := ps.Platforms.Named[name]
	if !ok {
		return edit
	}
	err := state.Protect(ps.Log, func() error {
		s := ps.Cards.Subject(r, p, record.Copy{Target: m.To})
		card := reminder(s, []ask.Person{}, m.Replies(r), p.Limits())
		return ps.call(ps.Platforms.Breakers[name], opUpdate, r, m.To, true, func() error { return p.Update(ctx, m.Ref, card) })
	})
	pe := &platform.Error{Kind: platform.Refused}
	switch errors.As(err, &pe); {
	case err == nil:
	case temporary(pe.Kind), pe.Kind == platform.Misconfigured:
		f, _ := ps.failed(p, record.Copy{Target: m.To, Ref: m.Ref}, err).(record.Failure)
		edit.Failed = &f
	default:
		ps.Log.Warn("edit of a reminder refused", "request_id", r.ID, "platform", name, "error", err)
	}
	return edit
}

// below lays out the reply below a card: a reminder, the agent's replies, or both.
func (cs *Cards) below(r *record.Record, p platform.Platform, c record.Copy) render.Card {
	s, notify := cs.Subject(r, p, c), named(record.BelowRecipients(r, c))
	steps, replies := record.Below(r, c, c.Saying)
	if len(steps) > 0 {
		return reminder(s, notify, replies, p.Limits())
	}
	s.Notify, s.AskedBack = notify, askedBack(replies)
	return render.Replies(s, p.Limits())
}

// reminder lays out a reminder, with the agent's replies that were announced in the same message.
func reminder(s render.Subject, notify []ask.Person, replies []record.AskedBack, l render.Limits) render.Card {
	s.Notify, s.AskedBack = notify, askedBack(replies)
	card := render.Reminder(s, l)
	if len(replies) > 0 {
		card.Sections = slices.Concat(card.Sections[:2], render.Replies(s, l).Sections[1:])
	}
	return card
}

func askedBack(all []record.AskedBack) []ask.AskedBack {
	var out []ask.AskedBack
	for _, asked := range all {
		out = append(out, asked.AskedBack)
	}
	return out
}
