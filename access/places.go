package access

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/platform"
)

// everywhere is the channel that means every place on a platform.
const everywhere = "*"

// Places are where a caller may ask; the zero value is anywhere.
type Places struct {
	// limited is set if the token lists places or routes.
	limited bool
	listed  []ask.Place
	routes  []string
	// route is the default route of the bridge.
	route string
}

func newPlaces(route string, a *Agent) Places {
	p := Places{limited: len(a.Targets) > 0 || len(a.Routes) > 0, routes: a.Routes, route: route}
	for _, target := range a.Targets {
		if place, err := ask.ParsePlace(target); err == nil { // CheckAgents reports the others.
			p.listed = append(p.listed, place)
		}
	}
	return p
}

// Default returns where the caller's requests go that name no place: the zero values for the default route, else the
// first of its routes, or the first of its places that is not a whole platform.
func (p *Places) Default() (to []ask.Place, route string) {
	if !p.limited || slices.Contains(p.routes, p.route) {
		return nil, ""
	}
	if len(p.routes) > 0 {
		return nil, p.routes[0]
	}
	for _, place := range p.listed {
		if place.Channel != everywhere {
			return []ask.Place{place}, ""
		}
	}
	return nil, ""
}

// check returns nil, or a [*RefusedError] with every place of a request where the caller may not ask. Its origin is not such
// a place: it is marked as denied, and the request goes to its route.
func (p *Places) check(ctx context.Context, r *ask.Request, b *bridge.Bridge) error {
	r.OriginDenied = false
	if !p.limited {
		return nil
	}
	refused := refuse(Forbidden, "this token may not ask there")
	add := func(path, format string, args ...any) {
		refused.Places = append(refused.Places, ask.Problem{Path: path, Kind: ask.ErrTarget, Detail: fmt.Sprintf(format, args...)})
	}
	route := r.Route
	if route == "" && r.To == nil {
		route = p.route
	}
	if route != "" && !slices.Contains(p.routes, route) {
		add("route", "the route %q is not one of this token's", route)
	}
	check := func(path string, places []ask.Place) error {
		for n, t := range places {
			allowed, err := p.allow(ctx, t, r.Tenant, b)
			if err != nil {
				return err
			}
			if !allowed {
				t.Thread = ""
				add(fmt.Sprintf("%s[%d]", path, n), "%s is not one of this token's places", t.String())
			}
		}
		return nil
	}
	if err := check("to", r.To); err != nil {
		return err
	}
	for n, step := range r.Schedule.Steps {
		if err := check(fmt.Sprintf("schedule.steps[%d].to", n), step.To); err != nil {
			return err
		}
	}
	if len(refused.Places) > 0 {
		return refused
	}
	if !r.Origin.IsZero() {
		allowed, err := p.allow(ctx, r.Origin.Place, r.Tenant, b)
		r.OriginDenied = err != nil || !allowed
	}
	return nil
}

// allow reports whether the caller may ask at a place: one that is listed, or a thread whose channel on the platform is.
func (p *Places) allow(ctx context.Context, t ask.Place, tenant string, b *bridge.Bridge) (bool, error) {
	if p.list(t) {
		return true, nil
	}
	if t.Thread == "" || t.Channel == "" {
		return false, nil
	}
	channel, err := b.ChannelOf(ctx, tenant, t)
	if pe, ok := errors.AsType[*platform.Error](err); ok && pe.Kind == platform.Unreachable {
		return false, nil
	}
	if err != nil {
		r := refuse(Unclear, "%s does not say now whether this token may post in that thread", t.Platform)
		r.Err = err
		return false, r.later(platformPause)
	}
	return channel == t.Channel && p.list(ask.Place{Platform: t.Platform, Installation: t.Installation, Channel: channel}), nil
}

// list reports whether a place is listed. An ID of a platform that does not distinguish people from channels means both.
func (p *Places) list(t ask.Place) bool {
	return slices.ContainsFunc(p.listed, func(known ask.Place) bool {
		if known.Platform != t.Platform || known.Installation != "" && known.Installation != t.Installation {
			return false
		}
		known.Installation = t.Installation
		direct := ask.Place{Platform: t.Platform, Installation: t.Installation, User: known.Channel}
		return known == t || known.Channel == everywhere || known.Thread == "" && known.User == "" && t == direct
	})
}
