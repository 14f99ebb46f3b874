package slacksim

import (
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// Snapshot is everything one person's client displays, ready to encode as JSON for a page.
type Snapshot struct {
	Person     string              `json:"person"`
	Name       string              `json:"name"`
	Team       string              `json:"team"`
	Emojis     map[string]string   `json:"emojis"` // replacements of custom emoji names
	Roles      map[string]string   `json:"roles"`  // user group handles by id
	Channels   []Conversation      `json:"channels"`
	Home       *Form               `json:"home,omitempty"`     // the app's Home tab if the app learns that it is opened; without blocks before the app has published any
	Commands   []string            `json:"commands,omitempty"` // the app's commands
	Forms      []Form              `json:"forms"`              // open modals, top one last
	Confirm    map[string]any      `json:"confirm,omitempty"`
	Violations []chatsim.Violation `json:"violations"`
}

// Conversation is a channel or direct message as one person sees it.
type Conversation struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Direct   bool      `json:"direct"`
	Archived bool      `json:"archived"`
	Messages []Message `json:"messages"`
}

// Message is a message as one person sees it.
type Message struct {
	Channel   string            `json:"channel"`
	TS        string            `json:"ts"`
	Thread    string            `json:"thread,omitempty"`
	Author    string            `json:"author"`
	Name      string            `json:"name"`
	FromBot   bool              `json:"from_bot"`
	Text      string            `json:"text"`
	Blocks    []map[string]any  `json:"blocks"`
	Values    map[string]any    `json:"values"`   // the person's own choices, shaped as state.values
	Warnings  map[string]string `json:"warnings"` // next to a control, by "block/action"
	Edited    bool              `json:"edited"`   // people see an "edited" mark
	Changed   bool              `json:"changed"`  // the app edited it
	OnlyYou   bool              `json:"only_you"`
	Plain     string            `json:"plain"` // as displayed
	Files     []File            `json:"files,omitempty"`
	Metadata  any               `json:"metadata,omitempty"`
	Tombstone bool              `json:"tombstone,omitempty"`
}

// File is a file on a message. Its bytes are in Server.Files.
type File struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Title   string `json:"title"`
	Alt     string `json:"alt,omitempty"`
	Size    int    `json:"size"`
	Preview string `json:"preview,omitempty"` // first lines of a snippet
	More    int    `json:"more,omitempty"`    // number of lines not shown
}

// Form is an open modal as its person sees it.
type Form struct {
	ID       string            `json:"id"`
	View     map[string]any    `json:"view"`   // with blocks and state, as in Slack's payloads
	Errors   map[string]string `json:"errors"` // below an input, by block_id
	Trouble  string            `json:"trouble,omitempty"`
	Warnings map[string]string `json:"warnings"`
	Plain    string            `json:"plain"`
}

// Snapshot returns everything one person's client displays. Watch signals changes.
func (s *Server) Snapshot(person string) Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Snapshot{Person: person, Name: s.nameOf(person), Team: s.opts.TeamName, Emojis: s.allEmojis(), Roles: map[string]string{}, Channels: []Conversation{}, Forms: []Form{}}
	for _, g := range s.groups {
		out.Roles[g.ID] = g.Handle
	}
	for _, conv := range s.sortedConversations() {
		if !conv.member(person) {
			continue
		}
		shown := Conversation{
			ID: conv.ID, Name: conv.Name, Direct: conv.with != "", Archived: conv.Archived, Messages: s.messages(conv, person),
		}
		if shown.Direct {
			shown.Name = s.opts.BotName
		}
		out.Channels = append(out.Channels, shown)
	}
	if slices.Contains(s.subscribed, EventHomeOpened) && !s.opts.HomeTabOff {
		out.Home = &Form{}
		if home := s.homes[person]; home != nil {
			*out.Home = s.form(home)
		}
	}
	if installed := s.installed(); installed != nil && slices.Contains(installed.scopes, commandScope) {
		out.Commands = s.opts.Commands
	}
	c := s.client(person)
	for _, v := range c.views {
		out.Forms = append(out.Forms, s.form(v))
	}
	if c.confirm != nil {
		out.Confirm, _ = double.Clone(c.confirm.dialog).(object)
	}
	out.Violations = s.ledger.All()
	return out
}

