package slacksim

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// Say posts a message by the person, in a conversation or a thread, and returns its timestamp.
// A subscribed app receives an event. Text may mention a person as "<@U…>"; everything else is
// literal.
func (t *Seat) Say(channel, thread, words string) (ts string, err error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	defer t.s.notify()
	if err := t.s.actor(t.person); err != nil {
		return "", err
	}
	conv := t.s.conversations[channel]
	if conv == nil || !conv.member(t.person) {
		return "", fmt.Errorf("slacksim: %s: post in %s: %w", t.person, channel, chatsim.ErrNotThere)
	}
	switch {
	case conv.with != "" && (t.s.opts.MessagesTabOff || t.s.opts.MessagesTabReadOnly):
		return "", fmt.Errorf("slacksim: %s: post in %s: %w: people cannot type in the app's messages", t.person, channel, chatsim.ErrNotThere)
	case conv.locked(thread):
		return "", fmt.Errorf("slacksim: %s: post in %s: %w: the thread is locked", t.person, channel, chatsim.ErrNotThere)
	}
	return t.s.say(conv, t.person, thread, words).ts, nil
}

// Answer posts in the thread of the newest top-level message of the app that has blocks.
func (t *Seat) Answer(words string) error {
	channel, card, err := t.newest(func(m *message) bool {
		return m.user == t.s.opts.BotUser && len(m.blocks) > 0 && m.thread == "" && m.onlyFor == ""
	})
	if err == nil {
		_, err = t.Say(channel, card, words)
	}
	return err
}

// Reword is Rewrite for the person's last message.
func (t *Seat) Reword(words string) error {
	channel, mine, err := t.newest(func(m *message) bool { return m.user == t.person })
	if err == nil {
		err = t.Rewrite(channel, mine, words)
	}
	return err
}

// TakeBack is Retract for the person's last message.
func (t *Seat) TakeBack() error {
	channel, mine, err := t.newest(func(m *message) bool { return m.user == t.person })
	if err == nil {
		err = t.Retract(channel, mine)
	}
	return err
}

// newest finds the newest matching message that the person sees.
func (t *Seat) newest(is func(*message) bool) (channel, ts string, err error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	for _, f := range t.s.faces(t) {
		if f.msg != nil && is(f.msg) {
			return f.conv.ID, f.msg.ts, nil
		}
	}
	return "", "", fmt.Errorf("slacksim: %s: no such message: %w", t.person, chatsim.ErrNotThere)
}

// Rewrite edits a message by the person. A subscribed app receives an event, and another one
// for a mention in it.
func (t *Seat) Rewrite(channel, ts, words string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	defer t.s.notify()
	conv, m, err := t.mine(channel, ts)
	if err != nil {
		return err
	}
	before := t.s.messageJSON(m, true)
	m.text, m.editedAt = typed(words), t.s.newTS()
	t.s.record(chatsim.Event{Kind: chatsim.Edited, Person: t.person, Channel: conv.ID, Message: m.ts, Text: words})
	t.s.emitChange(conv, m, before)
	t.s.emitMention(conv, m)
	return nil
}

// Retract deletes a message by the person.
func (t *Seat) Retract(channel, ts string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	defer t.s.notify()
	conv, m, err := t.mine(channel, ts)
	if err != nil {
		return err
	}
	before := t.s.messageJSON(m, true)
	t.s.erase(conv, m)
	t.s.record(chatsim.Event{Kind: chatsim.Deleted, Person: t.person, Channel: conv.ID, Message: m.ts})
	t.s.emitChange(conv, m, before)
	return nil
}

// mine finds a message and checks that the person wrote it.
func (t *Seat) mine(channel, ts string) (*conversation, *message, error) {
	if err := t.s.actor(t.person); err != nil {
		return nil, nil, err
	}
	if conv := t.s.conversations[channel]; conv != nil && conv.member(t.person) {
		if m := conv.find(ts); m != nil && m.user == t.person {
			return conv, m, nil
		}
	}
	return nil, nil, fmt.Errorf("slacksim: %s: no message %s of theirs in %s: %w", t.person, ts, channel, chatsim.ErrNotThere)
}

