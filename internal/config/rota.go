package config

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// Rota says who is on call when: members take turns, in their order.
type Rota struct {
	Members []string `yaml:"members"`
	From    string   `yaml:"from"`
	Zone    string   `yaml:"zone"`
	Every   Span     `yaml:"every"`
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
