package record

import (
	"slices"
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
