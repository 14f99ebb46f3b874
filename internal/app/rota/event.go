package rota

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// event is a VEVENT: one turn, a series of turns, or a change to one turn of a series.
type event struct {
	uid, title string
	who        []string // People whose turn it is.
	unknown    []string // Names of people who are not known.

	start   stamp
	length  length
	ends    time.Time     // When the first turn ends, where the event has a DTEND.
	rules   []rule        // RRULE
	exclude []rule        // EXRULE
	more    []added       // RDATE
	except  map[mark]bool // EXDATE

	change    bool   // It replaces a turn of a series:
	instead   *stamp // the one of this RECURRENCE-ID,
	following bool   // and changes all later ones.
	cancelled bool

	sequence int    // Version of the event.
	modified string // When this version was made.

	err      error     // Why the event is not understood.
	from, to time.Time // When such an event could matter.
}

// added is a turn of an RDATE. It ends as the others do, unless a period gives its end.
type added struct {
	stamp
	ends time.Time
}

// String names the event in logs and errors.
func (e *event) String() string {
	named := fmt.Sprintf("event %.60q", e.title)
	if e.uid != "" {
		named += fmt.Sprintf(" (uid %.80q)", e.uid)
	}
	return named
}

var (
	always = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	never  = time.Time{}
)

// event reads a VEVENT. What is not understood is in err, with the time in which it could matter.
func (r *reader) event(c *component, known people) *event {
	e := &event{uid: c.text("UID"), title: c.text("SUMMARY"), cancelled: strings.EqualFold(c.text("STATUS"), "CANCELLED")}
	e.sequence, _ = strconv.Atoi(c.text("SEQUENCE"))
	e.modified = cmp.Or(c.text("LAST-MODIFIED"), c.text("DTSTAMP"))
	e.from, e.to = reach(c)
	names, err := called(c)
	if e.err = r.read(c, e); err != nil && !e.cancelled {
		e.err = err
	}
	if e.who, e.unknown = known.of(names); err == nil && len(e.who) == 0 && !e.change || errors.Is(e.err, errMoment) {
		e.from, e.to = always, never // It puts no one on call, whatever its time is.
	}
	return e
}

var errMoment = errors.New("it ends when it starts")

func (r *reader) read(c *component, e *event) error {
	p, changes, err := c.once("RECURRENCE-ID")
	if err != nil {
		return err
	}
	if e.change = changes; changes {
		at, err := r.instead(c, p)
		if err != nil {
			return err
		}
		e.instead, e.following = &at, p.params["RANGE"] != ""
	}
	if e.cancelled {
		return nil
	}
	p, ok, err := c.once("DTSTART")
	switch {
	case err != nil:
		return err
	case !ok:
		return errors.New("it has no DTSTART")
	}
	if e.start, err = r.stamp(p, p.value); err != nil {
		return err
	}
	if e.following && e.instead.day != e.start.day {
		return errors.New("of RECURRENCE-ID and DTSTART one is a date and one has a time")
	}
	own := &reader{zones: r.zones, floating: e.start.zone}
	if err := own.end(c, e); err != nil || changes {
		return err // The rules of a changed turn are ignored.
	}
	if e.rules, err = own.rules(c, "RRULE", e.start); err != nil {
		return err
	}
	if e.exclude, err = own.rules(c, "EXRULE", e.start); err != nil {
		return err
	}
	except, err := own.stamps(c, "EXDATE")
	if err != nil {
		return err
	}
	e.except = make(map[mark]bool, len(except))
	for _, s := range except {
		e.except[e.mark(s)] = true
	}
	e.more, err = own.added(c, e.start.day)
	return err
}

