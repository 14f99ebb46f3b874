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
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// The events of messages that we act on; see
// https://docs.discord.com/developers/events/gateway-events#messages.
const (
	eventCreated = "MESSAGE_CREATE"
	eventChanged = "MESSAGE_UPDATE"
	eventDeleted = "MESSAGE_DELETE"
	eventPurged  = "MESSAGE_DELETE_BULK"
)

// messageIntents are what those events take: GUILD_MESSAGES and DIRECT_MESSAGES. Neither
// is privileged; without MESSAGE_CONTENT the bot reads what mentions it, and direct
// messages (https://docs.discord.com/developers/events/gateway#list-of-intents).
const messageIntents = 1<<9 | 1<<12

// The types of messages that people write
// (https://docs.discord.com/developers/resources/message#message-object-message-types).
const (
	typeDefault = 0
	typeReply   = 19
)

// utterance is the part of a message that we read.
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
		Type    int    `json:"type"` // 1 is a message that was forwarded
		Message string `json:"message_id"`
	} `json:"message_reference"`
}

var errNoMessage = errors.New("nothing that a person has written to the bot")

// interaction turns what became of a message into what the bridge understands. Most of
// what is said in a server is not for us, and most of that is told by its envelope.
func (m *utterance) interaction(kind string, us home, now time.Time) (bridge.Interaction, error) {
	if !snowflake.MatchString(m.ID) || !snowflake.MatchString(m.Channel) {
		return bridge.Interaction{}, errUnwanted
	}
	i := bridge.Interaction{
		ID: "said " + m.ID, Person: ask.Person{Platform: Name},
		Message: bridge.MessageRef{Platform: Name, Channel: m.Channel, Message: m.ID}, Said: &bridge.Said{},
	}
	i.Order, _ = strconv.ParseInt(m.ID, 10, 64) // It is a number.
	if kind == eventDeleted {
		i.ID += " deleted"
		i.Order, i.Said.Deleted = max(i.Order, orderAt(now)), true
		return i, nil
	}
	acted := m.acted()
	who := acted.who()
	named := us.bot != "" && slices.ContainsFunc(m.Mentions, func(u user) bool { return u.ID == us.bot })
	direct := m.Guild == ""
	aside := !direct && !named && m.Reference.Message == "" // People talk to each other.
	switch {
	case who.Bot, who.System, m.Webhook != "", who.ID == us.bot, !snowflake.MatchString(who.ID):
		return bridge.Interaction{}, errNoMessage
	case m.Type != typeDefault && m.Type != typeReply, m.Reference.Type != 0:
		return bridge.Interaction{}, errNoMessage
	case aside && (kind != eventChanged || m.Edited == "" || us.bot == ""):
		return bridge.Interaction{}, errNoMessage
	case kind == eventChanged && m.Edited == "":
		return bridge.Interaction{}, errUnwanted // A preview of a link, or a pin.
	}
	i.Said.At = made(m.ID)
	if edited, err := time.Parse(time.RFC3339, m.Edited); err == nil {
		i.ID += " " + nonce(m.Edited, m.Content) // A change of a change may have the same stamp.
		i.Order, i.Said.Edited, i.Said.At = max(i.Order, orderAt(edited)), true, edited
	}
	if aside {
		i.Said.Deleted = true // It may have named the bot before, and nobody can read what it says now.
		return i, nil
	}
	i.Person = ask.Person{Platform: Name, ID: who.ID, Name: nameOf(m.Member.Nick, who)}
	i.Groups, i.Membership = acted.groups(), acted.belongs(us.application)
	i.Said.To, i.Said.Addressed = m.Reference.Message, direct || named
	i.Said.Text = withoutMention(m.Content, us.bot)
	i.Said.Withheld = m.Content == "" && !direct && !named
	return i, nil
}

// acted is the message as an interaction has who acted.
func (m *utterance) acted() *payload {
	who := m.Member
	if m.Guild != "" {
		who.User = m.Author
	}
	return &payload{Guild: m.Guild, Member: who, User: m.Author}
}

// orderAt is the order of an act at a moment: that of the last id which is made then.
func orderAt(at time.Time) int64 { return (at.UnixMilli()-snowflakeEpoch)<<22 | (1<<22 - 1) }

// withoutMention takes the bot's name off both ends of what somebody typed.
func withoutMention(text, bot string) string {
	text = strings.TrimSpace(text)
	for _, mention := range []string{"<@" + bot + ">", "<@!" + bot + ">"} {
		if bot != "" {
			text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, mention), mention))
		}
	}
	return text
}

