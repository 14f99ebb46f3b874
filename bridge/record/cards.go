package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// At returns the copy that stands at ref; for one that the record does not know,
// a copy of which nothing is known but the platform.
func (r *Record) At(ref MessageRef) Copy {
	for _, c := range r.Copies {
		if c.Ref == ref && ref != (MessageRef{}) {
			return c
		}
	}
	return Copy{Target: ask.Place{Platform: ref.Platform}}
}

// Knows reports whether the record knows the card, or the platform does not say
// which one was used.
func (r *Record) Knows(ref MessageRef) bool {
	return ref == (MessageRef{}) || slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.Ref == ref })
}

// Adopt takes note of a card that we did not know of: its post was accepted and
// the reply lost. That can only be where a card is missing, or a lost reply has
// been noted; any other message in front of people is not ours to take for a
// card. It reports whether the record changed.
func (r *Record) Adopt(a Act, now time.Time) bool {
	ref := a.Message
	if r.Knows(ref) {
		return false
	}
	at := -1
	for n, c := range r.Copies {
		missing := c.Ref == (MessageRef{}) && c.State != Undeliverable
		there := c.Target.Channel == ref.Channel || c.Target.Thread == ref.Channel || c.Ref.Channel == ref.Channel ||
			c.Target.User != "" && c.Target.User == a.By.ID
		if c.Target.Platform == ref.Platform && there && (missing || c.Ambiguous) {
			at = n
		}
	}
	if at < 0 {
		return false
	}
	found := Copy{Target: r.Copies[at].Target, State: Posted, Ref: ref, Adopted: true}
	if r.Open() {
		found.Rendered = r.Revision
	} else {
		r.DeliveryDue = now.Add(r.lease())
	}
	if c := &r.Copies[at]; c.Ref == (MessageRef{}) && c.State != Lost {
		found.Adopted, found.Ambiguous, found.Reposted, found.Step, found.Said, found.Saying = false, c.Ambiguous, c.Reposted, c.Step, c.Said, c.Saying
		*c = found
	} else {
		r.Copies = append(r.Copies, found)
	}
	return true
}

// Touch takes note of the card that was used, and does what is due, see
// [Record.Tick].
func (r *Record) Touch(a Act, m DraftMode, now time.Time) error {
	changed := r.Adopt(a, now)
	if r.Tick(now) != nil {
		changed = r.misdrawn(a, m, now) || changed
	} else {
		changed = true
	}
	if changed {
		return nil
	}
	return ErrUnchanged
}

// Drawing takes note that the reply to an act which changes nothing begins now to draw the
// card of the open request anew: that it turns a page of it, or was refused.
func (r *Record) Drawing(at MessageRef, now time.Time) error {
	if r.redrawing(at, now) {
		return nil
	}
	return ErrUnchanged
}

// NotDrawn takes note that the reply to an act did not draw the card after all. It takes a
// revision of its own: that an older one was drawn may be noted only after this.
func (r *Record) NotDrawn(at MessageRef, now time.Time) error {
	known := func(c Copy) bool { return c.Ref == at && at != (MessageRef{}) }
	if !slices.ContainsFunc(r.Copies, known) {
		return ErrUnchanged
	}
	r.Revision++
	for n := range r.Copies {
		switch c := &r.Copies[n]; {
		case known(*c):
			c.Rendered = 0
		case c.Rendered == r.Revision-1:
			c.Rendered = r.Revision
		}
	}
	r.DeliveryDue = now.Add(r.lease())
	return nil
}

// anew makes every card of the open request stale, which somebody begins to draw now.
func (r *Record) anew(now time.Time) {
	r.Revision++
	r.afresh()
	for n := range r.Copies {
		r.Copies[n].Changing = now
	}
}

// Redrawn reports whether the reply to an act draws its card, where the platform can: the act
// has changed it, or was refused and tells that it may not be drawn as the request stands. On
// a card that is, there is no such control, or it is of no use.
func (r *Record) Redrawn(a Act, v Verdict) bool {
	switch v {
	case Recorded:
		return r.Voting == nil
	case Forbidden:
		return r.PassedOn(a.By).ID != ""
	case Stale, Late, Closed, Outdated, Decided, Unheld, Unvoted, Final:
		return true
	}
	return v.Counts()
}

// redrawing takes note that the reply to an act begins now to draw the card of the open
// request as it stands, and reports whether there is such a card: see [Copy.Changing].
func (r *Record) redrawing(at MessageRef, now time.Time) bool {
	if !r.Open() || at == (MessageRef{}) {
		return false
	}
	n := slices.IndexFunc(r.Copies, func(c Copy) bool { return c.Ref == at })
	if n < 0 {
		return false
	}
	r.Copies[n].Changing = now
	return true
}

// show makes every card of the platform stale, whose people share the draft, but
// for the one that the reply to the act draws anew. Other platforms do not show
// it.
func (r *Record) show(a Act, redraws bool, now time.Time) {
	r.Revision++
	for n := range r.Copies {
		c := &r.Copies[n]
		drawn := redraws && c.Ref == a.Message && c.Ref != (MessageRef{})
		if elsewhere := c.Target.Platform != a.By.Platform; c.Rendered == r.Revision-1 && (drawn || elsewhere) {
			c.Rendered = r.Revision
		}
		if c.Target.Platform == a.By.Platform {
			c.Changing = now
		}
	}
	r.lag(now)
}

// afterlife is how long a card may show its controls after the end, or those of what was
// revised, without anything being wrong: acts and updates cross on their way.
const afterlife = 3 * time.Second

// misdrawn makes a card stale by a control that it should not have had for long: its
// update was lost on the way, or the card of a request that has ended was given up and can
// be drawn again, as in a thread that was unlocked. Where the reply to the act draws the
// card, that is enough. It reports whether the record changed.
func (r *Record) misdrawn(a Act, m DraftMode, now time.Time) bool {
	since := r.EndedAt
	switch {
	case a.Message == (MessageRef{}), a.Said != (MessageRef{}):
		return false
	case r.Open() && a.Action.Revised == r.Revised:
		return false
	case r.Open():
		since = r.RevisedAt
	}
	if now.Before(since.Add(afterlife)) {
		return false
	}
	for n := range r.Copies {
		c := &r.Copies[n]
		drawn := c.State == Posted && c.Rendered == r.Revision && !m.Redraws
		if c.Ref == a.Message && (drawn || c.State == Lost && !r.Open()) {
			c.State, c.Rendered, r.DeliveryDue = Posted, 0, now.Add(r.lease())
			return true
		}
	}
	return false
}
