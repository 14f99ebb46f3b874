package slacksim

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"
)

// begin sets the workspace to its initial state.
func (s *Server) begin() {
	o := s.opts
	s.groups = slices.Clone(o.Groups)
	s.people = slices.Clone(o.People)
	s.conversations, s.clients = map[string]*conversation{}, map[string]*client{}
	s.triggers, s.responses, s.views, s.homes = map[string]*trigger{}, map[string]*responseURL{}, map[string]*view{}, map[string]*view{}
	s.scheduled, s.files, s.agents = nil, map[string]*file{}, map[agentThread]*agentSession{}
	for _, c := range o.Channels {
		s.conversations[c.ID] = &conversation{Channel: s.settled(c)}
	}
}

// settled returns a channel with default members, everyone and the bot, if it lists none.
func (s *Server) settled(c Channel) Channel {
	if c.Members == nil {
		c.Members = []string{s.opts.BotUser}
		for _, p := range s.people {
			c.Members = append(c.Members, p.ID)
		}
	}
	c.Members = slices.Clone(c.Members)
	return c
}

// Reset restores the initial state of a workspace of New: people, channels, installation and
// clock as created, no messages, violations or pending faults, and no workspaces that were added.
// Connections and delivery URLs are kept.
func (s *Server) Reset() {
	s.mu.Lock()
	s.App.begin()
	maps.DeleteFunc(s.teams, func(_ string, other *Server) bool { return other != s })
	s.begin()
	if s.inst = nil; s.org != nil {
		s.org.inst = nil
	}
	s.preinstall()
	s.mu.Unlock()
	s.clock.Reset()
	s.cues.Clear()
	s.ledger.Clear()
	s.traffic.Clear()
	s.timeline.Clear()
	s.notify()
}

// Now returns the time in Slack.
func (a *App) Now() time.Time { return a.clock.Now() }

// Advance moves the clock of all workspaces forward: messages age, response_urls, trigger_ids and
// tokens expire, and scheduled messages are posted. Acknowledgement deadlines use the real clock.
func (a *App) Advance(d time.Duration) {
	a.clock.Advance(d)
	for _, s := range a.Workspaces() {
		s.mu.Lock()
		now := s.clock.Now()
		var due []*scheduled
		for _, l := range s.scheduled {
			if !l.at.After(now) {
				due = append(due, l)
			}
		}
		s.mu.Unlock()
		for _, l := range due {
			s.postScheduled(l)
		}
		s.notify()
	}
}

// locale matches a Slack locale such as "es-LA".
// https://docs.slack.dev/reference/methods/users.info
var locale = regexp.MustCompile(`^[a-z]{2}-[A-Z]{2}$`)

// PutPerson adds or changes a person. Without an id it generates one. Existing channels do not
// gain a member.
func (s *Server) PutPerson(p Person) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	if p.ID == "" {
		p.ID = s.newID("UN") // Initial ids do not have the N.
	}
	if p.ID == s.opts.BotUser {
		return "", fmt.Errorf("slacksim: %s is the app's own bot", p.ID)
	}
	p.fill(&s.opts)
	if !locale.MatchString(p.Locale) {
		return "", fmt.Errorf("slacksim: %q is no locale as Slack writes them, such as de-DE", p.Locale)
	}
	if known := s.person(p.ID); known != nil {
		*known = p
	} else {
		s.people = append(s.people, p)
	}
	return p.ID, nil
}

// PutChannel adds or changes a channel and keeps its messages. Without an id it generates one;
// without members everyone and the bot belong to it.
func (s *Server) PutChannel(c Channel) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	if c.ID == "" {
		c.ID = s.newID("CN")
	}
	c = s.settled(c)
	for _, member := range c.Members {
		if member != s.opts.BotUser && s.person(member) == nil {
			return "", fmt.Errorf("slacksim: no person %s in the workspace", member)
		}
	}
	known := s.conversations[c.ID]
	switch {
	case known == nil:
		s.conversations[c.ID] = &conversation{Channel: c}
	case known.with != "":
		return "", fmt.Errorf("slacksim: %s is a direct message", c.ID)
	default:
		known.Channel = c
	}
	return c.ID, nil
}

// PutGroup adds or changes a user group. Without an id it generates one.
func (s *Server) PutGroup(g Group) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	if g.ID == "" {
		g.ID = s.newID("SN")
	}
	for _, member := range g.Members {
		if s.person(member) == nil {
			return "", fmt.Errorf("slacksim: no person %s in the workspace", member)
		}
	}
	g.Members = slices.Clone(g.Members)
	if i := slices.IndexFunc(s.groups, func(other Group) bool { return other.ID == g.ID }); i >= 0 {
		s.groups[i] = g
	} else {
		s.groups = append(s.groups, g)
	}
	return g.ID, nil
}

// People lists all accounts.
func (s *Server) People() []Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.people)
}

// Groups lists the user groups.
func (s *Server) Groups() []Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.groups)
}

// Channels lists the channels and the opened direct messages.
func (s *Server) Channels() []Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Channel
	for _, c := range s.sortedConversations() {
		listed := c.Channel
		listed.Members = slices.Clone(c.Members)
		out = append(out, listed)
	}
	return out
}

// History returns the messages of a conversation as Slack's API renders them, oldest first.
func (s *Server) History(channel string) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []map[string]any{}
	if conv := s.conversations[channel]; conv != nil {
		for _, m := range conv.messages {
			out = append(out, s.messageJSON(m, true))
		}
	}
	return out
}

// IsDirect reports whether a conversation is the bot's direct message with a person.
func (s *Server) IsDirect(channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.conversations[channel]
	return c != nil && c.with != ""
}

// RequestURL returns the URL interactions are posted to, or "" for Socket Mode.
func (a *App) RequestURL() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requestURL
}