// SayAsBot posts a message by another app's bot, one of the people with Bot set. Like those of
// current apps it has a bot_id and no subtype.
func (s *Server) SayAsBot(bot, channel, thread, words string) (ts string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	conv, p := s.conversations[channel], s.person(bot)
	if conv == nil || p == nil || !p.Bot {
		return "", fmt.Errorf("slacksim: bot %s in %s: %w", bot, channel, chatsim.ErrNotThere)
	}
	return s.say(conv, bot, thread, words).ts, nil
}

// say stores a message by a person.
func (s *Server) say(conv *conversation, person, thread, words string) *message {
	m := &message{
		channel: conv.ID, ts: s.newTS(), thread: thread, user: person, text: typed(words), posted: s.clock.Now(),
		picks: map[string]picks{},
	}
	conv.messages = append(conv.messages, m)
	s.record(chatsim.Event{Kind: chatsim.Posted, Person: person, Channel: conv.ID, Message: m.ts, Text: words, Under: thread})
	s.emitMessage(conv, m)
	return m
}

// tokenForm matches what a client sends for a mention, a channel, or a link.
var tokenForm = regexp.MustCompile(`<(?:@[UW]|#C|!|https?://)[^<>]*>`)

var typedEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// typed escapes typed text as Slack does.
// https://docs.slack.dev/messaging/formatting-message-text/#escaping
func typed(words string) string {
	var out strings.Builder
	last := 0
	for _, at := range tokenForm.FindAllStringIndex(words, -1) {
		out.WriteString(typedEscapes.Replace(words[last:at[0]]))
		out.WriteString(words[at[0]:at[1]])
		last = at[1]
	}
	out.WriteString(typedEscapes.Replace(words[last:]))
	return out.String()
}

// emitMessage sends the app a message event, and an app_mention event if the message mentions
// it. Slack does not guarantee their order. https://docs.slack.dev/reference/events/message
// https://docs.slack.dev/reference/events/app_mention
func (s *Server) emitMessage(conv *conversation, m *message) {
	if m.onlyFor != "" {
		return
	}
	s.emit(conv, s.eventMessage(m))
	s.emitMention(conv, m)
}

// emitMention sends the app_mention event, which Slack never sends for direct messages. It is
// sent again when the message is edited.
func (s *Server) emitMention(conv *conversation, m *message) {
	if conv.with == "" && m.user != s.opts.BotUser && strings.Contains(m.text, "<@"+s.opts.BotUser+">") {
		mention := s.eventMessage(m)
		mention["type"] = EventAppMention
		s.emit(conv, mention)
	}
}

// eventMessage renders a message for events: with the author of its thread, and with the author's
// workspace if that is another one. https://docs.slack.dev/apis/slack-connect/
func (s *Server) eventMessage(m *message) object {
	out := s.messageJSON(m, true)
	if len(m.files) > 0 {
		out["subtype"] = "file_share"
	}
	if conv := s.conversations[m.channel]; conv != nil && m.thread != "" {
		if root := conv.find(m.thread); root != nil {
			out["parent_user_id"] = root.user
		}
	}
	if p := s.person(m.user); p != nil && p.Team != "" && p.Team != s.opts.Team {
		out["user_team"], out["source_team"], out["team"] = p.Team, p.Team, p.Team
	}
	return out
}

// emitChange sends the event for an edited or deleted message. One that leaves a tombstone
// counts as edited. https://docs.slack.dev/reference/events/message/message_changed
func (s *Server) emitChange(conv *conversation, m *message, before object) {
	event := object{"type": EventMessage, "hidden": true, "previous_message": before, "ts": s.newTS()}
	if conv.find(m.ts) == nil {
		event["subtype"], event["deleted_ts"] = "message_deleted", m.ts
	} else {
		event["subtype"], event["message"] = "message_changed", s.eventMessage(m)
	}
	s.emit(conv, event)
}
