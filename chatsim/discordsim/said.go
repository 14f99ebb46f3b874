package discordsim

import (
	"fmt"

	"github.com/askbridge/askbridge/chatsim"
)

// Say posts a message of the person's own in a channel and returns its id.
func (t *Seat) Say(channelID, words string) (id string, err error) {
	return t.reply(channelID, "", words, true)
}

// Reply is Say in answer to a message, whose author is notified, as the client has it unless the person switches it off.
func (t *Seat) Reply(channelID, to, words string) (id string, err error) {
	return t.reply(channelID, to, words, true)
}

// ReplyQuietly is Reply with the notification switched off: then the author of that message is not mentioned.
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
		return "", fmt.Errorf("discordsim: %s: say in %s: %w", t.person, channelID, chatsim.ErrNotThere)
	}
	first := conv.find(to)
	if to != "" && first == nil {
		return "", fmt.Errorf("discordsim: %s: reply to %s: %w", t.person, to, chatsim.ErrNotThere)
	}
	return t.s.say(conv, t.person, first, words, pings).id, nil
}

// Answer is Reply to the newest message of the app that has something to press.
func (t *Seat) Answer(words string) error {
	channelID, card, err := t.newest(func(f face) bool { return f.msg.author == t.s.opts.BotUser && len(t.s.spots(f)) > 0 })
	if err == nil {
		_, err = t.Reply(channelID, card, words)
	}
	return err
}

// Reword is Rewrite of what the person wrote last.
func (t *Seat) Reword(words string) error {
	channelID, mine, err := t.newest(func(f face) bool { return f.msg.author == t.person })
	if err == nil {
		err = t.Rewrite(channelID, mine, words)
	}
	return err
}

// TakeBack is Retract of what the person wrote last.
func (t *Seat) TakeBack() error {
	channelID, mine, err := t.newest(func(f face) bool { return f.msg.author == t.person })
	if err == nil {
		err = t.Retract(channelID, mine)
	}
	return err
}

// newest finds the newest message of a kind in front of the person.
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

// Rewrite changes a message of the person's own.
func (t *Seat) Rewrite(channelID, id, words string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	_, m, err := t.mine(channelID, id)
	if err != nil {
		return err
	}
	m.content, m.edited = words, t.s.clock.Now()
	t.s.tell(chatsim.Event{Kind: chatsim.Edited, Person: t.person, Channel: m.channel, Message: m.id, Text: words})
	t.s.announce(messageUpdate, m)
	return nil
}

// Retract deletes a message of the person's own. What is told of it holds nothing but its id.
func (t *Seat) Retract(channelID, id string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	conv, m, err := t.mine(channelID, id)
	if err != nil {
		return err
	}
	conv.remove(m)
	t.s.announce(messageDelete, m)
	t.s.tell(chatsim.Event{Kind: chatsim.Deleted, Person: t.person, Channel: m.channel, Message: m.id})
	return nil
}

// mine finds a message that the person wrote: nobody changes another's.
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

// ReplyAsBot posts a message of another bot, one of the people with Bot set, in answer to a message where that is named.
func (s *Server) ReplyAsBot(bot, channelID, to, words string) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	conv, p := s.channels[channelID], s.person(bot)
	if conv == nil || p == nil || !p.Bot {
		return "", fmt.Errorf("discordsim: bot %s in %s: %w", bot, channelID, chatsim.ErrNotThere)
	}
	return s.say(conv, bot, conv.find(to), words, true).id, nil
}

// PreviewLinks fills in what a link in a message shows, as Discord does behind the author's back: the message is
// announced as changed, and nobody has edited it.
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

// say stores a message that somebody wrote.
func (s *Server) say(conv *channel, who string, first *message, words string, pings bool) *message {
	m := &message{
		id: s.newID(), channel: conv.ID, author: who, content: words, posted: s.clock.Now(),
		allowed: mentions{parse: parseAll}, picks: map[string]picks{},
	}
	if first != nil {
		m.reply = first.id
		if pings && first.cause == nil { // A response to an interaction is nobody's to be notified of.
			m.pings = first.author
		}
	}
	conv.keep(m)
	s.tell(chatsim.Event{Kind: chatsim.Posted, Person: who, Channel: conv.ID, Message: m.id, Text: words, Under: m.reply})
	s.announce(messageCreate, m)
	return m
}
