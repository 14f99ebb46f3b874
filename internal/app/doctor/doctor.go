package doctor

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/store/seal"
)

// Options add checks.
type Options struct {
	// Check reports problems with the settings themselves, as at the start of the program.
	Check func() error
	// Keys reads the keys of the store; nil for none.
	Keys func(ctx context.Context) (*seal.Keys, error)
	// Platforms are checked in this order, each with what the configuration names.
	Platforms []Platform
}

// Platform checks one platform.
type Platform struct {
	Name    string
	Examine func(ctx context.Context, r *Report, named Named)
}

// Examine checks everything that a configuration names.
func Examine(ctx context.Context, cfg *config.Config, opts *Options) *Report {
	if opts == nil {
		opts = &Options{}
	}
	r := &Report{}
	examineSettings(r, cfg, opts.Check)
	stored := &Report{}
	idle := examineStore(ctx, stored, cfg.Store, opts.Keys)
	examineServe(ctx, r, cfg, idle)
	r.Findings = append(r.Findings, stored.Findings...)
	examineAudit(r, cfg.Audit)
	examineRotas(ctx, r, cfg)
	for _, p := range opts.Platforms {
		p.Examine(ctx, r, namedOf(cfg, p.Name))
	}
	return r
}

func examineSettings(r *Report, cfg *config.Config, check func() error) {
	const id = "settings"
	add := func(s State, err error) {
		if err == nil {
			return
		}
		for line := range strings.Lines(err.Error()) {
			r.Add(id, s, "", "%s", strings.TrimSpace(line))
		}
	}
	var wrong error
	if check != nil {
		wrong = check()
	}
	advice := cfg.Advise()
	add(Broken, wrong)
	add(Warn, advice)
	if check != nil && wrong == nil && advice == nil {
		r.OK(id, "they are valid")
	}
}

// Named is what a configuration names on one platform. All lists are sorted and have no duplicates.
type Named struct {
	// Routes are the places of routes, schedule steps and digests, and Agents the places where an agent may ask,
	// except entire platforms.
	Routes, Agents []ask.Place
	// Responders are the IDs of people who may answer, from the start, from a schedule step on or when
	// on call. Groups are the entries of groups.
	Responders []string
	Groups     []ask.Entry
	// Replies means that typed messages may answer a request.
	Replies bool
}

func namedOf(cfg *config.Config, platform string) Named {
	var n Named
	rule := func(responders []string) {
		for _, who := range responders {
			e, _ := ask.ParseEntry(who)
			switch {
			case e.Platform != platform:
			case e.Kind == "":
				n.Responders = append(n.Responders, e.ID)
			default:
				n.Groups = append(n.Groups, e)
			}
		}
	}
	places := func(targets []config.Target) {
		for _, t := range targets {
			if t.Platform == platform {
				n.Routes = append(n.Routes, ask.Place(t))
			}
		}
	}
	steps := func(s config.Schedule) {
		for _, step := range s.Steps {
			rule(step.Responders)
			places(step.To)
		}
	}
	rule(cfg.Responders)
	for _, route := range cfg.Routes {
		rule(route.Responders)
		places(route.To)
		steps(route.Schedule)
	}
	for _, digest := range cfg.Digest {
		places(digest.To)
	}
	for _, rota := range cfg.Rotas {
		for _, member := range rota.Members {
			rule([]string{member})
			rule(cfg.People[member])
		}
	}
	for _, agent := range cfg.Agents {
		rule(agent.Responders)
		steps(agent.Schedule)
		for _, target := range agent.Targets {
			if place, err := ask.ParsePlace(target); err == nil && place.Platform == platform && place.Channel != "*" {
				n.Agents = append(n.Agents, place)
			}
		}
	}
	for _, route := range cfg.Routes {
		n.Replies = n.Replies || route.Replies.Replies().On()
	}
	for _, agent := range cfg.Agents {
		n.Replies = n.Replies || agent.Replies.Replies().On()
	}
	n.Routes, n.Agents = each(n.Routes, ask.Place.String), each(n.Agents, ask.Place.String)
	n.Responders = Sorted(n.Responders)
	n.Groups = each(n.Groups, ask.Entry.String)
	return n
}

// each sorts a list and removes duplicates.
func each[T comparable](list []T, text func(T) string) []T {
	sort.Slice(list, func(i, j int) bool { return text(list[i]) < text(list[j]) })
	return slices.Compact(list)
}
