package discordsim

import (
	"fmt"

	"github.com/askbridge/askbridge/chatsim"
)

// Say posts a message by the person in a channel and returns its id.
func (t *Seat) Say(channelID, words string) (id string, err error) {
	return t.reply(channelID, "", words, true)
}

// Reply posts a reply to a message and notifies its author, the client's default.
func (t *Seat) Reply(channelID, to, words string) (id string, err error) {
	return t.reply(channelID, to, words, true)
}

// ReplyQuietly is Reply with the notification disabled, so the author is not mentioned.
func (t *Seat) ReplyQuietly(channelID, to, words string) (id string, err error) {
	return t.reply(channelID, to, words, false)
}

func (t *Seat) reply(channelID, to, words string, pings bool) (id string, err error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if err := t.s.actor(t.person); err != nil {
		return "", err
	}
	conv := t.s.channels[channelID]
	if conv == nil || !t.s.seenBy(conv, t.person) {
		return "", fmt.Errorf("discordsim: %s: post in %s: %w", t.person, channelID, chatsim.ErrNotThere)
	}
	first := conv.find(to)
	if to != "" && first == nil {
		return "", fmt.Errorf("discordsim: %s: reply to %s: %w", t.person, to, chatsim.ErrNotThere)
	}
	return t.s.say(conv, t.person, first, words, pings).id, nil
}

// Answer replies to the newest message of the app that has a control.
func (t *Seat) Answer(words string) error {
	channelID, card, err := t.newest(func(f face) bool { return f.msg.author == t.s.opts.BotUser && len(t.s.spots(f)) > 0 })
	if err == nil {
		_, err = t.Reply(channelID, card, words)
	}
	return err
}

// Reword is Rewrite for the person's last message.
func (t *Seat) Reword(words string) error {
	channelID, mine, err := t.newest(func(f face) bool { return f.msg.author == t.person })
	if err == nil {
		err = t.Rewrite(channelID, mine, words)
	}
	return err
}

// TakeBack is Retract for the person's last message.
func (t *Seat) TakeBack() error {
	channelID, mine, err := t.newest(func(f face) bool { return f.msg.author == t.person })
	if err == nil {
		err = t.Retract(channelID, mine)
	}
	return err
}

// newest finds the newest matching message that the person sees.
func (t *Seat) newest(is func(face) bool) (channelID, id string, err error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	for _, f := range t.s.faces(t) {
		if f.msg != nil && is(f) {
			return f.conv.ID, f.msg.id, nil
		}
	}
	return "", "", fmt.Errorf("discordsim: %s: no such message: %w", t.person, chatsim.ErrNotThere)
}

// Rewrite edits a message by the person.
func (t *Seat) Rewrite(channelID, id, words string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	_, m, err := t.mine(channelID, id)
	if err != nil {
		return err
	}
	m.content, m.edited = words, t.s.clock.Now()
	t.s.record(chatsim.Event{Kind: chatsim.Edited, Person: t.person, Channel: m.channel, Message: m.id, Text: words})
	t.s.announce(messageUpdate, m)
	return nil
}

// Retract deletes a message by the person. Its event contains only ids.
func (t *Seat) Retract(channelID, id string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	conv, m, err := t.mine(channelID, id)
	if err != nil {
		return err
	}
	conv.remove(m)
	t.s.announce(messageDelete, m)
	t.s.record(chatsim.Event{Kind: chatsim.Deleted, Person: t.person, Channel: m.channel, Message: m.id})
	return nil
}

// mine finds a message and checks that the person wrote it.
func (t *Seat) mine(channelID, id string) (*channel, *message, error) {
	if err := t.s.actor(t.person); err != nil {
		return nil, nil, err
	}
	if conv := t.s.channels[channelID]; conv != nil && t.s.seenBy(conv, t.person) {
		if m := conv.find(id); m != nil && m.author == t.person {
			return conv, m, nil
		}
	}
	return nil, nil, fmt.Errorf("discordsim: %s: no message %s of theirs in %s: %w", t.person, id, channelID, chatsim.ErrNotThere)
}

// ReplyAsBot posts a message by another bot, one of the people with Bot set, as a reply if a
// message is given.
func (s *Server) ReplyAsBot(bot, channelID, to, words string) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	conv, p := s.channels[channelID], s.person(bot)
	if conv == nil || p == nil || !p.Bot {
		return "", fmt.Errorf("discordsim: bot %s in %s: %w", bot, channelID, chatsim.ErrNotThere)
	}
	return s.say(conv, bot, conv.find(to), words, true).id, nil
}

// PreviewLinks adds link previews to a message, as Discord does asynchronously: an update event
// is sent although no one edited the message.
// https://docs.discord.com/developers/events/gateway-events#message-update
func (s *Server) PreviewLinks(channelID, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if conv := s.channels[channelID]; conv != nil {
		if m := conv.find(id); m != nil {
			m.embeds = append(m.embeds, object{"type": "link", "title": "A page"})
			s.announce(messageUpdate, m)
		}
	}
}

// say stores a message by a person.
func (s *Server) say(conv *channel, who string, first *message, words string, pings bool) *message {
	m := &message{
		id: s.newID(), channel: conv.ID, author: who, content: words, posted: s.clock.Now(),
		allowed: mentions{parse: parseAll}, picks: map[string]picks{},
	}
	if first != nil {
		m.reply = first.id
		if pings && first.cause == nil { // A response to an interaction notifies no author.
			m.pings = first.author
		}
	}
	conv.keep(m)
	s.record(chatsim.Event{Kind: chatsim.Posted, Person: who, Channel: conv.ID, Message: m.id, Text: words, Under: m.reply})
	s.announce(messageCreate, m)
	return m
}
