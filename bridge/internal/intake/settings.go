package intake

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Settings are the options that apply to new requests.
type Settings struct {
	Routes       map[string]Route
	DefaultRoute string
	Language     string
	Responders   []string
	ExpiresIn    time.Duration
	People       map[string][]string
	Rotas        map[string]Rota
	Rules        ask.Rules
	Threads      storage.Threads
	Numbers      storage.Numbers
	IDSecret     []byte
	Digests      []ask.Digest
}

// Route is a named destination with its terms.
type Route struct {
	To []ask.Place
	ask.Terms
	Language  string
	ExpiresIn time.Duration
	Origin    bool
}

// Check returns an error with all problems of the settings.
func (o *Settings) Check(d *Directory) error {
	var problems []ask.Problem
	if len(d.Platforms.Named) == 0 {
		problems = append(problems, Problem("platforms", ask.ErrTarget, "at least one platform is needed"))
	}
	problems = append(problems, d.checkRule("responders", o.Responders)...)
	problems = append(problems, checkLanguage("language", o.Language)...)
	problems = append(problems, d.checkPeople(o.People)...)
	problems = append(problems, o.checkRotas(d)...)
	for _, name := range slices.Sorted(maps.Keys(o.Routes)) {
		route, path := o.Routes[name], "routes."+name
		if len(route.To) == 0 {
			problems = append(problems, Problem(path+".to", ask.ErrTarget, "names no place"))
		}
		problems = append(problems, d.checkTargets(path+".to", route.To)...)
		problems = append(problems, d.checkRouteResponders(path+".responders", route)...)
		problems = append(problems, checkLanguage(path+".language", route.Language)...)
		problems = append(problems, route.Terms.Check(path+".")...)
		problems = append(problems, d.CheckEntries(path+".notify", route.Notify, ask.ErrNotify)...)
		if route.Replies.On() {
			problems = append(problems, d.checkHearing(path+".replies", o.Threads, route.To)...)
		}
		problems = append(problems, d.CheckSchedule(path+".schedule", route.Schedule)...)
	}
	problems = append(problems, d.CheckDigests(o.Digests)...)
	if name := o.DefaultRoute; name != "" {
		if _, ok := o.Routes[name]; !ok {
			problems = append(problems, Problem("default_route", ask.ErrTarget, fmt.Sprintf("there is no route %q", name)))
		}
	}
	if len(problems) > 0 {
		return &ask.InvalidError{Problems: problems}
	}
	return nil
}
