package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// simPreview is a configuration in the simulator, with the casts of the doubles by platform.
type simPreview struct {
	cfg   *config.Config
	casts map[string]*provider.Cast
}

// loadPreview reads the routes, people and policies of a configuration, and puts the places and people that it names into the
// doubles, with the usual people of the simulator.
func loadPreview(path string) (*simPreview, error) {
	cfg, err := config.Preview(path, provider.Sections(app.Platforms()))
	if err != nil {
		return nil, usage(err)
	}
	if len(cfg.Routes) == 0 {
		return nil, usage(fmt.Errorf("%s has no routes, so there is nothing to preview", path))
	}
	p := &simPreview{cfg: cfg, casts: map[string]*provider.Cast{}}
	for name := range cfg.Platforms {
		p.casts[name] = &provider.Cast{}
	}
	p.names()
	for _, name := range slices.Sorted(maps.Keys(cfg.People)) {
		p.entries(strings.ToUpper(name[:1])+name[1:], cfg.People[name]...)
	}
	for _, name := range cfg.RouteNames() {
		r := cfg.Routes[name]
		p.places(name, r.To)
		p.entries("", r.Responders...)
		p.entries("", r.Notify...)
		for _, step := range r.Schedule.Steps {
			p.places("", step.To)
			p.entries("", step.Responders...)
			p.entries("", step.Notify...)
		}
	}
	p.entries("", cfg.Responders...)
	for _, r := range cfg.Rotas {
		p.entries("", r.Members...)
	}
	p.complete()
	return p, nil
}

// names adds what the file names instead of using an ID.
func (p *simPreview) names() {
	for _, n := range p.cfg.Names {
		cast := p.casts[n.Platform]
		list := map[config.NameKind]*[]provider.Named{config.ChannelName: &cast.Channels, config.PersonName: &cast.People, config.GroupName: &cast.Groups}[n.Kind]
		*list = enlisted(*list, n.ID, n.Text)
	}
}

// places adds the channels and people that are asked. A channel has the name of the route.
func (p *simPreview) places(name string, to []config.Target) {
	for _, t := range to {
		cast := p.casts[t.Platform]
		switch {
		case cast == nil: // The bridge reports it.
		case t.User != "":
			cast.People = enlisted(cast.People, t.User, "")
		default:
			cast.Channels = enlisted(cast.Channels, t.Channel, name)
		}
	}
}

// entries adds the people and groups of a list.
func (p *simPreview) entries(name string, list ...string) {
	for _, text := range list {
		e, _ := ask.ParseEntry(text)
		cast := p.casts[e.Platform]
		switch {
		case cast == nil: // Such as "anyone" or an on-call rota.
		case e.Kind == "":
			cast.People = enlisted(cast.People, e.ID, name)
		default:
			cast.Groups = enlisted(cast.Groups, e.ID, "")
		}
	}
}

// complete adds the usual people of the simulator under names that the file does not use, and a channel where there is none.
func (p *simPreview) complete() {
	own := slices.Collect(maps.Keys(p.cfg.People))
	if p.cfg.People == nil {
		p.cfg.People = config.People{}
	}
	for _, b := range app.Platforms() {
		cast := p.casts[b.Name]
		if cast == nil {
			continue
		}
		if len(cast.Channels) == 0 {
			cast.Channels = b.Cast.Channels[:1]
		}
		for _, who := range b.Cast.People {
			same := func(name string) bool { return strings.EqualFold(name, who.Name) }
			before := len(cast.People)
			if slices.ContainsFunc(own, same) {
				continue
			}
			if cast.People = enlisted(cast.People, who.ID, who.Name); len(cast.People) > before {
				name := strings.ToLower(who.Name)
				p.cfg.People[name] = append(p.cfg.People[name], ask.Entry{Platform: b.Name, ID: who.ID}.String())
			}
		}
	}
}

// enlisted adds an ID to a list that does not have it. Where the name is empty or in use, the ID is the name.
func enlisted(list []provider.Named, id, name string) []provider.Named {
	if slices.ContainsFunc(list, func(n provider.Named) bool { return n.ID == id }) {
		return list
	}
	if name == "" || slices.ContainsFunc(list, func(n provider.Named) bool { return n.Name == name }) {
		name = id
	}
	return append(list, provider.Named{ID: id, Name: name})
}

// scenes are one question for each route.
func (p *simPreview) scenes() sceneList {
	var all sceneList
	for _, route := range p.cfg.RouteNames() {
		body, err := json.MarshalIndent(map[string]any{
			"agent": "sample-agent", "route": route,
			"questions": []any{map[string]any{
				"question": "Shall this be deployed?", "header": "Deploy", "options": []string{"Deploy", "Wait"},
			}},
		}, "", "  ")
		if err != nil {
			panic(err) // It is JSON.
		}
		all = append(all, simScene{name: route, about: "a question on this route", hint: "Answer it, or edit it and ask again.", form: plainRequest, round: true, text: string(body)})
	}
	return all
}
