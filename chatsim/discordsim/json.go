package discordsim

import (
	"strconv"
	"time"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// String formats permissions as Discord does: a decimal number as text.
func (p Permission) String() string { return strconv.FormatUint(uint64(p), 10) }

// idOf parses an id, which is text or a number: discord.py sends numbers.
// https://github.com/Rapptz/discord.py/blob/00590e8/discord/mentions.py
func idOf(v any) string {
	if n, isNumber := number(v); isNumber {
		return strconv.Itoa(n)
	}
	id, _ := v.(string)
	return id
}

// idsOf parses a list of ids.
func idsOf(v any) []string {
	list, _ := v.([]any)
	out := make([]string, 0, len(list))
	for _, item := range list {
		out = append(out, idOf(item))
	}
	return out
}

// stamp formats a time as Discord does.
// https://docs.discord.com/developers/reference#iso8601-datetime
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000-07:00")
}

func (s *Server) nameOf(user string) string {
	if user == s.opts.BotUser {
		return s.opts.BotName
	}
	if p := s.person(user); p != nil {
		return p.RealName
	}
	return "unknown-user"
}

// userJSON renders a user. https://docs.discord.com/developers/resources/user#user-object
func (s *Server) userJSON(id string) object {
	out := object{
		"id": id, "username": s.opts.BotName, "global_name": nil, "discriminator": "0", "avatar": nil, "public_flags": 0,
		"flags": 0, "banner": nil, "accent_color": nil, "avatar_decoration_data": nil, "collectibles": nil,
		"primary_guild": nil,
	}
	if id == s.opts.BotUser {
		out["bot"] = true
	}
	if p := s.person(id); p != nil {
		out["username"], out["global_name"] = p.Name, p.RealName
		if p.Bot {
			out["bot"] = true
		}
	}
	return out
}

// memberJSON renders a guild member.
// https://docs.discord.com/developers/resources/guild#guild-member-object
func (s *Server) memberJSON(p *Person) object {
	roles := []any{}
	for _, r := range p.Roles {
		roles = append(roles, r)
	}
	return object{
		"user": s.userJSON(p.ID), "roles": roles, "nick": nil, "avatar": nil, "banner": nil, "flags": 0,
		"joined_at": "2024-01-01T00:00:00.000000+00:00", "premium_since": nil, "communication_disabled_until": nil,
		"pending": false, "mute": false, "deaf": false, "avatar_decoration_data": nil, "collectibles": nil,
	}
}

// rolesJSON lists the guild's roles. The role with the guild's id is @everyone.
// https://docs.discord.com/developers/topics/permissions#role-object
func (s *Server) rolesJSON() []any {
	role := func(r Role, at int, p Permission) object {
		return object{
			"id": r.ID, "name": r.Name, "position": at, "permissions": p.String(), "color": 0, "hoist": false, "managed": false,
			"mentionable": r.Mentionable, "flags": 0, "icon": nil, "unicode_emoji": nil,
			"colors": object{"primary_color": 0, "secondary_color": nil, "tertiary_color": nil},
		}
	}
	out := []any{role(Role{ID: s.opts.Guild, Name: "@everyone"}, 0, everything)}
	for i, r := range s.roles {
		out = append(out, role(r, i+1, 0))
	}
	return out
}

// Types of channels.
// https://docs.discord.com/developers/resources/channel#channel-object-channel-types
const (
	typeText          = 0
	typeDM            = 1
	typeThread        = 11
	typePrivateThread = 12
	typeForum         = 15
)

// kind returns the type of a channel.
func (c *channel) kind() int {
	switch {
	case c.with != "":
		return typeDM
	case c.Parent != "":
		return typeThread
	case c.Forum:
		return typeForum
	default:
		return typeText
	}
}

