package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Audience is who is told of a request, as it was known when the request was made.
type Audience struct {
	// Who are people and groups, written as in [ask.Request.Notify].
	Who []string
	// Unknown are words that stood for nobody.
	Unknown []string
}

// Called is the audience with those who are on call at a moment in place of rotas.
func (a *Audience) Called(on OnCall, at time.Time) *Audience {
	if !slices.ContainsFunc(a.Who, isRota) {
		return a
	}
	next := &Audience{Who: []string{}, Unknown: slices.Clip(a.Unknown)}
	for _, who := range Called(a.Who, on, at) {
		if isRota(who) {
			next.Unknown = append(next.Unknown, who)
			continue
		}
		next.Who = append(next.Who, who)
	}
	return next
}

// Missed is [ask.Missed].
type Missed = ask.Missed

// Tells returns whom the first message of a copy tells, with [Record.Audience]: those of
// its platform. A message to one person tells that person and can tell nobody else.
func (r *Record) Tells(c Copy) []string {
	var who []string
	switch {
	case c.Step > 0 && r.Schedule != nil:
		who = r.Schedule.Steps[c.Step-1].Who
	case r.Audience != nil:
		who = r.Audience.Who
	}
	return slices.DeleteFunc(slices.Clone(who), func(who string) bool { return !reaches(c, who) })
}

// Says reports whether the request says whom a copy tells.
func (r *Record) Says(c Copy) bool { return r.Audience != nil || c.Step > 0 }

// reaches reports whether a message at the copy's place can tell somebody: one of its
// platform, and of a message to one person that person.
func reaches(c Copy, who string) bool {
	e, _ := ask.ParseEntry(who)
	return e.Platform == c.Target.Platform && (c.Target.User == "" || e.Kind == "" && e.ID == c.Target.User)
}

// Told returns those of [Record.Tells] who have been told by the copy. A card that was
// put back stands for the first one.
func (r *Record) Told(c Copy) []string {
	if c.Quiet || c.Adopted || c.State != Posted && c.State != Lost {
		return nil
	}
	return slices.DeleteFunc(r.Tells(c), func(who string) bool {
		return slices.ContainsFunc(c.Missed, func(m Missed) bool { return m.Who == who })
	})
}

// Untold returns whom the copy could not tell, and with the first copy those whom none
// can.
func (r *Record) Untold(n int) []Missed {
	if r.Audience == nil {
		return nil
	}
	var all []Missed
	c := r.Copies[n]
	if c.Quiet {
		for _, who := range r.Tells(c) {
			all = append(all, Missed{who, "another card may have told them before this one"})
		}
	}
	all = append(all, c.Missed...)
	if n > 0 {
		return all
	}
	for _, word := range r.Audience.Unknown {
		why := "nobody knows who that is: the caller's token names no requester"
		if isRota(word) {
			why = "nobody was on call when the request was made"
		}
		all = append(all, Missed{word, why})
	}
	for _, who := range r.Audience.Who {
		if !slices.ContainsFunc(r.Copies, func(c Copy) bool { return slices.Contains(r.Tells(c), who) }) {
			all = append(all, Missed{who, "the request is shown nowhere they could be told"})
		}
	}
	return all
}
