package slacksim

import (
	"slices"
	"strings"
	"time"
)

// Quiet is a person's daily Do Not Disturb span.
type Quiet struct{ From, Until time.Duration } // since midnight, in the person's own time zone

// next returns the current quiet span, or else the next one.
func (q Quiet) next(now time.Time) (from, until time.Time) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for day := -1; ; day++ {
		from = midnight.AddDate(0, 0, day).Add(q.From)
		if until = midnight.AddDate(0, 0, day).Add(q.Until); q.Until <= q.From {
			until = until.AddDate(0, 0, 1)
		}
		if until.After(now) {
			return from, until
		}
	}
}

// quietJSON is the dnd methods' description of a person. dnd_enabled means that there is a
// schedule, not that it is active.
func quietJSON(p *Person, now time.Time) object {
	if p.Quiet == (Quiet{}) {
		return object{"dnd_enabled": false, "next_dnd_start_ts": 1, "next_dnd_end_ts": 1}
	}
	from, until := p.Quiet.next(now.In(p.Zone))
	return object{"dnd_enabled": true, "next_dnd_start_ts": from.Unix(), "next_dnd_end_ts": until.Unix()}
}

// dndInfo returns a person's Do Not Disturb status.
// https://docs.slack.dev/reference/methods/dnd.info
func (s *Server) dndInfo(c *call) (object, *apiError) {
	p := s.person(c.args.str("user"))
	if p == nil {
		return nil, no("user_not_found")
	}
	return quietJSON(p, s.clock.Now()), nil
}

// dndTeamInfo returns the status of several people.
// https://docs.slack.dev/reference/methods/dnd.teamInfo
func (s *Server) dndTeamInfo(c *call) (object, *apiError) {
	ids := slices.DeleteFunc(strings.Split(c.args.str("users"), ","), func(id string) bool { return strings.TrimSpace(id) == "" })
	switch {
	case len(ids) == 0:
		return nil, no("no_users_provided")
	case len(ids) > maxQuietPeople.max:
		s.violate(maxQuietPeople, c.method, "%d people, %d are allowed", len(ids), maxQuietPeople.max)
		return nil, no("too_many_users")
	}
	users := object{}
	for _, id := range ids {
		if p := s.person(strings.TrimSpace(id)); p != nil {
			users[p.ID] = quietJSON(p, s.clock.Now())
		}
	}
	return object{"users": users}, nil
}

// usersGetPresence returns a person's presence.
// https://docs.slack.dev/reference/methods/users.getPresence
func (s *Server) usersGetPresence(c *call) (object, *apiError) {
	p := s.person(c.args.str("user"))
	switch {
	case p == nil:
		return nil, no("user_not_found")
	case p.Away:
		return object{"presence": "away"}, nil
	}
	return object{"presence": "active"}, nil
}

// usersLookupByEmail finds a person by email address.
// https://docs.slack.dev/reference/methods/users.lookupByEmail
func (s *Server) usersLookupByEmail(c *call) (object, *apiError) {
	at := slices.IndexFunc(s.people, func(p Person) bool {
		return p.Email != "" && !p.Disabled && strings.EqualFold(p.Email, c.args.str("email"))
	})
	if at < 0 {
		return nil, no("users_not_found")
	}
	return s.usersInfo(&call{method: c.method, token: c.token, args: args{"user": s.people[at].ID}})
}
