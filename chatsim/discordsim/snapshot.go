package discordsim

import (
	"maps"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// Snapshot is everything one person's client displays, ready to encode as JSON for a page.
type Snapshot struct {
	Person     string              `json:"person"`
	Name       string              `json:"name"`
	Guild      string              `json:"guild"` // the guild's name
	Roles      map[string]string   `json:"roles"` // names by id
	Channels   []Conversation      `json:"channels"`
	Commands   []string            `json:"commands,omitempty"` // chat commands that can be run without options, such as "ask later"
	Form       *Form               `json:"form"`               // the open modal, or null
	Violations []chatsim.Violation `json:"violations"`
}

// Conversation is a channel, a thread or a direct message as one person sees it.
type Conversation struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Direct   bool      `json:"direct"`
	Parent   string    `json:"parent,omitempty"` // for a thread
	Archived bool      `json:"archived"`
	Messages []Message `json:"messages"`
}

// Message is a message as one person sees it.
type Message struct {
	Channel    string           `json:"channel"`
	ID         string           `json:"id"`
	Author     string           `json:"author"`
	Name       string           `json:"name"`
	FromBot    bool             `json:"from_bot"`
	Reply      string           `json:"reply,omitempty"` // the message it replies to
	Content    string           `json:"content"`         // markup
	Embeds     []any            `json:"embeds"`
	Components []map[string]any `json:"components"` // as in Discord's messages
	Files      []Attachment     `json:"files"`      // below the message or in components
	Poll       *Poll            `json:"poll,omitempty"`
	Values     map[string]any   `json:"values"` // the person's selections by custom_id
	Flags      int              `json:"flags"`
	Edited     bool             `json:"edited"`
	OnlyYou    bool             `json:"only_you"`
	Thinking   bool             `json:"thinking"`
	Warning    string           `json:"warning,omitempty"`
	Plain      string           `json:"plain"` // as displayed
}

// Attachment is a file of a message. Its bytes are in Server.Files.
type Attachment struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Alt   string `json:"alt,omitempty"`
	Kind  string `json:"kind"` // media type
	Size  int    `json:"size"`
	Below bool   `json:"below"` // displayed below the message instead of in a component
}

// Poll is a poll of a message as one person sees it.
type Poll struct {
	Question string       `json:"question"`
	Answers  []PollAnswer `json:"answers"`
	Over     bool         `json:"over"`
}

// PollAnswer is one answer of a poll.
type PollAnswer struct {
	Text  string `json:"text"`
	Votes int    `json:"votes"`
	Mine  bool   `json:"mine"`
}

// Form is an open modal as its person sees it.
type Form struct {
	CustomID   string            `json:"custom_id"`
	Title      string            `json:"title"`
	Components []map[string]any  `json:"components"`
	Values     map[string]any    `json:"values"` // a text, or a list of selected values, by custom_id
	Errors     map[string]string `json:"errors"` // below a field, by custom_id
	Trouble    string            `json:"trouble,omitempty"`
	Submit     string            `json:"submit"` // button labels
	Cancel     string            `json:"cancel"`
	Plain      string            `json:"plain"`
}

// Snapshot returns everything one person's client displays. Watch signals changes.
func (s *Server) Snapshot(person string) Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Snapshot{Person: person, Name: s.nameOf(person), Guild: s.opts.GuildName, Roles: map[string]string{}, Channels: []Conversation{}}
	for _, r := range s.roles {
		out.Roles[r.ID] = r.Name
	}
	for _, conv := range s.sortedChannels() {
		if !s.seenBy(conv, person) {
			continue
		}
		shown := Conversation{
			ID: conv.ID, Name: conv.Name, Direct: conv.with != "", Parent: conv.Parent, Archived: conv.Archived,
			Messages: s.messages(conv, person),
		}
		if shown.Direct {
			shown.Name = s.opts.BotName
		}
		out.Channels = append(out.Channels, shown)
	}
	for _, c := range s.commands {
		out.Commands = append(out.Commands, c.plain()...)
	}
	if f := s.client(person).form; f != nil {
		shown := s.form(f)
		out.Form = &shown
	}
	out.Violations = s.ledger.All()
	return out
}

