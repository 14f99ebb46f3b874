package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

// Advise returns an [*Error] with valid settings that are probably mistakes, or nil. The program runs
// with them.
func (c *Config) Advise() error {
	all := c.removedSettings()
	c.adviseSchedules(&all)
	c.adviseTokens(&all)
	return all.err(c.file)
}

// adviseSchedules names routes where some requests expire before any step of the schedule.
func (c *Config) adviseSchedules(all *problems) {
	for _, name := range slices.Sorted(maps.Keys(c.Routes)) {
		route := c.Routes[name]
		deadline := cmp.Or(time.Duration(route.ExpiresIn), time.Duration(c.ExpiresIn), bridge.DefaultExpiry)
		path := "routes." + name + ".schedule"
		s := route.Schedule.Known()
		if deadline == ask.Never || len(s.Steps) == 0 || len(s.Check(path)) > 0 {
			continue
		}
		always, periods := silentPeriods(s, deadline)
		switch {
		case always:
			all.add(c.place(path), path, "no step ever happens: all are after the deadline, %s after the request", deadline)
		case len(periods) > 0:
			path += ".hours"
			more := ""
			if n := len(periods) - 1; n == 1 {
				more = ", and in another period of the week"
			} else if n > 1 {
				more = fmt.Sprintf(", and in %d other periods of the week", n)
			}
			all.add(c.place(path), path, "requests made from %s (%s)%s expire before any step happens; give them a longer expires_in, or widen the hours",
				periods[0], s.Hours.Zone, more)
		}
	}
}

// adviseTokens names tokens that can answer requests but name no person.
func (c *Config) adviseTokens(all *problems) {
	for n := range c.Agents {
		if a := c.Agents[n].Access(); a.NamesNobody() {
			path := fmt.Sprintf("agents[%d].requester", n)
			all.add(c.place(path), path, "%s", access.AnswersAsNobody)
		}
	}
}

// silentPeriods returns the periods of a week, in local time, in which a new request gets no step
// before its deadline, or whether that is always so. It tries one request every 15 minutes.
func silentPeriods(s ask.Schedule, deadline time.Duration) (always bool, periods []string) {
	const every = 15 * time.Minute
	zone, err := s.Hours.Location()
	if err != nil {
		zone = time.UTC // Around the clock, the zone does not matter.
	}
	// A week in which few zones change their clocks.
	monday := time.Date(2024, time.January, 8, 0, 0, 0, 0, zone)
	silent := func(at time.Time) bool {
		return !slices.ContainsFunc(s.Steps, func(step ask.Step) bool {
			return s.Hours.Next(at.Add(step.After), zone).Before(at.Add(deadline))
		})
	}
	var starts, ends []time.Time
	before := silent(monday.Add(-every))
	always = before
	for at := monday; at.Before(monday.AddDate(0, 0, 7)); at = at.Add(every) {
		now := silent(at)
		always = always && now
		switch {
		case now && !before:
			starts = append(starts, at)
		case before && !now:
			ends = append(ends, at.Add(-every))
		}
		before = now
	}
	if len(starts) > 0 && ends[0].Before(starts[0]) {
		ends = append(ends[1:], ends[0]) // The last period continues into the next week.
	}
	const clock = "Monday 15:04"
	for n, start := range starts {
		periods = append(periods, start.Format(clock)+" to "+ends[n].Format(clock))
	}
	return always, periods
}
