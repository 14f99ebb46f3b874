package rota

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// stamp is a date, or a date with a time of day.
type stamp struct {
	day   bool      // It is a date.
	utc   bool      // It is given in UTC.
	clock time.Time // What clocks show then, as a time in UTC.
	zone  zone
	at    time.Time
}

// date returns the date of a stamp that belongs to a series whose days are in a zone. A time at midnight, or in the last
// second of a day, means the day it is written with.
func (s stamp) date(days zone) time.Time {
	clock := s.clock
	if written := clock.Format("150405"); s.utc && written != "000000" && written != "235959" {
		clock = days.clock(s.at)
	}
	return clock.Truncate(24 * time.Hour)
}

// reader reads the values of one VCALENDAR.
type reader struct {
	zones    *zones
	floating zone // For times without a zone; nil refuses them.
}

// stamp reads a value of a property.
func (r *reader) stamp(p property, value string) (stamp, error) {
	s := stamp{zone: r.floating}
	value = strings.ToUpper(strings.TrimSpace(value))
	id, named := p.params["TZID"]
	var err error
	switch value, s.utc = strings.CutSuffix(value, "Z"); {
	case s.utc:
		s.zone = in(time.UTC)
	case named:
		if s.zone, err = r.zones.named(id); err != nil {
			return s, err
		}
	}
	layout, date := "20060102T150405", strings.TrimSuffix(value, "T000000")
	if s.day = !strings.Contains(value, "T") || strings.EqualFold(p.params["VALUE"], "DATE") && !strings.Contains(date, "T"); s.day {
		layout, value = "20060102", date
	}
	if s.clock, err = time.Parse(layout, value); err != nil {
		return s, fmt.Errorf("%s %.40q is not a time", p.name, value)
	}
	if s.zone == nil {
		return s, fmt.Errorf("%s has no zone: give the rota one", p.name)
	}
	s.at = s.zone.moment(s.clock)
	return s, nil
}

