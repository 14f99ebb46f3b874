package rota

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// zone returns the offset of local time from UTC at a moment.
type zone func(at time.Time) time.Duration

// in returns the zone of a location, or nil for nil.
func in(location *time.Location) zone {
	if location == nil {
		return nil
	}
	return func(at time.Time) time.Duration {
		_, offset := at.In(location).Zone()
		return time.Duration(offset) * time.Second
	}
}

// clock returns what calendar and clock show at a moment, as a time in UTC.
func (z zone) clock(at time.Time) time.Time { return at.UTC().Add(z(at)) }

// moment returns when calendar and clock show a time. Of a time that comes twice it is the first, and a time that is
// skipped counts by the offset before the gap (https://www.rfc-editor.org/rfc/rfc5545#section-3.3.5).
func (z zone) moment(clock time.Time) time.Time {
	const day = 24 * time.Hour
	before := clock.Add(-z(clock.Add(-day)))
	if after := clock.Add(-z(clock.Add(day))); !z.clock(before).Equal(clock) && z.clock(after).Equal(clock) {
		return after
	}
	return before
}

// windowsZones are Windows names of time zones, one per line with the IANA name: "W. Europe Standard Time=Europe/Berlin".
//
//go:embed windows.txt
var windowsZones string

// zones finds the time zones of one VCALENDAR by name.
type zones struct {
	defined map[string]*component // Its VTIMEZONEs by TZID.
	found   map[string]lookup
	until   time.Time // How far definitions are expanded.
}

// maxZones is how many zones one calendar may use.
const maxZones = 200

// lookup is the result of a search for a zone.
type lookup struct {
	zone zone
	err  error
}

func newZones(calendar *component, until time.Time) *zones {
	z := &zones{defined: map[string]*component{}, found: map[string]lookup{}, until: until}
	for _, c := range calendar.inner {
		if c.name == "VTIMEZONE" {
			z.defined[c.text("TZID")] = c
		}
	}
	return z
}

// named returns the zone with a name: of the IANA database, defined by the calendar itself, or known to Windows.
func (z *zones) named(id string) (zone, error) {
	known, ok := z.found[id]
	switch {
	case ok:
	case len(z.found) >= maxZones:
		return nil, fmt.Errorf("the calendar uses more than %d zones", maxZones)
	default:
		known.zone, known.err = z.find(id)
		z.found[id] = known
	}
	return known.zone, known.err
}

func (z *zones) find(id string) (zone, error) {
	if known := iana(id); known != nil {
		return known, nil
	}
	var broken error
	if definition := z.defined[id]; definition != nil {
		known, err := z.define(definition)
		if err == nil {
			return known, nil
		}
		if known := iana(definition.text("X-LIC-LOCATION")); known != nil {
			return known, nil
		}
		broken = err
	}
	// Calendars use "tzone://Microsoft/Utc", and "W. Europe Standard Time 1" for a second definition.
	name := strings.TrimSpace(strings.TrimRight(strings.TrimPrefix(id, "tzone://Microsoft/"), " 0123456789"))
	for line := range strings.Lines(windowsZones) {
		windows, known, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && (strings.EqualFold(windows, id) || strings.EqualFold(windows, name)) {
			return iana(known), nil
		}
	}
	if broken != nil {
		return nil, fmt.Errorf("zone %.60q: %w", id, broken)
	}
	return nil, fmt.Errorf("zone %.60q is not known", id)
}

// iana returns the zone with a name of the IANA database, which may follow a prefix of a vendor as in
// "/freeassociation.sourceforge.net/Europe/Berlin"; nil if there is none.
func iana(id string) zone {
	rest, global := strings.CutPrefix(id, "/")
	for rest != "" && rest != "Local" {
		if location, err := time.LoadLocation(rest); err == nil {
			return in(location)
		}
		var ok bool
		if _, rest, ok = strings.Cut(rest, "/"); !ok || !global {
			break
		}
	}
	return nil
}

// change is a moment at which clocks change.
type change struct {
	at            time.Time
	before, after time.Duration
}

// define reads a VTIMEZONE (https://www.rfc-editor.org/rfc/rfc5545#section-3.6.5).
func (z *zones) define(definition *component) (zone, error) {
	var changes []change
	for _, c := range definition.inner {
		if c.name != "STANDARD" && c.name != "DAYLIGHT" {
			continue
		}
		before, err := offset(c, "TZOFFSETFROM")
		if err != nil {
			return nil, err
		}
		after, err := offset(c, "TZOFFSETTO")
		if err != nil {
			return nil, err
		}
		onsets, err := z.onsets(c, func(time.Time) time.Duration { return before })
		if err != nil {
			return nil, err
		}
		for _, at := range onsets {
			changes = append(changes, change{at, before, after})
		}
	}
	if len(changes) == 0 {
		return nil, errors.New("its VTIMEZONE defines nothing")
	}
	sort.SliceStable(changes, func(i, j int) bool { return changes[i].at.Before(changes[j].at) })
	return func(at time.Time) time.Duration {
		next, found := slices.BinarySearchFunc(changes, at, func(c change, at time.Time) int { return c.at.Compare(at) })
		if !found && next == 0 {
			return changes[0].before
		}
		if !found {
			next--
		}
		return changes[next].after
	}, nil
}

// onsets returns when clocks change by a STANDARD or DAYLIGHT.
func (z *zones) onsets(c *component, old zone) ([]time.Time, error) {
	read := &reader{zones: z, floating: old}
	p, ok, err := c.once("DTSTART")
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, errors.New("its VTIMEZONE has no DTSTART")
	}
	start, err := read.stamp(p, p.value)
	if err != nil {
		return nil, err
	}
	rules, err := read.rules(c, "RRULE", start)
	if err != nil {
		return nil, err
	}
	if len(rules) == 0 {
		more, err := read.stamps(c, "RDATE")
		all := []time.Time{start.at}
		for _, s := range more {
			all = append(all, s.at)
		}
		return all, err
	}
	var all []time.Time
	for _, r := range rules {
		if r.Freq != rrule.YEARLY {
			return nil, errors.New("its VTIMEZONE has an RRULE that is not yearly")
		}
		clocks, err := r.between(context.Background(), start.clock, z.until)
		if err != nil {
			return nil, err
		}
		for _, clock := range clocks {
			all = append(all, old.moment(clock))
		}
	}
	return all, nil
}

// offset reads an offset such as +0100 or -053000.
func offset(c *component, name string) (time.Duration, error) {
	p, _, err := c.once(name)
	if err != nil {
		return 0, err
	}
	bad := fmt.Errorf("%s %.20q is not an offset such as +0100", name, p.value)
	digits := strings.TrimLeft(p.value, "+-")
	if len(p.value) != len(digits)+1 || len(digits) != 4 && len(digits) != 6 {
		return 0, bad
	}
	n, err := strconv.ParseUint((digits + "00")[:6], 10, 32)
	if err != nil {
		return 0, bad
	}
	all := time.Duration(n/10000)*time.Hour + time.Duration(n/100%100)*time.Minute + time.Duration(n%100)*time.Second
	if p.value[0] == '-' {
		all = -all
	}
	return all, nil
}
