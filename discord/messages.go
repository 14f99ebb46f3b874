package discord

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// The handled message events; see
// https://docs.discord.com/developers/events/gateway-events#messages.
const (
	eventCreated = "MESSAGE_CREATE"
	eventChanged = "MESSAGE_UPDATE"
	eventDeleted = "MESSAGE_DELETE"
	eventPurged  = "MESSAGE_DELETE_BULK"
)

// The types of messages written by people
// (https://docs.discord.com/developers/resources/message#message-object-message-types).
const (
	typeDefault = 0
	typeReply   = 19
)

// utterance contains the members of a message that are used.
type utterance struct {
	ID        string `json:"id"`
	Channel   string `json:"channel_id"`
	Guild     string `json:"guild_id"`
	Type      int    `json:"type"`
	Author    user   `json:"author"`
	Member    member `json:"member"`
	Webhook   string `json:"webhook_id"`
	Content   string `json:"content"`
	Edited    string `json:"edited_timestamp"`
	Mentions  []user `json:"mentions"`
	Reference struct {
		Type    int    `json:"type"` // 1 is a forwarded message
		Message string `json:"message_id"`
	} `json:"message_reference"`
}

var errNoMessage = errors.New("not a message written by a person to the bot")

// interaction converts a message event to the bridge's type. Most messages in a server are not
// for the bot, and most of those are recognized without their content.
func (m *utterance) interaction(kind string, us home, now time.Time) (platform.Interaction, error) {
	if !snowflake.MatchString(m.ID) || !snowflake.MatchString(m.Channel) {
		return platform.Interaction{}, errUnwanted
	}
	i := platform.Interaction{
		ID: "said " + m.ID, Person: ask.Person{Platform: Name},
		Message: platform.MessageRef{Platform: Name, Channel: m.Channel, Message: m.ID}, Typed: &platform.TypedMessage{},
	}
	i.Order, _ = strconv.ParseInt(m.ID, 10, 64) // It is a valid number.
	if kind == eventDeleted {
		i.ID += " deleted"
		i.Order, i.Typed.Deleted = max(i.Order, orderAt(now)), true
		return i, nil
	}
	acted := m.acted()
	who := acted.who()
	named := us.bot != "" && slices.ContainsFunc(m.Mentions, func(u user) bool { return u.ID == us.bot })
	direct := m.Guild == ""
	aside := !direct && !named && m.Reference.Message == "" // A conversation between people.
	switch {
	case who.Bot, who.System, m.Webhook != "", who.ID == us.bot, !snowflake.MatchString(who.ID):
		return platform.Interaction{}, errNoMessage
	case m.Type != typeDefault && m.Type != typeReply, m.Reference.Type != 0:
		return platform.Interaction{}, errNoMessage
	case aside && (kind != eventChanged || m.Edited == "" || us.bot == ""):
		return platform.Interaction{}, errNoMessage
	case kind == eventChanged && m.Edited == "":
		return platform.Interaction{}, errUnwanted // A link preview, or a pin.
	}
	i.Typed.At = made(m.ID)
	if edited, err := time.Parse(time.RFC3339, m.Edited); err == nil {
		i.ID += " " + nonce(m.Edited, m.Content) // Consecutive edits may have the same timestamp.
		i.Order, i.Typed.Edited, i.Typed.At = max(i.Order, orderAt(edited)), true, edited
	}
	if aside {
		i.Typed.Deleted = true // It may have mentioned the bot before, and its content is no longer readable.
		return i, nil
	}
	i.Person = ask.Person{Platform: Name, ID: who.ID, Name: nameOf(m.Member.Nick, who)}
	i.Groups, i.Membership = acted.groups(), acted.belongs(us.application)
	i.Typed.To, i.Typed.Addressed = m.Reference.Message, direct || named
	i.Typed.Text = withoutMention(m.Content, us.bot)
	i.Typed.Withheld = m.Content == "" && !direct && !named
	return i, nil
}

// acted returns the message as a payload with its author.
func (m *utterance) acted() *payload {
	who := m.Member
	if m.Guild != "" {
		who.User = m.Author
	}
	return &payload{Guild: m.Guild, Member: who, User: m.Author}
}

// orderAt returns the order of an action at a time: the last id of that millisecond.
func orderAt(at time.Time) int64 { return (at.UnixMilli()-snowflakeEpoch)<<22 | (1<<22 - 1) }

// withoutMention trims the bot's mention from both ends of a typed text.
func withoutMention(text, bot string) string {
	text = strings.TrimSpace(text)
	for _, mention := range []string{"<@" + bot + ">", "<@!" + bot + ">"} {
		if bot != "" {
			text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, mention), mention))
		}
	}
	return text
}

// overheard handles a message event.
func (c *Connector) overheard(kind string, raw json.RawMessage) {
	received := time.Now()
	var m utterance
	if err := connector.ReadLoosely(raw, &m); err != nil {
		c.log.Warn("unreadable discord message", "bytes", len(raw))
		return
	}
	c.handleMessage(kind, &m, received)
}

