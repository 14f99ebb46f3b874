package rota

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"
)

// turn is a time during which people are on call.
type turn struct {
	from, to time.Time
	who      []string
}

// doubt is an event that is not understood, and the time in which it could change who is on call.
type doubt struct {
	from, to time.Time
	text     string
}

// covers reports whether the event could matter between two moments.
func (d doubt) covers(from, to time.Time) bool { return !d.to.Before(from) && !d.from.After(to) }

// window is how far around the moment of reading a calendar is expanded: earlier turns may still last, and a copy is
// used for as long when no newer one can be read.
const window = 60 * 24 * time.Hour

// maxTurns is how many turns a window may have.
const maxTurns = 5000

// copied is a calendar as it was read at a moment.
type copied struct {
	now     time.Time
	turns   []turn
	unknown []string // Names of people in turns who are not known.
	doubts  []doubt
}

// read expands a calendar around a moment. Times without a zone are in the one given, or in that of the calendar if it
// is nil. It fails if the text is not a calendar, if it has too many turns, or when ctx ends; an event that is not
// understood becomes a doubt.
func read(ctx context.Context, text string, names Names, location *time.Location, now time.Time) (*copied, error) {
	all, err := calendars(text)
	if err != nil {
		return nil, err
	}
	known := names.people()
	series := map[string][]*event{}
	var order []string
	for _, calendar := range all {
		r := &reader{zones: newZones(calendar, now.AddDate(2, 0, 0)), floating: in(location)}
		if id := calendar.text("X-WR-TIMEZONE"); r.floating == nil && id != "" {
			r.floating, _ = r.zones.named(id) // Without it, times without a zone are not understood.
		}
		for _, c := range calendar.inner {
			if c.name != "VEVENT" {
				continue
			}
			e := r.event(c, known)
			uid := cmp.Or(e.uid, fmt.Sprintf("\x00%d", len(order)))
			if series[uid] == nil {
				order = append(order, uid)
			}
			series[uid] = append(series[uid], e)
		}
	}
	made := &copied{now: now}
	for _, uid := range order {
		if err := made.add(ctx, series[uid]); err != nil {
			return nil, err
		}
	}
	sort.SliceStable(made.turns, func(i, j int) bool { return made.turns[i].from.Before(made.turns[j].from) })
	slices.Sort(made.unknown)
	made.unknown = slices.Compact(made.unknown)
	return made, nil
}

// add adds the turns of the events with one UID.
func (c *copied) add(ctx context.Context, events []*event) error {
	if ctx.Err() != nil {
		return errSlow
	}
	s := newSeries(events)
	for _, e := range s.changes {
		switch {
		case e.err != nil:
			c.doubt(e, s.longest)
		case e.following && len(s.masters) == 0:
			e.err, e.to = errors.New("it changes later turns of a series that the calendar does not have"), always
			c.doubt(e, 0)
		case !e.cancelled:
			c.turn(e, e.start.at, e.end(e.start.at))
		}
	}
	for _, e := range s.masters {
		if e.err == nil && !e.cancelled {
			err := c.expand(ctx, s, e)
			if errors.Is(err, errSlow) || errors.Is(err, errTooMany) {
				return fmt.Errorf("%s: %w", e, err)
			}
			e.err = err
		}
		if e.err != nil {
			c.doubt(e, 0)
		}
	}
	if len(c.turns) > maxTurns {
		return errTooMany
	}
	return nil
}

func (c *copied) doubt(e *event, more time.Duration) {
	c.doubts = append(c.doubts, doubt{e.from, e.to.Add(more), fmt.Sprintf("%s: %v", e, e.err)})
}

func (c *copied) turn(e *event, from, to time.Time) {
	if to.Before(c.now.Add(-window)) || from.After(c.now.Add(window)) {
		return
	}
	for _, name := range e.unknown {
		c.unknown = append(c.unknown, cmp.Or(name, "an event without a title"))
	}
	c.turns = append(c.turns, turn{from, to, e.who})
}

// expand adds the turns of one event that no other event replaces.
func (c *copied) expand(ctx context.Context, s *series, e *event) error {
	starts, err := e.starts(ctx, c.now.Add(-window-s.longest), c.now.Add(window+s.shift))
	if err != nil {
		return err
	}
	replaced := s.replaced(e)
	for _, from := range starts {
		if replaced[e.moment(from.at)] || replaced[e.date(from.at)] {
			continue
		}
		if len(c.turns) > maxTurns {
			return errTooMany
		}
		by := s.follows(from.at)
		switch {
		case by == nil && !from.ends.IsZero():
			c.turn(e, from.at, from.ends)
		case by == nil:
			c.turn(e, from.at, e.end(from.at))
		case !by.cancelled:
			zone := e.start.zone
			moved := zone.moment(zone.clock(from.at).Add(zone.clock(by.start.at).Sub(zone.clock(by.instead.at))))
			c.turn(by, moved, by.end(moved))
		}
	}
	return nil
}
