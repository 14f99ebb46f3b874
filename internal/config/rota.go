package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// Rota says who is on call when: members take turns, in their order, or an iCalendar says
// it.
type Rota struct {
	// ICal is a file, or an https address, which may be a secret.
	ICal  Secret            `yaml:"ical"`
	Names map[string]string `yaml:"names"`

	Members []string `yaml:"members"`
	From    string   `yaml:"from"`
	Zone    string   `yaml:"zone"`
	Every   Span     `yaml:"every"`
}

// Calls are what the calendar of a rota calls people, and who that is: whom it names, and
// everybody by their own name.
func (r Rota) Calls(people map[string][]string) map[string]string {
	all := maps.Clone(r.Names)
	if all == nil {
		all = map[string]string{}
	}
	for name := range people {
		if _, named := all[name]; !named {
			all[name] = name
		}
	}
	return all
}

// Location is where times of a calendar are that name no zone; nil where nothing says so.
func (r Rota) Location() *time.Location {
	zone, err := r.zone()
	if err != nil {
		return nil
	}
	return zone
}

// handover is how a rota says when its first turn begins.
const handover = "2006-01-02 15:04"

// Turns returns the rota as the bridge knows it. It has been checked.
func (r Rota) Turns() bridge.Turns {
	zone, err := r.zone()
	if err != nil {
		return bridge.Turns{}
	}
	from, err := time.ParseInLocation(handover, r.From, zone)
	if err != nil {
		return bridge.Turns{}
	}
	return bridge.Turns{Members: r.Members, From: from, Days: int(time.Duration(r.Every) / (24 * time.Hour))}
}

func (r Rota) zone() (*time.Location, error) {
	if r.Zone == "" || r.Zone == "Local" {
		return nil, fmt.Errorf("%q is no time zone such as Europe/Berlin", r.Zone)
	}
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return nil, fmt.Errorf("%q is no time zone such as Europe/Berlin", r.Zone)
	}
	return zone, nil
}

// checkRotas says what nobody could tell from a rota. Whether its members are people of
// the platforms, the bridge says.
func (c *Config) checkRotas(say func(path, format string, args ...any)) {
	for _, name := range slices.Sorted(maps.Keys(c.Rotas)) {
		r, path := c.Rotas[name], "rotas."+name
		if r.ICal.Set() {
			c.checkCalendar(path, r, say)
			continue
		}
		if r.Names != nil {
			say(path+".names", "say what a calendar calls people: they go with ical")
		}
		if len(r.Members) == 0 {
			say(path+".members", "names nobody")
		}
		if _, err := r.zone(); err != nil {
			say(path+".zone", "%s", err)
		}
		if _, err := time.Parse(handover, r.From); err != nil {
			say(path+".from", "%q is no day and time such as \"2026-01-05 09:00\"", r.From)
		}
		if every := time.Duration(r.Every); every <= 0 || every%(24*time.Hour) != 0 {
			say(path+".every", "must be whole days, such as 1d or 7d")
		}
	}
}

// checkCalendar does the same for a rota of a calendar.
func (c *Config) checkCalendar(path string, r Rota, say func(path, format string, args ...any)) {
	if r.Members != nil || r.From != "" || r.Every != 0 {
		say(path, "has a calendar, which says who is on call when: leave members, from and every out")
	}
	if source := r.ICal.Reveal(); strings.Contains(source, "://") && !strings.HasPrefix(source, "https://") {
		say(path+".ical", "must be a file, or an address that begins with https://")
	}
	if _, err := r.zone(); r.Zone != "" && err != nil {
		say(path+".zone", "%s", err)
	}
	if len(r.Calls(c.People)) == 0 {
		say(path, "knows nobody whom a calendar could name: give people, or names")
	}
	for _, called := range slices.Sorted(maps.Keys(r.Names)) {
		if r.Names[called] == "" {
			say(path+".names."+called, "says nobody")
		}
	}
}
