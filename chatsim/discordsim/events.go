package discordsim

import (
	"maps"
	"slices"
	"time"
)

// Gateway intents for which the double sends events.
// https://docs.discord.com/developers/events/gateway#list-of-intents
const (
	intentGuilds         = 1 << 0
	intentGuildMessages  = 1 << 9
	intentDirectMessages = 1 << 12
	intentMessageContent = 1 << 15
)

// event is a gateway event other than interactions.
type event struct {
	name          string
	guild, direct int // the required intent in the guild and in a direct message
	note          string
}

// The implemented events, each with its documentation anchor.
var (
	guildCreate   = event{"GUILD_CREATE", intentGuilds, 0, "at the start of a session, on joining and after an outage: the guild, its channels and roles, no members"}
	guildDelete   = event{"GUILD_DELETE", intentGuilds, 0, "on removal, and in an outage"}
	messageCreate = event{"MESSAGE_CREATE", intentGuildMessages, intentDirectMessages, "empty without MESSAGE_CONTENT, but for what is meant for the bot"}
	messageUpdate = event{"MESSAGE_UPDATE", intentGuildMessages, intentDirectMessages, "as MESSAGE_CREATE"}
	messageDelete = event{"MESSAGE_DELETE", intentGuildMessages, intentDirectMessages, ""}
	messagePurge  = event{"MESSAGE_DELETE_BULK", intentGuildMessages, 0, "in place of MESSAGE_DELETE for each"}
)

// events is the table of events, for COVERAGE.md.
func events() []event {
	return []event{guildCreate, guildDelete, messageCreate, messageUpdate, messageDelete, messagePurge, voteAdd, voteRemove}
}

// wanted reports whether a session has the intent for an event.
func (n *session) wanted(e event, c *channel) bool {
	if c != nil && c.with != "" {
		return n.intents&e.direct != 0
	}
	return n.intents&e.guild != 0
}

// guildJSON is the guild in a session's GUILD_CREATE.
// https://docs.discord.com/developers/events/gateway-events#guild-create
func (s *Server) guildJSON() object {
	channels, threads := []any{}, []any{}
	for _, c := range s.sortedChannels() {
		switch {
		case c.with != "", s.allowed(c)&ViewChannel == 0:
		case c.Parent != "":
			if !c.Archived {
				threads = append(threads, s.channelJSON(c))
			}
		default:
			channels = append(channels, s.channelJSON(c))
		}
	}
	members := 1
	for _, p := range s.people {
		if !p.Outside {
			members++
		}
	}
	return object{
		"id": s.opts.Guild, "name": s.opts.GuildName, "icon": nil, "owner_id": "900000000000000001", "features": []any{},
		"preferred_locale": s.opts.Locale, "roles": s.rolesJSON(), "emojis": []any{}, "stickers": []any{},
		"joined_at": "2024-01-01T00:00:00.000000+00:00", "large": false, "unavailable": false, "member_count": members,
		"voice_states": []any{}, "members": []any{s.memberJSON(&Person{ID: s.opts.BotUser})}, "channels": channels,
		"threads": threads, "presences": []any{}, "stage_instances": []any{}, "guild_scheduled_events": []any{},
		"soundboard_sounds": []any{}, "afk_timeout": 300, "verification_level": 0, "default_message_notifications": 0,
		"explicit_content_filter": 0, "mfa_level": 0, "nsfw_level": 0, "premium_tier": 0, "system_channel_flags": 0,
		"premium_progress_bar_enabled": false,
	}
}

// announce sends the event for a message to the sessions. Ephemeral messages have no events.
// https://docs.discord.com/developers/events/gateway-events#messages
func (s *Server) announce(e event, m *message) {
	c := s.channels[m.channel]
	if c == nil || m.onlyFor != "" {
		return
	}
	body := s.messageJSON(m)
	if e == messageDelete {
		body = object{"id": m.id, "channel_id": m.channel}
	}
	if c.with == "" {
		body["guild_id"] = s.opts.Guild
	}
	if e != messageDelete {
		body["channel_type"] = c.kind()
		if p := s.person(m.author); p != nil && c.with == "" {
			member := s.memberJSON(p)
			delete(member, "user")
			body["member"] = member
		}
		if first := c.find(m.reply); first != nil {
			body["referenced_message"] = s.messageJSON(first)
		}
	}
	bare := mustJSON(s.withheld(body, m, c))
	whole := mustJSON(body)
	for _, n := range s.sessions {
		if !s.receives(n, c) || !n.wanted(e, c) {
			continue
		}
		if n.intents&intentMessageContent != 0 {
			n.dispatch(e.name, whole)
		} else {
			n.dispatch(e.name, bare)
		}
	}
}

// announceGone sends the event for bulk deletion.
// https://docs.discord.com/developers/events/gateway-events#message-delete-bulk
func (s *Server) announceGone(c *channel, ids []any) {
	raw := mustJSON(object{"ids": ids, "channel_id": c.ID, "guild_id": s.opts.Guild})
	for _, n := range s.sessions {
		if s.receives(n, c) && n.wanted(messagePurge, c) {
			n.dispatch(messagePurge.name, raw)
		}
	}
}

// withheld returns a message as a bot without MESSAGE_CONTENT receives it: with content only
// for its own messages, direct messages, and messages that mention it.
// https://docs.discord.com/developers/events/gateway#message-content-intent
func (s *Server) withheld(body object, m *message, c *channel) object {
	users, _, _ := s.notified(m)
	if m.author == s.opts.BotUser || c.with != "" || slices.Contains(users, s.opts.BotUser) {
		return body
	}
	out := maps.Clone(body)
	if _, present := out["content"]; present {
		out["content"], out["embeds"], out["attachments"], out["components"] = "", []any{}, []any{}, []any{}
		delete(out, "poll")
	}
	return out
}

// receives reports whether a session receives the events of a channel. A session without a
// connection does, since it may be resumed.
func (s *Server) receives(n *session, c *channel) bool {
	home := 0
	if c.with == "" {
		home = s.shardFor(s.opts.Guild, n.shards)
	}
	return n.shard == home && (n.socket != nil || time.Since(n.lost) <= resumeTime)
}
