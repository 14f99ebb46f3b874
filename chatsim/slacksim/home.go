package slacksim

import (
	"slices"

	"github.com/askbridge/askbridge/chatsim"
)

// EventHomeOpened is the event sent when a person opens the app's Home tab.
// https://docs.slack.dev/reference/events/app_home_opened
const EventHomeOpened = "app_home_opened"

// viewsPublish replaces the view on a person's Home tab.
// https://docs.slack.dev/reference/methods/views.publish
func (s *Server) viewsPublish(c *call) (object, *apiError) {
	person := s.person(c.args.str("user_id"))
	switch {
	case s.opts.HomeTabOff:
		return nil, no("not_enabled")
	case person == nil:
		s.violate(ruleArguments, c.method, "there is no user_id %q", c.args.str("user_id"))
		return nil, no("invalid_arguments")
	}
	home := s.homes[person.ID]
	if hash := c.args.str("hash"); hash != "" && (home == nil || hash != home.hash) {
		return nil, no("hash_conflict")
	}
	def, refused := s.readView(c, homeTab)
	if refused != nil {
		return nil, refused
	}
	if other := s.viewNamed(text(def, "external_id")); other != nil && other != home {
		return nil, no("duplicate_external_id")
	}
	if home == nil {
		home = &view{id: s.newID("V"), person: person.ID, picks: picks{}}
		home.root = home.id
		s.homes[person.ID] = home
	}
	s.define(home, def)
	home.picks.keep(home.blocks)
	s.record(chatsim.Event{Kind: chatsim.ChangedHome, Person: person.ID, Form: home.id, Where: c.method})
	return object{"view": s.viewJSON(home)}, nil
}

// Home narrows the seat to the app's Home tab.
func (t *Seat) Home() *Seat { return &Seat{s: t.s, person: t.person, home: true} }

// OpenHome opens the app's Home tab. A subscribed app receives an event, which needs no scope
// and contains the view if there is one.
func (t *Seat) OpenHome() *Seat {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	p := t.s.person(t.person)
	if p == nil || !slices.Contains(t.s.subscribed, EventHomeOpened) || t.s.opts.HomeTabOff {
		return t.Home()
	}
	conv := t.s.direct(p)
	event := object{"type": EventHomeOpened, "user": p.ID, "channel": conv.ID, "tab": homeTab, "event_ts": t.s.newTS()}
	if home := t.s.homes[p.ID]; home != nil {
		event["view"] = t.s.viewJSON(home)
	}
	t.s.dispatch(event, "")
	return t.Home()
}