// overheard begins to act on an event of a message.
func (c *Connector) overheard(kind string, raw json.RawMessage) {
	received := time.Now()
	var m utterance
	if err := connector.ReadLoosely(raw, &m); err != nil {
		c.log.Warn("unreadable discord message", "bytes", len(raw))
		return
	}
	c.hears(kind, &m, received)
}

// purged begins to act on many messages that were deleted at once: of each of them Discord
// tells nothing else.
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
	var all []bridge.Interaction
	for _, id := range gone.IDs {
		m := utterance{ID: id, Channel: gone.Channel, Guild: gone.Guild}
		if i, err := m.interaction(eventDeleted, c.whoWeAre(), received); err == nil {
			all = append(all, i)
		}
	}
	c.acts.BeginEach(connector.HandlerTime, all, &speaker{c: c, channel: gone.Channel})
}

// hears begins to act on what became of a message. Discord sends it once, so whoever wrote
// it to the bot is told when too many are under way.
func (c *Connector) hears(kind string, m *utterance, received time.Time) {
	i, err := m.interaction(kind, c.whoWeAre(), received)
	if err != nil {
		return // Nothing is said of it: it is what people say to each other.
	}
	who := &speaker{c: c, act: i.ID, channel: m.Channel, message: m.ID, person: m.Author.ID}
	if c.acts.Begin(received, connector.HandlerTime, i, who) || !i.Said.Addressed || !c.acts.Listening() {
		return
	}
	c.turn(func() {
		n := busyNote(c.cfg.Language)
		n.Hint = true                                   // It answers nothing, and may be one of many.
		_ = who.ReplyEphemeral(context.Background(), n) // Nobody is left to be told of a failure.
	})
}

// Hears is nil where messages arrive: over the gateway, once the configuration asks for
// them. It implements [bridge.Hearer].
func (c *Connector) Hears() error {
	switch {
	case c.cfg.Mode != ModeGateway:
		return errors.New("typed messages do not arrive over HTTP, only over the gateway (mode: gateway)")
	case !c.cfg.Messages:
		return errors.New("the bot does not ask for messages (messages: true)")
	}
	return nil
}

// Written returns when a message was written. It implements [bridge.Dater].
func (*Connector) Written(message string) time.Time {
	if !snowflake.MatchString(message) {
		return time.Time{}
	}
	return made(message)
}

// speaker answers somebody who has written a message. Discord waits for no
// acknowledgement of one, and shows nothing to one person alone outside of a press: a
// private word is a direct message, or else a reply.
type speaker struct {
	c *Connector
	// act is what is answered: a message that is edited says something each time.
	act                      string
	channel, message, person string
}

var (
	_ connector.Responder = (*speaker)(nil)
	_ bridge.Announcer    = (*speaker)(nil)
)

// Ack does nothing: nobody waits.
func (*speaker) Ack(context.Context) error { return nil }

// Redraw does nothing: no card was used.
func (*speaker) Redraw(context.Context, render.Card) error { return nil }

// OpenForm does nothing: a form takes a press.
func (*speaker) OpenForm(context.Context, render.Form) error { return nil }

// Finish does nothing.
func (*speaker) Finish(context.Context) error { return nil }

// Late does nothing: nobody waits.
func (*speaker) Late(context.Context) bool { return false }

// newHints is how many people a minute who had no direct message from the bot get a hint in
// one. Discord takes a burst of new ones for spam, and then lets the bot write to
// nobody new any more, until an appeal
// (https://docs.discord.com/developers/resources/user#create-dm).
const newHints = 10

// ReplyEphemeral tells the person in a direct message, and below their message if they
// take none. Of many who had none before, newHints a minute get a hint.
func (s *speaker) ReplyEphemeral(ctx context.Context, n bridge.Note) error {
	if n.Text == "" {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	if n.Hint && !s.c.direct.Contains(s.person) && !s.c.hints.Allow() {
		s.c.log.Info("hint suppressed, too many messages", "person", s.person)
		return nil
	}
	channel, err := s.c.directOf(ctx, s.person)
	if err == nil && channel != s.channel {
		if err = s.c.say(ctx, channel, worded(n), "hint", s.act, n.Text); err == nil {
			return nil
		}
	}
	return s.below(ctx, n, "hint")
}

// Announce says something in reply to the message, and rings nobody. It implements
// [bridge.Announcer].
func (s *speaker) Announce(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	return s.below(ctx, bridge.Note{Text: text}, "said")
}

// below says something once in reply to the message.
func (s *speaker) below(ctx context.Context, n bridge.Note, what string) error {
	m := worded(n)
	m.To = s.message
	return s.c.say(ctx, s.channel, m, what, s.act, n.Text)
}

// worded is a note as a message.
func worded(n bridge.Note) outgoing {
	return outgoing{Components: components.Note(n.Text, n.Who, n.Language)[0], Flags: components.Flags}
}
