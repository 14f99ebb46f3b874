package discordsim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// begin sets the guild to its initial state.
func (s *Server) begin() {
	o := s.opts
	s.roles = slices.Clone(o.Roles)
	s.people = slices.Clone(o.People)
	for i := range s.people {
		s.people[i].Roles = slices.Clone(s.people[i].Roles)
	}
	s.channels, s.clients = map[string]*channel{}, map[string]*client{}
	s.interactions, s.formsSeen, s.nonces = map[string]*interaction{}, map[string]bool{}, map[string]*noncePost{}
	s.oldEdits, s.buckets = map[string][]time.Time{}, map[string]*bucket{}
	s.left, s.others = false, map[string]string{}
	s.burst, s.flagged, s.created = 0, false, map[string][]time.Time{}
	s.global, s.opened, s.invalid, s.calls, s.revoked, s.commands, s.handed = nil, nil, nil, nil, false, nil, nil
	for _, c := range o.Channels {
		c.Members = slices.Clone(c.Members)
		s.channels[c.ID] = &channel{Channel: c}
	}
}

// Reset restores the initial state: people, channels and clock as created, no messages,
// violations or pending faults. Connections, sessions and the endpoint are kept.
func (s *Server) Reset() {
	s.mu.Lock()
	s.begin()
	s.mu.Unlock()
	s.clock.Reset()
	s.cues.Clear()
	s.ledger.Clear()
	s.traffic.Clear()
	s.timeline.Clear()
	s.changed.Notify()
}

// Now returns the guild's time.
func (s *Server) Now() time.Time { return s.clock.Now() }

// Advance moves the guild's clock forward: messages age, interaction tokens expire, and rate
// limits reset. Response deadlines and heartbeats use the real clock.
func (s *Server) Advance(d time.Duration) {
	s.clock.Advance(d)
	s.changed.Notify()
}

// english is the default locale.
const english = "en-US"

// locales are the client languages. https://docs.discord.com/developers/reference#locales
var locales = []string{
	"id", "da", "de", "en-GB", english, "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR", "ro", "fi", "sv-SE",
	"vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko",
}

// localeOf returns the locale of a person's client.
func (s *Server) localeOf(id string) string {
	if p := s.person(id); p != nil {
		return p.Locale
	}
	return english
}

// PutPerson adds or changes a person. Without an id it generates one.
func (s *Server) PutPerson(p Person) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Notify()
	if p.ID == "" {
		p.ID = s.newID()
	}
	if p.ID == s.opts.BotUser {
		return "", fmt.Errorf("discordsim: %s is the app's own bot", p.ID)
	}
	for _, role := range p.Roles {
		if !slices.ContainsFunc(s.roles, func(r Role) bool { return r.ID == role }) {
			return "", fmt.Errorf("discordsim: no role %s in the guild", role)
		}
	}
	p.fill()
	if !slices.Contains(locales, p.Locale) {
		return "", fmt.Errorf("discordsim: %q is no locale of Discord; there are: %s", p.Locale, strings.Join(locales, ", "))
	}
	if known := s.person(p.ID); known != nil {
		*known = p
	} else {
		s.people = append(s.people, p)
	}
	return p.ID, nil
}

// PutChannel adds or changes a channel or a thread and keeps its messages. Without an id it
// generates one; without members everyone in the guild sees it.
func (s *Server) PutChannel(c Channel) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Notify()
	if c.ID == "" {
		c.ID = s.newID()
	}
	if c.Parent != "" && s.channels[c.Parent] == nil {
		return "", fmt.Errorf("discordsim: no channel %s in the guild", c.Parent)
	}
	c.Members = slices.Clone(c.Members)
	known := s.channels[c.ID]
	switch {
	case known == nil:
		s.channels[c.ID] = &channel{Channel: c}
	case known.with != "":
		return "", fmt.Errorf("discordsim: %s is a direct message", c.ID)
	default:
		known.Channel = c
	}
	return c.ID, nil
}

// PutRole adds or changes a role. Without an id it generates one.
func (s *Server) PutRole(r Role) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Notify()
	if r.ID == "" {
		r.ID = s.newID()
	}
	if i := slices.IndexFunc(s.roles, func(other Role) bool { return other.ID == r.ID }); i >= 0 {
		s.roles[i] = r
	} else {
		s.roles = append(s.roles, r)
	}
	return r.ID, nil
}

// People lists all accounts.
func (s *Server) People() []Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.people)
}

// Roles lists the roles of the guild.
func (s *Server) Roles() []Role {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.roles)
}

// Channels lists the channels and threads, and the opened direct messages, whose only member is
// the person.
func (s *Server) Channels() []Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Channel
	for _, c := range s.sortedChannels() {
		listed := c.Channel
		listed.Members = slices.Clone(c.Members)
		if c.with != "" {
			listed.Members = []string{c.with}
		}
		out = append(out, listed)
	}
	return out
}

// History returns the messages of a channel as Discord's API renders them, oldest first.
func (s *Server) History(channelID string) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []map[string]any{}
	if conv := s.channels[channelID]; conv != nil {
		for _, m := range conv.messages {
			out = append(out, s.messageJSON(m))
		}
	}
	return out
}

// IsDirect reports whether a conversation is the bot's direct message with a person.
func (s *Server) IsDirect(channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	return c != nil && c.with != ""
}
