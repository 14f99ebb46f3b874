package inbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// noteTime is how long an inbox shows what came of the person's last act.
const noteTime = 30 * time.Second

// draw lays out what a person's inbox shows now.
func (in *Inbox) draw(ctx context.Context, v *view) (render.Card, error) {
	if err := in.feed.wait(ctx); err != nil {
		return render.Card{}, err
	}
	index, now := in.feed.index(), in.Records.Clock.Now()
	v.who, v.groups = in.LookUp(ctx, v.base, v.installation, index)
	waiting := index.Waiting(v.who, v.installation, now)
	if v.from >= len(waiting) {
		v.from = max(0, len(waiting)-1) / render.InboxPage * render.InboxPage
	}
	out := render.InboxView{
		Language: v.language, Total: len(waiting), From: v.from, Refresh: v.resp.InboxLife() == 0,
	}
	if time.Since(v.noted) < noteTime {
		out.Note, out.NoteWho = v.note.Text, v.note.Who
	}
	for _, id := range waiting[v.from:] {
		item, err := in.item(ctx, v, id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			out.Total-- // It has changed since.
			continue
		case err != nil:
			return render.Card{}, err
		}
		if out.Items = append(out.Items, item); len(out.Items) == render.InboxPage {
			break
		}
	}
	decided, passed := index.done(v.who, v.installation, now)
	out.Decided, out.Passed = lines(v, decided), lines(v, passed)
	return render.Inbox(out, in.limits(v)), nil
}

// item returns a request that waits, as it is now, or [storage.ErrNotFound].
func (in *Inbox) item(ctx context.Context, v *view, id string) (render.InboxItem, error) {
	r, err := in.Deadlines.Load(ctx, id)
	if err != nil {
		return render.InboxItem{}, err
	}
	if !record.Waits(&r, v.who, v.installation) {
		in.feed.put(in, &r) // Its notification is late or lost.
		return render.InboxItem{}, storage.ErrNotFound
	}
	c, _ := record.InboxCopy(&r, v.who.Person, v.installation)
	offer := record.OfferTo(&r, record.Act{Message: c.Ref, By: v.who})
	return render.InboxItem{
		Subject: in.Cards.Subject(&r, in.Platforms.Named[v.who.Platform], c), Pass: offer.Pass,
		Link: in.Platforms.Permalink(ctx, c.Target, c.Ref),
	}, nil
}

// lines describe requests that the person dealt with.
func lines(v *view, all []*entry) []render.InboxLine {
	var lines []render.InboxLine
	for _, e := range all[:min(len(all), render.InboxLines)] {
		line := render.InboxLine{Title: e.title, Agent: e.r.Agent, At: e.r.EndedAt, Open: e.r.Open()}
		if to := record.Successor(e.r, v.who); to.ID != "" {
			line.To = to
		} else {
			line.Chosen = chosen(words.In(v.language), e.r.Outcome)
		}
		lines = append(lines, line)
	}
	return lines
}

// chosen is how a request was decided, on one line.
func chosen(w *words.Words, o ask.Outcome) string {
	var parts []string
	for _, a := range o.Answers {
		if parts = append(parts, a.Selected...); a.Other != "" {
			parts = append(parts, a.Other)
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case o.End() == ask.EndReplied:
		return w.End.Replied
	case o.End() == ask.EndDismissed:
		return w.End.Dismissed
	}
	return w.End.Skipped
}

// LookUp completes what decides whether a person may answer: groups, of those that requests in the index name, and
// membership. It returns the groups that it looked up, too. What cannot be looked up admits no one.
func (in *Inbox) LookUp(ctx context.Context, who ask.Responder, installation string, index *Index) (known ask.Responder, groups []string) {
	p := in.Platforms.Named[who.Platform]
	if finder, ok := p.(platform.GroupFinder); ok {
		groups = index.Groups(finder.Prefixes(), installation)
		if len(groups) > 0 {
			theirs, err := finder.GroupsOf(ctx, who.Person, groups)
			if err != nil {
				in.Log.Warn("groups of a person not looked up for their inbox", "person", who.Key(), "error", err)
			}
			who.Groups = append(slices.Clip(who.Groups), theirs...)
		}
	}
	if finder, ok := p.(platform.MembershipFinder); ok && !who.Membership.Settled() {
		found, err := finder.MembershipOf(ctx, platform.Interaction{Person: who.Person, Membership: who.Membership, Message: platform.MessageRef{Platform: who.Platform, Installation: installation}})
		if err != nil {
			in.Log.Warn("membership of a person not looked up for their inbox", "person", who.Key(), "error", err)
		} else {
			who.Membership = found
		}
	}
	return who, groups
}