// Messages returns the messages of one channel as the person sees them, oldest first.
func (t *Seat) Messages(channelID string) []Message {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	conv := t.s.channels[channelID]
	if conv == nil || !t.s.seenBy(conv, t.person) {
		return []Message{}
	}
	return t.s.messages(conv, t.person)
}

// Form returns the open form, or nil.
func (t *Seat) Form() *Form {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	f := t.s.client(t.person).form
	if f == nil {
		return nil
	}
	shown := t.s.form(f)
	return &shown
}

// messages lists a channel as one person sees it.
func (s *Server) messages(conv *channel, person string) []Message {
	out := []Message{}
	for _, m := range conv.messages {
		if m.onlyFor != "" && m.onlyFor != person {
			continue
		}
		embeds, _ := double.Clone(m.embeds).([]any)
		if embeds == nil {
			embeds = []any{}
		}
		out = append(out, Message{
			Channel: conv.ID, ID: m.id, Author: m.author, Name: s.nameOf(m.author), FromBot: m.author == s.opts.BotUser,
			Reply: m.reply, Content: m.content, Embeds: embeds, Components: s.drawn(conv.shows(m)), Files: known(m), Poll: s.pollOf(m, person),
			Values: valuesOf(m.components, face{msg: m}.picks(person)), Flags: m.flags, Edited: !m.edited.IsZero(),
			OnlyYou: m.onlyFor != "", Thinking: m.thinking, Warning: s.client(person).warnings[m.id],
			Plain: s.seeMessage(conv, m, person),
		})
	}
	return out
}

func (s *Server) form(f *form) Form {
	components := s.drawn(objects(f.def["components"]))
	return Form{
		CustomID: text(f.def, "custom_id"), Title: text(f.def, "title"), Components: components,
		Values: valuesOf(components, f.picks), Errors: maps.Clone(f.errors), Trouble: f.trouble,
		Submit: formSubmit, Cancel: formCancel, Plain: s.seeForm(f),
	}
}

func valuesOf(components []object, held picks) map[string]any {
	out := map[string]any{}
	for _, e := range fieldsOf(components) {
		out[text(e, "custom_id")] = held.value(e)
	}
	return out
}

// MessageJSON returns a message as Discord's API renders it, or nil if the id is unknown.
func (s *Server) MessageJSON(id string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conv := range s.channels {
		if m := conv.find(id); m != nil {
			return s.messageJSON(m)
		}
	}
	return nil
}

// DM returns the id of the bot's direct message with a person, even if it was not opened yet.
func (s *Server) DM(person string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.person(person); p != nil {
		return s.direct(p).ID
	}
	return ""
}

// CloseDM makes a person reject or accept direct messages from the app.
func (s *Server) CloseDM(person string, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.person(person); p != nil {
		p.ClosedDM = closed
	}
}

// Archive archives a thread. If locked only a moderator can unarchive it.
func (s *Server) Archive(thread string, locked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[thread]; c != nil {
		c.Archived, c.Locked = true, locked
	}
}

// Lock locks a thread without archiving it: only a moderator can post.
func (s *Server) Lock(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[thread]; c != nil {
		c.Locked = true
	}
}

// Deny sets the bot's denied permissions in a channel.
func (s *Server) Deny(channelID string, denied Permission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channelID]; c != nil {
		c.Denied = denied
	}
}

// DeleteChannel deletes a channel or thread with its messages.
func (s *Server) DeleteChannel(channelID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.channels, channelID)
	s.changed.Notify()
}

// DeleteMessage deletes a message as a moderator would.
func (s *Server) DeleteMessage(channelID, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channelID]; c != nil {
		if m := c.find(id); m != nil {
			s.remove(c, m, "moderator")
		}
	}
}

// SetRoles sets the roles of a person.
func (s *Server) SetRoles(person string, roles ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.person(person); p != nil {
		p.Roles = roles
	}
}

// Revoke invalidates the bot token until Reinstate, as resetting it does. Its sessions are
// closed.
func (s *Server) Revoke() {
	s.mu.Lock()
	s.revoked = true
	s.mu.Unlock()
	s.CloseGateways(closeToken)
}

// Reinstate makes the bot token valid again.
func (s *Server) Reinstate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = false
}
