package rota

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Names are what a calendar calls people, and who that is: names under people, or accounts
// such as "slack:U0000001". Whether letters are capital does not matter.
type Names map[string]string

// of returns who it is whom the calendar calls by any of these names; empty for nobody.
func (n Names) of(called []string) string {
	for _, name := range called {
		if who, exact := n[name]; exact {
			return who
		}
		for _, known := range slices.Sorted(maps.Keys(n)) {
			if strings.EqualFold(known, name) {
				return n[known]
			}
		}
	}
	return ""
}

// turn is one time for which somebody is on call.
type turn struct {
	from, to time.Time
	who      []string
}

// window is how far around the moment at which it was read a calendar is known: a turn
// that began before may still last, and one copy is kept for as long when no other can be read.
const window = 60 * 24 * time.Hour

// maxTurns is how many turns a window may have.
const maxTurns = 5000

// turns reads the turns of a calendar around a moment, in their order, and whom it calls by
// a name that nobody has. Times without a zone are in the one given; a nil one refuses them.
func turns(text string, names Names, zone *time.Location, now time.Time) (all []turn, unknown []string, err error) {
	calendar, err := components(text)
	if err != nil {
		return nil, nil, err
	}
	moved := map[string][]time.Time{} // by the id of a recurring event, which of its turns stand by themselves
	var events []*event
	for _, c := range calendar.inner {
		if c.name != "VEVENT" {
			continue
		}
		e, err := readEvent(c, zone)
		if err != nil {
			return nil, nil, fmt.Errorf("event %.60q: %w", c.text("SUMMARY"), err)
		}
		events = append(events, e)
		if !e.instead.IsZero() {
			moved[e.id] = append(moved[e.id], e.instead)
		}
	}
	for _, e := range events {
		if e.cancelled || e.length <= 0 {
			continue
		}
		var who, missing []string
		for _, called := range e.called {
			switch known := names.of(called); {
			case known == "":
				missing = append(missing, called[0])
			case !slices.Contains(who, known):
				who = append(who, known)
			}
		}
		for _, from := range e.starts(now.Add(-window-e.length), now.Add(window)) {
			if e.instead.IsZero() && slices.ContainsFunc(moved[e.id], from.Equal) {
				continue
			}
			unknown = append(unknown, missing...)
			all = append(all, turn{from, e.end(from), who})
		}
		if len(all) > maxTurns {
			return nil, nil, fmt.Errorf("the calendar has more than %d turns within %d days", maxTurns, 2*window/(24*time.Hour))
		}
	}
	slices.SortStableFunc(all, func(a, b turn) int { return a.from.Compare(b.from) })
	slices.Sort(unknown)
	return all, slices.Compact(unknown), nil
}

// event is a VEVENT.
type event struct {
	id        string
	called    [][]string // what it calls each of its people
	from      time.Time
	length    time.Duration
	byClock   time.Duration // its length by the clocks of its zone, where it has an end
	days      int           // how many days an event without times of day takes; their length varies
	rule      *rrule.RRule
	more      []time.Time // RDATE
	except    []time.Time // EXDATE
	instead   time.Time   // RECURRENCE-ID
	cancelled bool
}

// end is when the turn that begins then ends: days end when they do by the clock.
func (e *event) end(from time.Time) time.Time {
	if e.days > 0 {
		return from.AddDate(0, 0, e.days)
	}
	if e.byClock > 0 {
		at := from.In(e.from.Location())
		year, month, day := at.Date()
		hour, minute, second := at.Clock()
		return time.Date(year, month, day, hour, minute, second+int(e.byClock/time.Second), 0, at.Location())
	}
	return from.Add(e.length)
}

// clockOf is what calendar and clock show at a moment, as if no zone ever changed its clocks.
func clockOf(at time.Time) time.Time {
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	return time.Date(year, month, day, hour, minute, second, 0, time.UTC)
}

