package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// previewed are the settings that [Preview] reads.
var previewed = []string{
	"routes", "default_route", "language", "responders", "expires_in", "people", "rotas", "max_questions", "max_options",
}

// Preview is [Load] for a simulator: it reads who is asked where and what counts as a decision. It neither reads nor resolves
// anything else, such as tokens, stores and agents. Platforms has an empty section for each platform of the file. A rota
// with a calendar becomes one of its people, who take weekly turns. Places lose their installation and thread, and
// "not_requester" is removed, because callers of the simulator have no token to say who asks.
func Preview(path string, platforms []Section) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	world := realWorld()
	world.preview = true
	c, err := parse(path, data, platforms, world)
	if err != nil {
		return nil, err
	}
	c.Store = Store{Type: StoreMemory}
	for name, r := range c.Rotas {
		if r.ICal.Set() {
			members := slices.Sorted(maps.Values(r.Calls(c.People)))
			c.Rotas[name] = Rota{Members: slices.Compact(members), From: "2026-01-05 09:00", Zone: "UTC", Every: Span(7 * 24 * time.Hour)}
		}
	}
	c.Responders = anyRequester(c.Responders)
	for name, r := range c.Routes {
		simplePlaces(r.To)
		r.Responders = anyRequester(r.Responders)
		for i := range r.Schedule.Steps {
			simplePlaces(r.Schedule.Steps[i].To)
		}
		c.Routes[name] = r
	}
	return c, nil
}

// simplePlaces removes installations and threads.
func simplePlaces(to []Target) {
	for i := range to {
		to[i].Installation, to[i].Thread = "", ""
	}
}

// anyRequester returns responders without the rule that depends on the requester.
func anyRequester(responders []string) []string {
	if !slices.Contains(responders, ask.NotRequester) {
		return responders
	}
	others := slices.DeleteFunc(slices.Clone(responders), func(who string) bool { return who == ask.NotRequester })
	if len(others) == 0 {
		return []string{ask.Anyone}
	}
	return others
}

// skips reports whether a top-level setting is not read.
func (w surroundings) skips(key string) bool { return w.preview && !slices.Contains(previewed, key) }

// literal reports whether the references in a setting stay as they are: a preview does not read calendars.
func (w surroundings) literal(path string) bool {
	return w.preview && strings.HasPrefix(path, "rotas.") && strings.HasSuffix(path, ".ical")
}
