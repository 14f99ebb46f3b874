package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/rota"
)

// Rota is who is on call when: members in turn, or an iCalendar.
type Rota struct {
	// ICal is a file or an https address, which may be a secret.
	ICal  Secret            `yaml:"ical"`
	Names map[string]string `yaml:"names"`

	Members []string `yaml:"members"`
	From    string   `yaml:"from"`
	Zone    string   `yaml:"zone"`
	Every   Span     `yaml:"every"`
}

// Calls returns who is meant by each name in the rota's calendar: the rota's own names, and those of
// all people. The rota's names take precedence.
func (r Rota) Calls(people map[string][]string) map[string]string {
	all := map[string]string{}
	taken := map[string]bool{}
	for called, who := range r.Names {
		all[called] = personNamed(people, who)
		taken[rota.Folded(called)] = true
	}
	for name := range people {
		if !taken[rota.Folded(name)] {
			all[name] = name
		}
	}
	return all
}

// personNamed returns the name under people that equals a name by the rules of calendars, or the name
// itself.
func personNamed(people map[string][]string, name string) string {
	if _, exact := people[name]; exact {
		return name
	}
	for _, known := range slices.Sorted(maps.Keys(people)) {
		if rota.Folded(known) == rota.Folded(name) {
			return known
		}
	}
	return name
}

// Location is the zone of calendar times without one; nil if not set.
func (r Rota) Location() *time.Location {
	zone, err := r.zone()
	if err != nil {
		return nil
	}
	return zone
}

// handover is the format of the start of the first turn.
const handover = "2006-01-02 15:04"

// Turns converts a validated rota for the bridge.
func (r Rota) Turns(people map[string][]string) bridge.Turns {
	zone, err := r.zone()
	if err != nil {
		return bridge.Turns{}
	}
	from, err := time.ParseInLocation(handover, r.From, zone)
	if err != nil {
		return bridge.Turns{}
	}
	members := make([]string, len(r.Members))
	for n, who := range r.Members {
		members[n] = personNamed(people, who)
	}
	return bridge.Turns{Members: members, From: from, Days: int(time.Duration(r.Every) / (24 * time.Hour))}
}

func (r Rota) zone() (*time.Location, error) {
	if r.Zone == "" || r.Zone == "Local" {
		return nil, fmt.Errorf("%q is not a time zone such as Europe/Berlin", r.Zone)
	}
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return nil, fmt.Errorf("%q is not a time zone such as Europe/Berlin", r.Zone)
	}
	return zone, nil
}

// checkRotas validates rotas. The bridge checks that members are people of the platforms.
func (c *Config) checkRotas(say func(path, format string, args ...any)) {
	for _, name := range slices.Sorted(maps.Keys(c.Rotas)) {
		r, path := c.Rotas[name], "rotas."+name
		if r.ICal.Set() {
			c.checkCalendar(path, r, say)
			continue
		}
		if r.Names != nil {
			say(path+".names", "are names in a calendar, and need ical")
		}
		if len(r.Members) == 0 {
			say(path+".members", "is empty")
		}
		if _, err := r.zone(); err != nil {
			say(path+".zone", "%s", err)
		}
		if _, err := time.Parse(handover, r.From); err != nil {
			say(path+".from", "%q is not a date and time such as \"2026-01-05 09:00\"", r.From)
		}
		if every := time.Duration(r.Every); every <= 0 || every%(24*time.Hour) != 0 {
			say(path+".every", "must be full days, such as 1d or 7d")
		}
	}
}

// checkCalendar validates a rota with a calendar.
func (c *Config) checkCalendar(path string, r Rota, say func(path, format string, args ...any)) {
	if r.Members != nil || r.From != "" || r.Every != 0 {
		say(path, "has a calendar, so remove members, from and every")
	}
	if source := r.ICal.Reveal(); strings.Contains(source, "://") && !strings.HasPrefix(source, "https://") {
		say(path+".ical", "must be a file, or an https:// address")
	}
	if _, err := r.zone(); r.Zone != "" && err != nil {
		say(path+".zone", "%s", err)
	}
	if len(r.Calls(c.People)) == 0 {
		say(path, "has no people for the names in the calendar: set people, or names")
	}
	seen := map[string]string{}
	for _, called := range slices.Sorted(maps.Keys(r.Names)) {
		if r.Names[called] == "" {
			say(path+".names."+called, "is empty")
		}
		same, twice := seen[rota.Folded(called)]
		if !twice {
			seen[rota.Folded(called)] = called
		} else if r.Names[same] != r.Names[called] {
			say(path+".names."+called, "is the same name as %q and means someone else: letter case and Unicode forms are ignored", same)
		}
	}
}