// starts are the moments at which turns of the event begin, between two.
func (e *event) starts(after, before time.Time) []time.Time {
	all := []time.Time{e.from}
	if e.rule != nil {
		all = e.rule.Between(after, before, true)
	}
	all = append(all, e.more...)
	all = slices.DeleteFunc(all, func(at time.Time) bool {
		return at.Before(after) || at.After(before) || slices.ContainsFunc(e.except, at.Equal)
	})
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

func readEvent(c *component, zone *time.Location) (*event, error) {
	e := &event{id: c.text("UID"), called: called(c), cancelled: strings.EqualFold(c.text("STATUS"), "CANCELLED")}
	start, ok := c.first("DTSTART")
	if !ok {
		return nil, errors.New("it has no DTSTART")
	}
	var err error
	var whole bool
	if e.from, whole, err = moment(start, start.value, zone); err != nil {
		return nil, err
	}
	end, ends := c.first("DTEND")
	span, spans := c.first("DURATION")
	switch {
	case ends:
		to, _, err := moment(end, end.value, zone)
		if err != nil {
			return nil, err
		}
		if e.length = to.Sub(e.from); whole {
			e.days = int((e.length + 12*time.Hour) / (24 * time.Hour))
		}
		e.byClock = clockOf(to.In(e.from.Location())).Sub(clockOf(e.from))
	case spans:
		if e.length, e.days, err = duration(span.value); err != nil {
			return nil, err
		}
	case whole:
		e.days, e.length = 1, 24*time.Hour
	}
	for _, list := range []struct {
		name string
		into *[]time.Time
	}{{"RDATE", &e.more}, {"EXDATE", &e.except}} {
		for _, p := range c.all(list.name) {
			for value := range strings.SplitSeq(p.value, ",") {
				at, _, err := moment(p, value, zone)
				if err != nil {
					return nil, err
				}
				*list.into = append(*list.into, at)
			}
		}
	}
	if p, ok := c.first("RECURRENCE-ID"); ok {
		if p.params["RANGE"] != "" {
			return nil, errors.New("it changes all turns that follow, which is not understood")
		}
		if e.instead, _, err = moment(p, p.value, zone); err != nil {
			return nil, err
		}
	}
	rules := c.all("RRULE")
	switch {
	case len(rules) > 1:
		return nil, errors.New("it has several RRULEs")
	case len(rules) == 1:
		e.rule, err = rule(rules[0].value, e.from)
	}
	return e, err
}

// rule reads a recurrence. Turns take hours at least, so nothing recurs more often than
// daily.
func rule(text string, from time.Time) (*rrule.RRule, error) {
	option, err := rrule.StrToROptionInLocation(text, from.Location())
	if err != nil {
		return nil, fmt.Errorf("RRULE %.80q: %w", text, err)
	}
	if option.Freq > rrule.DAILY {
		return nil, fmt.Errorf("RRULE %.80q recurs more often than daily", text)
	}
	option.Dtstart = from
	made, err := rrule.NewRRule(*option)
	if err != nil {
		return nil, fmt.Errorf("RRULE %.80q: %w", text, err)
	}
	return made, nil
}

// called is what an event calls people: the addresses and names of those who attend, or
// else, where nobody is invited, what it is called itself.
func called(c *component) [][]string {
	var all [][]string
	invited := c.all("ATTENDEE")
	for _, p := range invited {
		if !attends(p) {
			continue
		}
		mail := p.value
		if scheme, rest, ok := strings.Cut(mail, ":"); ok && strings.EqualFold(scheme, "mailto") {
			mail = rest
		}
		all = append(all, []string{strings.TrimSpace(mail), strings.TrimSpace(p.params["CN"])})
	}
	if len(invited) == 0 {
		all = [][]string{{c.text("SUMMARY")}}
	}
	return all
}

// attends reports whether somebody who is invited takes part: who has declined or sent somebody else does not
// (https://www.rfc-editor.org/rfc/rfc5545#section-3.2.12), nor who gets a copy alone (section 3.2.16).
func attends(invited property) bool {
	switch strings.ToUpper(invited.params["PARTSTAT"]) {
	case "DECLINED", "DELEGATED":
		return false
	}
	return !strings.EqualFold(invited.params["ROLE"], "NON-PARTICIPANT")
}

// moment reads a time, and whether it is a whole day.
func moment(p property, value string, zone *time.Location) (at time.Time, whole bool, err error) {
	if id := strings.TrimPrefix(p.params["TZID"], "/"); id != "" {
		if zone, err = time.LoadLocation(id); err != nil || id == "Local" {
			return at, false, fmt.Errorf("%s is in the zone %q, which is no name of the IANA database such as Europe/Berlin", p.name, id)
		}
	}
	layout := "20060102T150405"
	switch {
	case p.params["VALUE"] == "PERIOD":
		return at, false, fmt.Errorf("%s is a PERIOD, which is not understood", p.name)
	case strings.HasSuffix(value, "Z"):
		layout, zone = layout+"Z", time.UTC
	case !strings.Contains(value, "T"):
		layout, whole = "20060102", true
	}
	if zone == nil {
		return at, false, fmt.Errorf("%s has no zone: give the rota one", p.name)
	}
	if at, err = time.ParseInLocation(layout, strings.TrimSpace(value), zone); err != nil {
		return at, false, fmt.Errorf("%s %.40q is no time", p.name, value)
	}
	return at, whole, nil
}

// duration reads a length such as "P7D" or "PT12H". Of days it tells how many, since they
// vary (https://www.rfc-editor.org/rfc/rfc5545#section-3.3.6).
func duration(text string) (length time.Duration, days int, err error) {
	bad := fmt.Errorf("DURATION %.40q is no length such as PT12H", text)
	rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "+"), "P")
	if !ok || rest == "" {
		return 0, 0, bad
	}
	date, clock, timed := strings.Cut(rest, "T")
	for _, part := range []struct {
		text  string
		units string
		size  []time.Duration
	}{{date, "WD", []time.Duration{7 * 24 * time.Hour, 24 * time.Hour}}, {clock, "HMS", []time.Duration{time.Hour, time.Minute, time.Second}}} {
		for part.text != "" {
			end := strings.IndexAny(part.text, part.units)
			if end <= 0 {
				return 0, 0, bad
			}
			n, err := strconv.ParseUint(part.text[:end], 10, 16)
			if err != nil {
				return 0, 0, bad
			}
			length += time.Duration(n) * part.size[strings.IndexByte(part.units, part.text[end])]
			part.text = part.text[end+1:]
		}
	}
	if !timed {
		days = int(length / (24 * time.Hour))
	}
	return length, days, nil
}