// added reads the RDATEs of a series, of days or of times.
func (r *reader) added(c *component, days bool) ([]added, error) {
	var all []added
	for _, p := range c.all("RDATE") {
		if p.err != nil {
			return nil, p.err
		}
		for value := range strings.SplitSeq(p.value, ",") {
			start, end, period := strings.Cut(strings.TrimSpace(value), "/")
			if start == "" {
				continue
			}
			s, err := r.stamp(p, start)
			if err != nil {
				return nil, err
			}
			if s.day != days {
				return nil, errors.New("of RDATE and DTSTART one is a date and one has a time")
			}
			one := added{stamp: s}
			if period {
				if one.ends, err = r.periodEnd(p, s, end); err != nil {
					return nil, err
				}
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// periodEnd reads what follows the start of a period: a length or a time.
func (r *reader) periodEnd(p property, start stamp, end string) (time.Time, error) {
	if strings.HasPrefix(strings.ToUpper(end), "P") {
		l, err := parseLength(end)
		return l.after(start.at, start.zone), err
	}
	s, err := r.stamp(p, end)
	return s.at, err
}

// instead reads a RECURRENCE-ID. Without a zone it is in that of the turn.
func (r *reader) instead(c *component, p property) (stamp, error) {
	if start, ok := c.first("DTSTART"); ok {
		if s, err := r.stamp(start, start.value); err == nil {
			r = &reader{zones: r.zones, floating: s.zone}
		}
	}
	return r.stamp(p, p.value)
}

// end reads when the first turn ends, and how long each takes.
func (r *reader) end(c *component, e *event) error {
	end, ends, err := c.once("DTEND")
	if err != nil {
		return err
	}
	span, spans, err := c.once("DURATION")
	switch {
	case err != nil:
		return err
	case ends:
		if err := r.until(end, e); err != nil {
			return err
		}
	case spans:
		if e.length, err = parseLength(span.value); err != nil {
			return err
		}
		if e.start.day { // Days end at midnight.
			e.length = length{clock: e.length.clock + e.length.exact}
		}
	case e.start.day:
		e.length.clock = 24 * time.Hour
	}
	if e.length == (length{}) {
		return errMoment
	}
	return nil
}

// until reads a DTEND.
func (r *reader) until(p property, e *event) error {
	end, err := r.stamp(p, p.value)
	if err != nil {
		return err
	}
	if e.start.day {
		if !end.day && !end.date(e.start.zone).Equal(end.clock) {
			return errors.New("DTSTART is a date, and DTEND has a time")
		}
		// Calendars write the same date twice for an event of one day.
		e.length.clock = min(max(end.date(e.start.zone).Sub(e.start.clock), 24*time.Hour), maxLength)
		if end.date(e.start.zone).Before(e.start.clock) {
			return errors.New("it ends before it starts")
		}
		return nil
	}
	switch {
	case end.day:
		return errors.New("DTEND is a date, and DTSTART has a time")
	case end.at.Before(e.start.at):
		return errors.New("it ends before it starts")
	case end.at.After(e.start.at):
		e.ends = end.at
		e.length.clock = min(e.start.zone.clock(end.at).Sub(e.start.clock), maxLength)
		if e.length.clock <= 0 { // Within an hour that comes twice.
			e.length = length{exact: end.at.Sub(e.start.at)}
		}
	}
	return nil
}

var untilDate = regexp.MustCompile(`(?i)UNTIL=(\d{8})`)

// reach returns the time within which an event that is not understood could matter: from a day before the earliest time
// it names, since its zone may not be known, to a day after the last turn. An event without any time never matters.
func reach(c *component) (from, to time.Time) {
	const day = 24 * time.Hour
	last, size := never, day
	from = always
	for _, name := range []string{"DTSTART", "DTEND", "RDATE", "RECURRENCE-ID"} {
		for _, p := range c.all(name) {
			for value := range strings.SplitSeq(p.value, ",") {
				at, err := time.Parse("20060102", value[:min(len(value), 8)])
				if err != nil || p.params["RANGE"] != "" || strings.Contains(value, "/") {
					return never, always
				}
				if from.After(at) {
					from = at
				}
				if last.Before(at) {
					last = at
				}
			}
		}
	}
	if from.After(last) {
		return always, never
	}
	if span, ok := c.first("DURATION"); ok {
		l, err := parseLength(span.value)
		if err != nil {
			return from.Add(-day), always
		}
		size = l.clock + l.exact + day
	}
	if rules := c.all("RRULE"); len(rules) > 0 {
		size += min(last.Sub(from), maxLength)
		if last = always; len(rules) == 1 {
			if until := untilDate.FindStringSubmatch(rules[0].value); until != nil {
				if at, err := time.Parse("20060102", until[1]); err == nil {
					last = at
				}
			}
		}
	}
	if _, starts := c.first("DTSTART"); !starts {
		return never, last.Add(size + day)
	}
	return from.Add(-day), last.Add(size + day)
}
