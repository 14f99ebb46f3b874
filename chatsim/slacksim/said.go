package slacksim

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// Say posts a message of the person's own, in a conversation or a thread of it, and returns its timestamp. The app hears
// of it where it subscribed to that. Words may name somebody as "<@U…>"; everything else is what was typed.
func (t *Seat) Say(channel, thread, words string) (ts string, err error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	defer t.s.changed.Notify()
	if err := t.s.actor(t.person); err != nil {
		return "", err
	}
	conv := t.s.conversations[channel]
	if conv == nil || !conv.member(t.person) {
		return "", fmt.Errorf("slacksim: %s: say in %s: %w", t.person, channel, chatsim.ErrNotThere)
	}
	switch {
	case conv.with != "" && (t.s.opts.MessagesTabOff || t.s.opts.MessagesTabReadOnly):
		return "", fmt.Errorf("slacksim: %s: say in %s: %w: nobody can type in the messages of the app", t.person, channel, chatsim.ErrNotThere)
	case conv.locked(thread):
		return "", fmt.Errorf("slacksim: %s: say in %s: %w: the thread is locked", t.person, channel, chatsim.ErrNotThere)
	}
	return t.s.say(conv, t.person, thread, words).ts, nil
}

// Answer is Say in the thread of the newest message of the app that has blocks and stands in no thread.
func (t *Seat) Answer(words string) error {
	channel, card, err := t.newest(func(m *message) bool {
		return m.user == t.s.opts.BotUser && len(m.blocks) > 0 && m.thread == "" && m.onlyFor == ""
	})
	if err == nil {
		_, err = t.Say(channel, card, words)
	}
	return err
}

// Reword is Rewrite of what the person wrote last.
func (t *Seat) Reword(words string) error {
	channel, mine, err := t.newest(func(m *message) bool { return m.user == t.person })
	if err == nil {
		err = t.Rewrite(channel, mine, words)
	}
	return err
}

// TakeBack is Retract of what the person wrote last.
func (t *Seat) TakeBack() error {
	channel, mine, err := t.newest(func(m *message) bool { return m.user == t.person })
	if err == nil {
		err = t.Retract(channel, mine)
	}
	return err
}

// newest finds the newest message of a kind in front of the person.
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

// Rewrite changes a message of the person's own. The app hears of the change, and once more of a mention in it.
func (t *Seat) Rewrite(channel, ts, words string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	defer t.s.changed.Notify()
	conv, m, err := t.mine(channel, ts)
	if err != nil {
		return err
	}
	before := t.s.messageJSON(m, true)
	m.text, m.editedAt = typed(words), t.s.newTS()
	t.s.tell(chatsim.Event{Kind: chatsim.Edited, Person: t.person, Channel: conv.ID, Message: m.ts, Text: words})
	t.s.emitChange(conv, m, before)
	t.s.emitMention(conv, m)
	return nil
}

// Retract deletes a message of the person's own.
func (t *Seat) Retract(channel, ts string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	defer t.s.changed.Notify()
	conv, m, err := t.mine(channel, ts)
	if err != nil {
		return err
	}
	before := t.s.messageJSON(m, true)
	t.s.erase(conv, m)
	t.s.tell(chatsim.Event{Kind: chatsim.Deleted, Person: t.person, Channel: conv.ID, Message: m.ts})
	t.s.emitChange(conv, m, before)
	return nil
}

// mine finds a message that the person wrote: nobody changes another's.
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

// SayAsBot posts a message of another app's bot, one of the people with Bot set. It comes without a subtype, as those of
// today's apps do, and with a bot_id.
func (s *Server) SayAsBot(bot, channel, thread, words string) (ts string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Notify()
	conv, p := s.conversations[channel], s.person(bot)
	if conv == nil || p == nil || !p.Bot {
		return "", fmt.Errorf("slacksim: bot %s in %s: %w", bot, channel, chatsim.ErrNotThere)
	}
	return s.say(conv, bot, thread, words).ts, nil
}

// say stores a message that somebody wrote.
func (s *Server) say(conv *conversation, person, thread, words string) *message {
	m := &message{
		channel: conv.ID, ts: s.newTS(), thread: thread, user: person, text: typed(words), posted: s.clock.Now(),
		picks: map[string]picks{},
	}
	conv.messages = append(conv.messages, m)
	s.tell(chatsim.Event{Kind: chatsim.Posted, Person: person, Channel: conv.ID, Message: m.ts, Text: words, Under: thread})
	s.emitMessage(conv, m)
	return m
}

// tokenForm is what a client sends for somebody who was named, a channel, or a link.
var tokenForm = regexp.MustCompile(`<(?:@[UW]|#C|!|https?://)[^<>]*>`)

var typedEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// typed is how Slack hands on what somebody typed.
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

// emitMessage tells the app that something was said: as a message, and once more as a mention where it names the app.
// Slack promises no order of the two.
// https://docs.slack.dev/reference/events/message https://docs.slack.dev/reference/events/app_mention
func (s *Server) emitMessage(conv *conversation, m *message) {
	if m.onlyFor != "" {
		return
	}
	s.emit(conv, s.said(m))
	s.emitMention(conv, m)
}

// emitMention tells the app that a message names it, which never happens in a direct message. It comes again when the
// message is changed.
func (s *Server) emitMention(conv *conversation, m *message) {
	if conv.with == "" && m.user != s.opts.BotUser && strings.Contains(m.text, "<@"+s.opts.BotUser+">") {
		mention := s.said(m)
		mention["type"] = EventAppMention
		s.emit(conv, mention)
	}
}

// said is a message as events carry it: with who began its thread, and with the workspace of who wrote it, where that is
// another one.
// https://docs.slack.dev/apis/slack-connect/
func (s *Server) said(m *message) object {
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

// emitChange tells the app that a message was changed, or deleted where it is gone. One whose tombstone stays was changed.
// https://docs.slack.dev/reference/events/message/message_changed
func (s *Server) emitChange(conv *conversation, m *message, before object) {
	event := object{"type": EventMessage, "hidden": true, "previous_message": before, "ts": s.newTS()}
	if conv.find(m.ts) == nil {
		event["subtype"], event["deleted_ts"] = "message_deleted", m.ts
	} else {
		event["subtype"], event["message"] = "message_changed", s.said(m)
	}
	s.emit(conv, event)
}