// channelJSON renders a channel.
// https://docs.discord.com/developers/resources/channel#channel-object
func (s *Server) channelJSON(c *channel) object {
	out := object{"id": c.ID, "type": c.kind(), "flags": 0, "last_message_id": nil}
	if n := len(c.messages); n > 0 {
		out["last_message_id"] = c.messages[n-1].id
	}
	if c.with != "" {
		out["recipients"] = []any{s.userJSON(c.with)}
		return out
	}
	out["guild_id"], out["name"], out["parent_id"] = s.opts.Guild, c.Name, nil
	out["nsfw"], out["topic"], out["rate_limit_per_user"], out["position"] = false, nil, 0, 0
	if c.Parent != "" {
		out["parent_id"], out["owner_id"] = c.Parent, s.opts.BotUser
		// Discord's count is approximate; here it is the authors in the thread and the bot.
		out["member_count"] = len(c.writers(s.opts.BotUser))
		out["message_count"], out["total_message_sent"] = c.below(len(c.messages)), c.below(c.sent)
		out["thread_metadata"] = object{
			"archived": c.Archived, "locked": c.Locked, "auto_archive_duration": 1440,
			"archive_timestamp": "2024-01-01T00:00:00.000000+00:00",
		}
		return out
	}
	if c.Forum {
		tags := []any{}
		for _, t := range c.Tags {
			tags = append(tags, object{"id": t.ID, "name": t.Name, "moderated": false, "emoji_id": nil, "emoji_name": nil})
		}
		out["available_tags"] = tags
		if c.NeedsTag {
			out["flags"] = flagNeedsTag
		}
	}
	overwrites := []any{}
	if c.Denied != 0 {
		overwrites = append(overwrites, object{"id": s.opts.BotUser, "type": 1, "allow": "0", "deny": c.Denied.String()})
	}
	out["permission_overwrites"] = overwrites
	return out
}

// applicationJSON renders the app.
// https://docs.discord.com/developers/resources/application#application-object
func (s *Server) applicationJSON() object {
	var endpoint any
	if s.endpoint != "" {
		endpoint = s.endpoint
	}
	return object{
		"id": s.opts.Application, "name": s.opts.BotName, "icon": nil, "description": "", "type": nil, "flags": 0,
		"bot_public": true, "bot_require_code_grant": false, "verify_key": s.PublicKey(),
		"interactions_endpoint_url": endpoint, "redirect_uris": []any{}, "bot": s.userJSON(s.opts.BotUser),
		"owner": s.userJSON("900000000000000001"), "team": nil, "approximate_guild_count": 1,
		"approximate_user_install_count": 0, "approximate_user_authorization_count": 0, "explicit_content_filter": 0,
		"role_connections_verification_url": nil, "eligible_oauth2_scopes": []any{"bot"}, "flags_new": "0",
	}
}

// messageJSON renders a message for the app.
// https://docs.discord.com/developers/resources/message#message-object
func (s *Server) messageJSON(m *message) object {
	kind := 0
	if m.reply != "" {
		kind = 19
	}
	components := s.linked(cloned(m.components), m.attachments)
	embeds, _ := double.Clone(m.embeds).([]any)
	if embeds == nil {
		embeds = []any{}
	}
	users, roles, everyone := s.notified(m)
	people := []any{}
	for _, id := range users {
		people = append(people, s.userJSON(id))
	}
	out := object{
		"id": m.id, "channel_id": m.channel, "type": kind, "author": s.userJSON(m.author), "content": m.content,
		"components": components, "embeds": embeds, "attachments": s.attachmentsJSON(m), "flags": m.flags, "tts": false,
		"pinned": false, "mentions": people, "mention_roles": roles, "mention_everyone": everyone,
		"timestamp": stamp(m.posted), "edited_timestamp": stamp(m.edited),
	}
	if m.poll != nil {
		out["poll"] = s.pollJSON(m.poll)
	}
	if m.nonce != "" && s.clock.Since(m.posted) < nonceLife { // Discord documents no longer retention.
		out["nonce"] = m.nonce
	}
	if m.reply != "" {
		out["message_reference"] = object{"type": 0, "message_id": m.reply, "channel_id": m.channel}
	}
	if m.cause != nil {
		out["application_id"], out["webhook_id"] = s.opts.Application, s.opts.Application
		metadata := s.metadataJSON(m.cause)
		if first := m.cause.original; first != nil && first != m {
			metadata["original_response_message_id"] = first.id
		}
		out["interaction_metadata"] = metadata
	}
	return out
}

// metadataJSON renders the interaction metadata of a response message.
// https://docs.discord.com/developers/resources/message#message-interaction-metadata-object
func (s *Server) metadataJSON(i *interaction) object {
	out := object{
		"id": i.id, "type": i.kind, "user": s.userJSON(i.person), "authorizing_integration_owners": s.owners(i.channel, i.person),
	}
	switch {
	case i.opener != nil:
		out["triggering_interaction_metadata"] = s.metadataJSON(i.opener)
	case i.kind == pressed:
		out["interacted_message_id"] = i.msg.id
	}
	return out
}

// owners returns the authorizing installation owners of an interaction.
func (s *Server) owners(c *channel, person string) object {
	if s.opts.UserInstalled {
		return object{"1": person}
	}
	if c.with != "" {
		return object{"0": "0"}
	}
	return object{"0": s.opts.Guild}
}
