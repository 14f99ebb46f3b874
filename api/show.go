package api

import (
	"context"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
)

// Show returns a record as the API shows it to its agent, without the addresses of its cards and without names.
func Show(r bridge.Record) *client.Request { return requestOf(&r) }

// ShowOn is Show with the addresses of the cards, and the names of channels and people, which a bridge knows.
func ShowOn(ctx context.Context, b *bridge.Bridge, r *bridge.Record) *client.Request {
	shown := requestOf(r)
	for n := range r.Copies {
		shown.Delivery[n].URL = bridge.Permalink(ctx, b, r.Copies[n].Target, r.Copies[n].Ref)
	}
	name := func(at ask.Place) {
		if text := bridge.PlaceName(ctx, b, at); text != "" {
			if shown.Names == nil {
				shown.Names = map[string]string{}
			}
			shown.Names[client.NameKey(at)] = text
		}
	}
	person := func(e ask.Entry) {
		if e.Platform != "" && e.Kind == "" {
			name(ask.Place{Platform: e.Platform, Installation: e.Installation, User: e.ID})
		}
	}
	for _, c := range r.Copies {
		name(c.Target)
	}
	for e := range r.Policy.Entries() {
		person(e)
	}
	for _, step := range shown.Steps {
		for _, at := range step.To {
			name(at)
		}
		for _, list := range [][]string{step.Responders, step.Notify} {
			for _, who := range list {
				e, _ := ask.ParseEntry(who)
				person(e)
			}
		}
	}
	return shown
}

// show is ShowOn for the caller of an exchange.
func show(x *exchange, r *bridge.Record) *client.Request {
	return ShowOn(x.r.Context(), x.s.bridge, r)
}
