package digest

import (
	"context"
	"errors"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/inbox"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// refresh removes from a message what waits no longer. The edit notifies no one.
func (d *Digests) refresh(ctx context.Context, h *held) error {
	m := &h.Current
	var left []string
	for _, id := range m.Shown {
		r, err := d.Records.Store.Load(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
		case err != nil:
			return err
		case waits(&r, h.place, m.Who):
			left = append(left, id)
		}
	}
	if len(left) == len(m.Shown) {
		if len(h.Old) == 0 {
			return nil
		}
		if err := d.claim(ctx, h); err != nil {
			return err
		}
		return d.clean(ctx, h)
	}
	if err := d.claim(ctx, h); err != nil {
		return err
	}
	was := m.Shown
	m.Shown = left
	card, err := d.card(ctx, h.place, m)
	if err == nil {
		err = d.call(h.place, true, func(platform.Digester) error {
			return d.Platforms.Named[h.place.Platform].Update(ctx, m.Ref, card)
		})
	}
	switch pe, refused := errors.AsType[*platform.Error](err); {
	case err == nil:
	case again(err) || !refused:
		m.Shown = was
	case pe.Kind == platform.Gone:
		h.Current = message{}
	default:
		m.Shown = nil // It stays as it is.
	}
	return errors.Join(err, d.clean(ctx, h))
}

// waits reports whether a request still waits for a person, or in a channel.
func waits(r *record.Record, at ask.Place, who ask.Responder) bool {
	if at.User == "" {
		return inChannel(r, at)
	}
	return record.Waits(r, who, who.Installation)
}

// card lays out a message as of now.
func (d *Digests) card(ctx context.Context, at ask.Place, m *message) (render.Card, error) {
	v := render.DigestView{ID: m.id(), Language: d.Language, Channel: at.User == "", At: m.At, Total: len(m.Shown) + m.More}
	for _, id := range m.Shown[:min(len(m.Shown), render.DigestItems)] {
		r, err := d.Deadlines.Load(ctx, id)
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		if err != nil {
			return render.Card{}, err
		}
		item := render.DigestItem{Title: inbox.Title(&r), Agent: r.Agent, Deadline: r.Deadline}
		if c, ok := cardOf(&r, at, m.Who); ok {
			item.Link = d.Platforms.Permalink(ctx, c.Target, c.Ref)
		}
		v.Items = append(v.Items, item)
	}
	return render.Digest(v), nil
}

// cardOf returns the card to which a digest leads.
func cardOf(r *record.Record, at ask.Place, who ask.Responder) (record.Copy, bool) {
	if at.User != "" {
		return record.InboxCopy(r, who.Person, who.Installation)
	}
	for _, c := range r.Copies {
		if c.State == record.Posted && c.Within(at) {
			return c, true
		}
	}
	return record.Copy{}, false
}