// purged handles a bulk deletion, for which Discord sends no other events.
func (c *Connector) purged(raw json.RawMessage) {
	received := time.Now()
	var gone struct {
		IDs     []string `json:"ids"`
		Channel string   `json:"channel_id"`
		Guild   string   `json:"guild_id"`
	}
	if err := connector.ReadLoosely(raw, &gone); err != nil {
		c.log.Warn("unreadable discord message", "bytes", len(raw))
		return
	}
	var all []platform.Interaction
	for _, id := range gone.IDs {
		m := utterance{ID: id, Channel: gone.Channel, Guild: gone.Guild}
		if i, err := m.interaction(eventDeleted, c.self.home(), received); err == nil && c.misplaced(m.Guild, i.Message) == nil {
			all = append(all, i)
		}
	}
	c.acts.BeginEach(connector.HandlerTime, all, &speaker{c: c, channel: gone.Channel})
}

// handleMessage handles a message event. Discord sends it once, so the author gets a busy response if
// too many are in progress.
func (c *Connector) handleMessage(kind string, m *utterance, received time.Time) {
	i, err := m.interaction(kind, c.self.home(), received)
	if err != nil || c.misplaced(m.Guild, i.Message) != nil {
		return // Send no response: it is a conversation between people.
	}
	who := &speaker{c: c, act: i.ID, channel: m.Channel, message: m.ID, person: m.Author.ID}
	if c.acts.Begin(received, connector.HandlerTime, i, who) || !i.Typed.Addressed || !c.acts.Listening() {
		return
	}
	c.turned.run(func() {
		n := busyNote(c.cfg.Language)
		n.Hint = true                                   // It answers no request, and may be one of many.
		_ = who.ReplyEphemeral(context.Background(), n) // There is no caller to report an error to.
	})
}

// ReceivesMessages returns nil if typed answers are received: over the gateway, if the configuration
// enables them. It implements [platform.MessageReceiver].
func (c *Connector) ReceivesMessages() error {
	switch {
	case c.cfg.Mode != ModeGateway:
		return errors.New("typed messages do not arrive over HTTP, only over the gateway (mode: gateway)")
	case !c.cfg.Messages:
		return errors.New("the bot does not ask for messages (messages: true)")
	}
	return nil
}

// SentAt returns the time a message was written. It implements [platform.MessageDater].
func (*Connector) SentAt(message string) time.Time {
	if !snowflake.MatchString(message) {
		return time.Time{}
	}
	return made(message)
}

// speaker responds to a person's message. Discord needs no acknowledgement of a message, and
// has no ephemeral messages outside of interactions: a private note is a direct message, or
// else a reply.
type speaker struct {
	c *Connector
	// act is the id of the message's version: an edit gets its own response.
	act                      string
	channel, message, person string
}

var (
	_ connector.Responder = (*speaker)(nil)
	_ platform.Announcer  = (*speaker)(nil)
)

// Ack does nothing: a message needs no acknowledgement.
func (*speaker) Ack(context.Context) error { return nil }

// Redraw does nothing: no card was used.
func (*speaker) Redraw(context.Context, render.Card) error { return nil }

// OpenForm does nothing: only a press can open a form.
func (*speaker) OpenForm(context.Context, render.Form) error { return nil }

// Finish does nothing.
func (*speaker) Finish(context.Context) error { return nil }

// Late does nothing: a message needs no acknowledgement.
func (*speaker) Late(context.Context) bool { return false }

// newHints is the number of people per minute who get a hint in a first direct message. Discord
// treats bursts of new direct messages as spam and then blocks further ones until an appeal
// (https://docs.discord.com/developers/resources/user#create-dm).
const newHints = 10

// ReplyEphemeral sends a note to the person in a direct message, or as a reply if they accept
// none. Hints in first direct messages are limited to newHints per minute.
func (s *speaker) ReplyEphemeral(ctx context.Context, n platform.Note) error {
	if n.Text == "" {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	if n.Hint && !s.c.places.direct.Contains(s.person) && !s.c.hints.Allow() {
		s.c.log.Info("hint suppressed, too many messages", "person", s.person)
		return nil
	}
	channel, err := s.c.places.directOf(ctx, s.person)
	if err == nil && channel != s.channel {
		if err = s.c.api.say(ctx, channel, worded(n), "hint", s.act, n.Text); err == nil {
			return nil
		}
	}
	return s.below(ctx, n, "hint")
}

// Announce replies to the message without notifying anyone. It implements [platform.Announcer].
func (s *speaker) Announce(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	return s.below(ctx, platform.Note{Text: text}, "said")
}

// below replies to the message, once.
func (s *speaker) below(ctx context.Context, n platform.Note, what string) error {
	m := worded(n)
	m.To = reference(s.message)
	return s.c.api.say(ctx, s.channel, m, what, s.act, n.Text)
}

// worded returns a note as a message.
func worded(n platform.Note) outgoing {
	return outgoing{Components: components.Note(n.Text, n.Who, n.Language)[0], Flags: components.Flags}
}
