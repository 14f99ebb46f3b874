package discordsim

import (
	"slices"

	"github.com/askbridge/askbridge/chatsim"
)

// ring records in the timeline who is notified of a new message: once each, everyone mentioned
// by name or role who can see the channel, and the other person of a direct message. A silent
// message notifies no one.
// https://docs.discord.com/developers/resources/message#allowed-mentions-object
func (s *Server) ring(m *message, users, roles []string, everyone bool) {
	conv := s.channels[m.channel]
	if conv == nil || m.onlyFor != "" || m.flags&flagSilent != 0 {
		return
	}
	var notified []string
	notify := func(via, id string) {
		if p := s.person(id); p == nil || p.Bot || id == m.author || !s.seenBy(conv, id) || slices.Contains(notified, id) {
			return
		}
		notified = append(notified, id)
		s.record(chatsim.Event{Kind: chatsim.Rung, Person: id, Channel: m.channel, Message: m.id, Where: via})
	}
	for _, id := range users {
		notify("", id)
	}
	for _, p := range s.people {
		for _, role := range roles {
			if slices.Contains(p.Roles, role) {
				notify(role, p.ID)
			}
		}
		if everyone {
			notify("everyone", p.ID)
		}
		if conv.with == p.ID {
			notify("", p.ID)
		}
	}
}

// Rung counts the messages that the person was notified of.
func (t *Seat) Rung() int { return chatsim.Rings(t.s.Timeline(), t.person) }
