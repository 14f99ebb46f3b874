package ask

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Hours are working hours: a daily span of local time in a time zone, on some days of the week.
// The zero value means around the clock.
type Hours struct {
	// Zone is an IANA time zone name such as "Europe/Berlin".
	Zone string `json:"zone,omitempty"`
	// Days are the days on which the span begins, such as "mon-fri" or "mon,wed-fri"; empty
	// means every day.
	Days string `json:"days,omitempty"`
	// From and To are times of day such as "09:00". "24:00" as To is the end of the day. If To
	// is earlier than From, the span ends on the next day: "22:00" to "06:00".
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// IsZero reports whether the hours are around the clock.
func (h Hours) IsZero() bool { return h == Hours{} }

// Location loads the time zone. "Local" is rejected because it differs between machines.
func (h Hours) Location() (*time.Location, error) {
	if h.Zone == "" || h.Zone == "Local" {
		return nil, fmt.Errorf("%w: give a time zone such as \"Europe/Berlin\"", ErrSchedule)
	}
	zone, err := time.LoadLocation(h.Zone)
	if err != nil {
		return nil, fmt.Errorf("%w: %q is no time zone such as \"Europe/Berlin\"", ErrSchedule, shorten(h.Zone))
	}
	return zone, nil
}

// Check validates the hours; problems are reported at path.
func (h Hours) Check(path string) []Problem {
	var c checker
	if h.IsZero() {
		return nil
	}
	if _, err := h.Location(); err != nil {
		c.add(path+".zone", ErrSchedule, "%s", strings.TrimPrefix(err.Error(), ErrSchedule.Error()+": "))
	}
	if _, ok := parseDays(h.Days); !ok {
		c.add(path+".days", ErrSchedule, "%q names no days such as \"mon-fri\" or \"mon,wed\"", shorten(h.Days))
	}
	from, opens := parseClock(h.From)
	to, closes := parseClock(h.To)
	if !opens || from == wholeDay {
		c.add(path+".from", ErrSchedule, "%q is no time of day such as \"09:00\"", shorten(h.From))
	}
	switch {
	case !closes:
		c.add(path+".to", ErrSchedule, "%q is no time of day such as \"18:00\", or \"24:00\" for the end of it", shorten(h.To))
	case opens && to == from:
		c.add(path+".to", ErrSchedule, "must differ from \"from\"; a whole day is \"00:00\" to \"24:00\"")
	}
	return c.problems
}

// Next returns t if it is within the hours, or else the next opening. A time of day skipped by
// a clock change maps to the moment of the change; for one that occurs twice the first
// occurrence counts. Hours that fail [Hours.Check] return t.
func (h Hours) Next(t time.Time, zone *time.Location) time.Time {
	days, named := parseDays(h.Days)
	from, opens := parseClock(h.From)
	to, closes := parseClock(h.To)
	if h.IsZero() || !named || !opens || !closes {
		return t
	}
	year, month, day := t.In(zone).Date()
	// The span of the previous day may extend into today. Search two weeks ahead, because clock
	// changes may skip all of the hours in one week.
	for n := -1; n < 16; n++ {
		noon := time.Date(year, month, day+n, 12, 0, 0, 0, time.UTC)
		if !days[noon.Weekday()] {
			continue
		}
		last := noon
		if to < from {
			last = noon.AddDate(0, 0, 1)
		}
		open, end := clockShows(noon, from, zone), clockShows(last, to, zone)
		switch {
		case !t.Before(end) || !open.Before(end):
		case open.After(t):
			return open
		default:
			return t
		}
	}
	return t
}

// clockShows returns the first moment of noon's day at which the zone's local time reaches or
// skips past the time of day.
func clockShows(noon time.Time, clock time.Duration, zone *time.Location) time.Time {
	wall := noon.Add(clock - 12*time.Hour) // local time, represented in UTC
	shown := func(t time.Time) time.Duration {
		_, offset := t.In(zone).Zone()
		return time.Duration(offset) * time.Second
	}
	before, after := shown(wall.Add(-24*time.Hour)), shown(wall.Add(24*time.Hour))
	early, late := wall.Add(-max(before, after)), wall.Add(-min(before, after))
	for _, t := range []time.Time{early, late} {
		if shown(t) == wall.Sub(t) {
			return t
		}
	}
	jump, _ := late.In(zone).ZoneBounds()
	return jump
}

const wholeDay = 24 * time.Hour

// parseClock parses a time of day from "00:00" to "24:00".
func parseClock(s string) (time.Duration, bool) {
	if s == "24:00" {
		return wholeDay, true
	}
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return 0, false
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, true
}

// parseDays parses days of the week such as "mon-fri" or "sat,sun"; empty means all of them.
func parseDays(s string) (days [7]bool, ok bool) {
	if s == "" {
		s = "sun-sat"
	}
	const week = "sunmontuewedthufrisat"
	day := func(name string) int {
		if n := strings.Index(week, name); len(name) == 3 && n%3 == 0 {
			return n / 3
		}
		return -1
	}
	for part := range strings.SplitSeq(strings.ToLower(s), ",") {
		first, last, span := strings.Cut(strings.TrimSpace(part), "-")
		if !span {
			last = first
		}
		from, to := day(first), day(last)
		if from < 0 || to < 0 {
			return days, false
		}
		for n := from; ; n = (n + 1) % 7 {
			if days[n] = true; n == to {
				break
			}
		}
	}
	return days, true
}

// hours parses [Hours].
func (d *decoder) hours(path string, data json.RawMessage) Hours {
	var h Hours
	if empty(data) {
		return h
	}
	m, ok := d.object(path, data)
	if !ok {
		return h
	}
	h.Zone = d.text(path+".zone", m.take("zone"))
	h.Days = d.text(path+".days", m.take("days"))
	h.From = d.text(path+".from", m.take("from"))
	h.To = d.text(path+".to", m.take("to"))
	d.rest(path, m)
	return h
}
