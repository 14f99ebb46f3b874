package ask

import (
	"errors"
	"fmt"
	"time"
)

// ErrDigest is the kind of problem of a digest.
var ErrDigest = errors.New("ask: invalid digest")

// Digest describes where and when a message lists the requests that wait.
type Digest struct {
	// To are people and channels. Each has a message of its own.
	To []Place
	// At are times of day such as "09:00".
	At []string
	// Days are days of the week as in [Hours.Days]; empty means every day.
	Days string
	// Zone is an IANA time zone name. Empty means the zone of each person, where the platform knows it.
	Zone string
}

// Check validates the times; problems are reported at path.
func (d Digest) Check(path string) []Problem {
	var c checker
	if len(d.To) == 0 {
		c.add(path+".to", ErrDigest, "names no person or channel")
	}
	if len(d.At) == 0 {
		c.add(path+".at", ErrDigest, "names no time of day such as \"09:00\"")
	}
	seen := map[time.Duration]bool{}
	for n, at := range d.At {
		clock, ok := parseClock(at)
		switch {
		case !ok || clock == wholeDay:
			c.add(fmt.Sprintf("%s.at[%d]", path, n), ErrDigest, "%q is no time of day such as \"09:00\"", shorten(at))
		case seen[clock]:
			c.add(fmt.Sprintf("%s.at[%d]", path, n), ErrDigest, "%q is listed twice", at)
		}
		seen[clock] = true
	}
	if _, ok := parseDays(d.Days); !ok {
		c.add(path+".days", ErrDigest, "%q names no days such as \"mon-fri\" or \"mon,wed\"", shorten(d.Days))
	}
	if _, err := (Hours{Zone: d.Zone}).Location(); d.Zone != "" && err != nil {
		c.add(path+".zone", ErrDigest, "%q is no time zone such as \"Europe/Berlin\"", shorten(d.Zone))
	}
	return c.problems
}

// Last returns the latest moment of the digest at or before t, and the zero time if there is none in a week. Clock
// changes count as in [Hours.Next].
func (d Digest) Last(t time.Time, zone *time.Location) time.Time {
	days, _ := parseDays(d.Days)
	year, month, day := t.In(zone).Date()
	var last time.Time
	for n := range 8 {
		noon := time.Date(year, month, day-n, 12, 0, 0, 0, time.UTC)
		if !days[noon.Weekday()] {
			continue
		}
		for _, at := range d.At {
			clock, _ := parseClock(at)
			if due := clockShows(noon, clock, zone); !due.After(t) && due.After(last) {
				last = due
			}
		}
		if !last.IsZero() {
			break
		}
	}
	return last
}