// Messages returns the messages of one conversation as the person sees them, oldest first.
func (t *Seat) Messages(channel string) []Message {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	conv := t.s.conversations[channel]
	if conv == nil || !conv.member(t.person) {
		return []Message{}
	}
	return t.s.messages(conv, t.person)
}

// Form returns the open form, or nil.
func (t *Seat) Form() *Form {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	views := t.s.client(t.person).views
	if len(views) == 0 {
		return nil
	}
	f := t.s.form(views[len(views)-1])
	return &f
}

// MessageJSON returns a message as Slack's API renders it, or nil if the timestamp is unknown.
func (s *Server) MessageJSON(ts string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conv := range s.conversations {
		for _, m := range conv.messages {
			if m.ts == ts {
				return s.messageJSON(m, true)
			}
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

// Archive archives a channel.
func (s *Server) Archive(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.conversations[channel]; c != nil {
		c.Archived = true
	}
}

// LockThread prevents further replies to a message.
func (s *Server) LockThread(channel, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if conv := s.conversations[channel]; conv != nil {
		if m := conv.find(ts); m != nil {
			m.locked = true
		}
	}
}

// DeleteMessage deletes a message as a workspace owner would.
func (s *Server) DeleteMessage(channel, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	conv := s.conversations[channel]
	if conv == nil {
		return
	}
	if m := conv.find(ts); m != nil {
		before := s.messageJSON(m, true)
		s.erase(conv, m)
		s.emitChange(conv, m, before)
		s.record(chatsim.Event{Kind: chatsim.Deleted, Channel: conv.ID, Message: ts})
		s.notify()
	}
}

// Remove removes a person or the bot from a channel.
func (s *Server) Remove(channel, member string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.conversations[channel]; c != nil {
		c.Members = slices.DeleteFunc(c.Members, func(id string) bool { return id == member })
	}
}

// messages lists a conversation as one person sees it.
func (s *Server) messages(conv *conversation, person string) []Message {
	out := []Message{}
	for _, m := range conv.messages {
		if m.onlyFor != "" && m.onlyFor != person {
			continue
		}
		shown := Message{
			Channel: conv.ID, TS: m.ts, Thread: m.thread, Author: m.user, Name: s.nameOf(m.user),
			FromBot: m.user == s.opts.BotUser, Text: m.text, Blocks: []map[string]any{},
			Values: stateValues(m.blocks, face{conv: conv, msg: m}.picks(person)), Warnings: s.warnings(m.ts, person),
			Edited: m.editedAt != "", Changed: m.changed, OnlyYou: m.onlyFor != "", Plain: s.seeMessage(conv, m, person),
			Metadata: double.Clone(m.metadata), Tombstone: m.user == tombstone,
		}
		for _, f := range m.files {
			shown.Files = append(shown.Files, s.seenFile(f))
		}
		for _, b := range m.blocks {
			shown.Blocks = append(shown.Blocks, s.drawn(b))
		}
		out = append(out, shown)
	}
	return out
}

func (s *Server) seenFile(f *file) File {
	o := s.fileJSON(f)
	more, _ := o["lines_more"].(int)
	return File{ID: f.id, Name: f.name, Title: f.title, Alt: f.alt, Size: len(f.content), Preview: text(o, "preview"), More: more}
}

func (s *Server) form(v *view) Form {
	view := s.viewJSON(v)
	blocks := make([]any, len(v.blocks))
	for n, b := range v.blocks {
		blocks[n] = s.drawn(b)
	}
	view["blocks"] = blocks
	return Form{
		ID: v.id, View: view, Errors: maps.Clone(v.errors), Trouble: v.trouble,
		Warnings: s.warnings(v.id, v.person), Plain: s.seeView(face{view: v}),
	}
}

// warnings lists the warnings next to the controls of one message or view.
func (s *Server) warnings(id, person string) map[string]string {
	out := map[string]string{}
	for key, words := range s.client(person).warnings {
		if rest, ok := strings.CutPrefix(key, id+"\n"); ok {
			out[strings.ReplaceAll(rest, "\n", "/")] = words
		}
	}
	return out
}
