package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Recipients returns the people and groups that the first message of a copy notifies, given
// [Record.Audience]: those of its platform, and in a direct message only its addressee.
func Recipients(r *Record, c Copy) []string {
	var who []string
	switch {
	case c.Step > 0 && r.Schedule != nil:
		who = r.Schedule.Steps[c.Step-1].Who
	case r.Audience != nil:
		who = r.Audience.Who
	}
	return slices.DeleteFunc(slices.Clone(who), func(entry string) bool { return !c.canNotify(entry) })
}

// NamesRecipients reports whether the request defines the [Recipients] of a copy.
func NamesRecipients(r *Record, c Copy) bool { return r.Audience != nil || c.Step > 0 }

// Notified returns the [Recipients] that the copy has notified. A reposted card counts as the first
// one.
func Notified(r *Record, c Copy) []string {
	if c.Quiet || c.Adopted || c.State != Posted && c.State != Lost {
		return nil
	}
	return slices.DeleteFunc(Recipients(r, c), func(entry string) bool {
		return slices.ContainsFunc(c.Missed, func(m Missed) bool { return m.Who == entry })
	})
}

// Unnotified returns the recipients that the nth copy could not notify. For the first copy it includes
// those that no copy can reach.
func Unnotified(r *Record, n int) []Missed {
	if r.Audience == nil {
		return nil
	}
	var all []Missed
	c := r.Copies[n]
	if c.Quiet {
		for _, who := range Recipients(r, c) {
			all = append(all, Missed{Who: who, Why: "an earlier card may have notified them"})
		}
	}
	all = append(all, c.Missed...)
	if n > 0 {
		return all
	}
	for _, word := range r.Audience.Unknown {
		why := "unknown: the caller's token names no requester"
		if isRota(word) {
			why = "no one was on call when the request was made"
		}
		all = append(all, Missed{Who: word, Why: why})
	}
	for _, who := range r.Audience.Who {
		if !slices.ContainsFunc(r.Copies, func(c Copy) bool { return slices.Contains(Recipients(r, c), who) }) {
			all = append(all, Missed{Who: who, Why: "no card of the request can notify them"})
		}
	}
	return all
}

// NotifiedSince reports whether a message of the request at or after a time has notified someone, given by their account and groups.
func NotifiedSince(r *Record, who ask.Responder, since time.Time) bool {
	theirs := func(entry string) bool { return entry == who.Key() || slices.Contains(who.Groups, entry) }
	var steps []Step
	if r.Schedule != nil {
		steps = r.Schedule.Steps[:r.Schedule.Done]
	}
	for _, c := range r.Copies {
		if c.Ref == (MessageRef{}) {
			continue
		}
		named := c.sentTo(who.Person) || slices.ContainsFunc(Notified(r, c), theirs) || !NamesRecipients(r, c) && slices.Contains(Named(r), who.Key())
		if named && !c.Quiet && !postedAt(r, c).Before(since) {
			return true
		}
		for n, step := range steps {
			if !step.At.Before(since) && announcedBelow(r, n, c) && (c.sentTo(who.Person) || slices.ContainsFunc(step.Who, theirs)) {
				return true
			}
		}
	}
	return false
}

// PostedSince reports whether a card of the request was posted at a place at or after a time.
func PostedSince(r *Record, at ask.Place, since time.Time) bool {
	return slices.ContainsFunc(r.Copies, func(c Copy) bool {
		return c.Ref != (MessageRef{}) && !c.Adopted && !c.Reposted && c.Within(at) && !postedAt(r, c).Before(since)
	})
}

// Within reports whether a copy is in a channel, or in a thread of it.
func (c Copy) Within(at ask.Place) bool {
	t := c.Target
	return t.Platform == at.Platform && t.Channel == at.Channel && at.Channel != "" && (at.Thread == "" || t.Thread == at.Thread) &&
		(t.Installation == at.Installation || t.Installation == "" || at.Installation == "")
}

// postedAt is when a copy was due to be posted first.
func postedAt(r *Record, c Copy) time.Time {
	if c.Step > 0 && r.Schedule != nil {
		return r.Schedule.Steps[c.Step-1].At
	}
	return r.Created
}
