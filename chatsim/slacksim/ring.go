package slacksim

import (
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// ring records in the timeline who is notified of a new message: once each, everyone mentioned
// by name or group who is a member of the conversation, and the other person of a direct
// message. https://docs.slack.dev/messaging/formatting-message-text#mentioning-groups
func (s *Server) ring(channel, ts string, pings []string) {
	conv := s.conversations[channel]
	if conv == nil {
		return
	}
	var notified []string
	notify := func(via string, ids ...string) {
		for _, id := range ids {
			p := s.person(id)
			if p == nil || p.Bot || p.Disabled || !conv.member(id) || slices.Contains(notified, id) {
				continue
			}
			notified = append(notified, id)
			s.record(chatsim.Event{Kind: chatsim.Rung, Person: id, Channel: channel, Message: ts, Where: via})
		}
	}
	for _, ping := range pings {
		g := slices.IndexFunc(s.groups, func(g Group) bool { return g.ID == ping })
		switch {
		case g >= 0:
			notify(ping, s.groups[g].Members...)
		case strings.HasPrefix(ping, "@"):
			notify(ping, conv.Members...)
		default:
			notify("", ping)
		}
	}
	if conv.with != "" {
		notify("", conv.with)
	}
}

// Rung counts the messages that the person was notified of.
func (t *Seat) Rung() int { return chatsim.Rings(t.s.Timeline(), t.person) }
