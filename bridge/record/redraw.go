package record

import (
	"slices"
	"time"
)

// adopt adds a card that was unknown because the reply to its post was lost. That is possible only
// where a card is missing, or a lost reply was recorded; any other message is not a card of this
// request. It reports whether the record changed.
func adopt(r *Record, a Act, now time.Time) bool {
	ref := a.Message
	if r.Copies.Knows(ref) {
		return false
	}
	at := -1
	for n, c := range r.Copies {
		missing := c.Ref == (MessageRef{}) && c.State != Undeliverable
		same := c.Target.Channel == ref.Channel || c.Target.Thread == ref.Channel || c.Ref.Channel == ref.Channel ||
			c.Target.User != "" && c.Target.User == a.By.ID
		there := same && (ref.Installation == "" || c.Target.Installation == ref.Installation)
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
		lease(r, now)
	}
	if c := &r.Copies[at]; c.Ref == (MessageRef{}) && c.State != Lost {
		found.Adopted, found.Ambiguous, found.Reposted, found.Step, found.Said, found.Saying = false, c.Ambiguous, c.Reposted, c.Step, c.Said, c.Saying
		*c = found
	} else {
		r.Copies = append(r.Copies, found)
	}
	return true
}

// MarkDrawing records that the reply to an act that changes nothing is about to draw the card of the
// open request: it turns a page, or refuses the act.
func (r *Record) MarkDrawing(at MessageRef, now time.Time) error {
	if markDrawing(r, at, now) {
		return nil
	}
	return ErrUnchanged
}

// markDrawing records that a reply is about to draw the card of the open request, and reports whether
// there is such a card: see [Copy.Changing].
func markDrawing(r *Record, at MessageRef, now time.Time) bool {
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

// MarkNotDrawn records that the reply to an act did not draw the card after all. It adds a revision,
// because the report that an older revision was drawn may arrive later.
func (r *Record) MarkNotDrawn(at MessageRef, now time.Time) error {
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
	lease(r, now)
	return nil
}

// redrawAll makes every card of the open request stale.
func redrawAll(r *Record, now time.Time) {
	r.Revision++
	resetBackoff(r)
	for n := range r.Copies {
		r.Copies[n].Changing = now
	}
}

// redrawOthers makes every card stale except the used one, if the reply to the act draws it.
func redrawOthers(r *Record, used MessageRef, redraws bool, now time.Time) {
	redrawAll(r, now)
	for n := range r.Copies {
		c := &r.Copies[n]
		if redraws && c.Ref == used && used != (MessageRef{}) && c.Rendered == r.Revision-1 {
			c.Rendered = r.Revision
		}
	}
	leaseIfBehind(r, now)
}

// redrawPlatform makes every card of the act's platform stale, because its people share a draft,
// except the used one, if the reply to the act draws it. Other platforms do not show the draft.
func redrawPlatform(r *Record, a Act, redraws bool, now time.Time) {
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
	leaseIfBehind(r, now)
}

// resetBackoff retries long-postponed updates at once, because there is more to show.
func resetBackoff(r *Record) {
	if r.Attempts < soonAttempts {
		return
	}
	r.Attempts = 0
	for n := range r.Copies {
		if c := &r.Copies[n]; c.State == Posted {
			c.RetryAt = time.Time{}
		}
	}
}

// RedrawsCard reports whether the reply to an act should draw its card, if the platform can: the act
// changed it, or the verdict suggests that the card is outdated. An up-to-date card would not offer
// that control, or only a useless one.
func RedrawsCard(r *Record, a Act, v Verdict) bool {
	switch v {
	case Recorded:
		return r.Voting == nil
	case Forbidden:
		return Successor(r, a.By).ID != ""
	case Stale, Late, Closed, Outdated, Decided, Unheld, Unvoted, Final:
		return true
	}
	return v.Counts()
}

// afterlife is how long a card may show old controls after the end or a revision before that counts
// as a failed update: acts and updates cross on their way.
const afterlife = 3 * time.Second

// redrawOutdated makes a card stale if it offered a control that it should not have had for long: its
// update was lost, or it was given up and can be drawn again, as in a thread that was unlocked. If the
// reply to the act draws the card, that is enough. It reports whether the record changed.
func redrawOutdated(r *Record, a Act, m DraftMode, now time.Time) bool {
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
			c.State, c.Rendered = Posted, 0
			lease(r, now)
			return true
		}
	}
	return false
}