// stamps reads all values of the properties with a name. Of a period it is the start.
func (r *reader) stamps(c *component, name string) ([]stamp, error) {
	var all []stamp
	for _, p := range c.all(name) {
		if p.err != nil {
			return nil, p.err
		}
		for value := range strings.SplitSeq(p.value, ",") {
			value, _, _ = strings.Cut(value, "/")
			if strings.TrimSpace(value) == "" {
				continue
			}
			s, err := r.stamp(p, value)
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// length is how long a turn takes: first days and hours by the clocks of a zone, then time.
type length struct {
	clock time.Duration
	exact time.Duration
}

// after returns when a turn ends that begins at a moment.
func (l length) after(from time.Time, z zone) time.Time {
	if l.clock == 0 {
		return from.Add(l.exact)
	}
	return z.moment(z.clock(from).Add(l.clock)).Add(l.exact)
}

// maxLength is how long a turn may be: about a century.
const maxLength = 100 * 366 * 24 * time.Hour

// parseLength reads a DURATION such as "P7D" or "PT12H". Days in it are days by the clocks
// (https://www.rfc-editor.org/rfc/rfc5545#section-3.3.6).
func parseLength(text string) (length, error) {
	bad := fmt.Errorf("DURATION %.40q is not a length such as PT12H", text)
	rest, ok := strings.CutPrefix(strings.TrimPrefix(strings.ToUpper(text), "+"), "P")
	if !ok || rest == "" {
		return length{}, bad
	}
	var l length
	date, clock, _ := strings.Cut(rest, "T")
	for _, part := range []struct {
		text  string
		units string
		size  []time.Duration
		into  *time.Duration
	}{
		{date, "WD", []time.Duration{7 * 24 * time.Hour, 24 * time.Hour}, &l.clock},
		{clock, "HMS", []time.Duration{time.Hour, time.Minute, time.Second}, &l.exact},
	} {
		for part.text != "" {
			end := strings.IndexAny(part.text, part.units)
			if end <= 0 {
				return length{}, bad
			}
			n, err := strconv.ParseUint(part.text[:end], 10, 32)
			unit := part.size[strings.IndexByte(part.units, part.text[end])]
			if err != nil || n > uint64((maxLength-*part.into)/unit) {
				return length{}, bad
			}
			*part.into += time.Duration(n) * unit
			part.text = part.text[end+1:]
		}
	}
	return l, nil
}

// rule is an RRULE or EXRULE. It works on what clocks show, as times in UTC.
type rule struct{ rrule.ROption }

const (
	maxRule     = 1000  // How long a rule may be, in bytes.
	maxInterval = 10000 // Years at most, for which rrule-go can count.
	maxRules    = 10    // How many rules a series may have.
	maxHours    = 24    // How many turns a rule may have in a day.
)

// rules reads the rules with a name, for a series that starts then.
func (r *reader) rules(c *component, name string, start stamp) ([]rule, error) {
	var all []rule
	lines := c.all(name)
	if len(lines) > maxRules {
		return nil, fmt.Errorf("it has more than %d %ss", maxRules, name)
	}
	for _, p := range lines {
		if p.err != nil {
			return nil, p.err
		}
		made, err := r.rule(p, start)
		if err != nil {
			return nil, fmt.Errorf("%s %.80q: %w", name, p.value, err)
		}
		all = append(all, made)
	}
	return all, nil
}

func (r *reader) rule(p property, start stamp) (rule, error) {
	var parts []string
	var until *stamp
	for part := range strings.SplitSeq(strings.ToUpper(strings.ReplaceAll(p.value, " ", "")), ";") {
		key, value, _ := strings.Cut(part, "=")
		switch {
		case key == "" || strings.HasPrefix(key, "X-") || start.day && (key == "BYHOUR" || key == "BYMINUTE" || key == "BYSECOND"):
		case key == "UNTIL":
			own := &reader{zones: r.zones, floating: start.zone}
			s, err := own.stamp(property{name: key}, value)
			if err != nil {
				return rule{}, err
			}
			until = &s
		case key == "BYEASTER" || key == "DTSTART": // rrule-go takes them; no calendar writes them.
			return rule{}, fmt.Errorf("%s is not understood", key)
		default:
			parts = append(parts, part)
		}
	}
	text := strings.Join(parts, ";")
	if len(text) > maxRule {
		return rule{}, fmt.Errorf("it has more than %d bytes", maxRule)
	}
	option, err := rrule.StrToROption(text)
	switch {
	case err != nil:
		return rule{}, err
	case option.Freq > rrule.DAILY || len(option.Byhour) > maxHours || len(option.Byminute) > 1 || len(option.Bysecond) > 1:
		return rule{}, errors.New("it recurs too often") // Turns take hours at least.
	case strings.Contains(text, "INTERVAL") && (option.Interval < 1 || option.Interval > maxInterval):
		return rule{}, errors.New("INTERVAL is out of range")
	case strings.Contains(text, "COUNT") && option.Count < 1:
		return rule{}, errors.New("COUNT is out of range")
	}
	option.Dtstart = start.clock
	if until != nil {
		option.Until = lastStart(*until, start)
	}
	if _, err := rrule.NewRRule(*option); err != nil {
		return rule{}, err
	}
	return rule{*option}, nil
}

// lastStart returns the last clock time at which a turn may start by an UNTIL. A date includes the turn of that day, also
// where the series has times.
func lastStart(until, start stamp) time.Time {
	switch {
	case start.day:
		return until.date(start.zone)
	case until.day:
		return until.clock.Add(24*time.Hour - time.Second)
	}
	return start.zone.clock(until.at)
}

var (
	errTooMany = fmt.Errorf("it has more than %d turns within %d days", maxTurns, 2*window/(24*time.Hour))
	errSlow    = errors.New("it takes too long to read")
)

// between returns the clock times by a rule between two, in order. It ends with ctx.
func (r rule) between(ctx context.Context, after, before time.Time) (all []time.Time, err error) {
	// rrule-go fails on a few rules that its own check accepts, such as FREQ=MONTHLY;BYDAY=-10MO.
	defer func() {
		if failed := recover(); failed != nil {
			all, err = nil, errors.New("its rule cannot be expanded")
		}
	}()
	option := r.ROption
	if option.Until.IsZero() || option.Until.After(before) {
		option.Until = before
	}
	made, err := rrule.NewRRule(option)
	if err != nil {
		return nil, err
	}
	next := made.Iterator()
	for n := 0; ; n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return nil, errSlow
		}
		at, ok := next()
		switch {
		case !ok:
			return all, nil
		case len(all) > maxTurns:
			return nil, errTooMany
		case !at.Before(after):
			all = append(all, at)
		}
	}
}
