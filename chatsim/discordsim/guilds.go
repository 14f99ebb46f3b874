package discordsim

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// Join adds the bot to a guild: to its own one after a Leave, or to another one, of which there is
// nothing but the id and the name.
// https://docs.discord.com/developers/events/gateway-events#guild-create
func (s *Server) Join(guild, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if guild == s.opts.Guild {
		s.left = false
	} else {
		s.others[guild] = name
	}
	s.tellGuild(guildCreate, guild, s.guildNamed(guild))
}

// Leave removes the bot from a guild, as an administrator does.
// https://docs.discord.com/developers/events/gateway-events#guild-delete
func (s *Server) Leave(guild string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if guild == s.opts.Guild {
		s.left = true
	} else {
		delete(s.others, guild)
	}
	s.tellGuild(guildDelete, guild, object{"id": guild})
}

// Outage makes a guild unavailable over the gateway, and Recover ends that. The bot stays a
// member.
func (s *Server) Outage(guild string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellGuild(guildDelete, guild, object{"id": guild, "unavailable": true})
}

// Recover ends an Outage.
func (s *Server) Recover(guild string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellGuild(guildCreate, guild, s.guildNamed(guild))
}

// tellGuild sends an event about a guild to the sessions of its shard.
func (s *Server) tellGuild(e event, guild string, body object) {
	raw := mustJSON(body)
	for _, n := range s.sessions {
		if n.shard == s.shardFor(guild, n.shards) && n.wanted(e, nil) {
			n.dispatch(e.name, raw)
		}
	}
	s.record(chatsim.Event{Kind: chatsim.Connected, Where: e.name, Text: guild})
}

// guildNamed is a guild in GUILD_CREATE.
func (s *Server) guildNamed(guild string) object {
	if guild == s.opts.Guild {
		return s.guildJSON()
	}
	return object{
		"id": guild, "name": s.others[guild], "icon": nil, "features": []any{}, "unavailable": false, "member_count": 1,
		"roles": []any{}, "channels": []any{}, "threads": []any{}, "members": []any{}, "emojis": []any{}, "stickers": []any{},
	}
}

// guilds lists the ids of the bot's guilds, in ascending order.
func (s *Server) guilds() []string {
	ids := slices.Collect(maps.Keys(s.others))
	if !s.left {
		ids = append(ids, s.opts.Guild)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	return ids
}

// absent reports whether the bot is no member of its own guild.
func (s *Server) absent() bool { return s.opts.UserInstalled || s.left }

// getMyGuilds lists the bot's guilds, 200 at a time.
// https://docs.discord.com/developers/resources/user#get-current-user-guilds
func (s *Server) getMyGuilds(c *call) (*reply, *apiError) {
	limit := 200
	if asked := c.query.Get("limit"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 || n > limit {
			return nil, s.refuse(c.route.name, problem{ruleKind, "limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 200."})
		}
		limit = n
	}
	after := c.query.Get("after")
	out := []any{}
	for _, id := range s.guilds() {
		past := after == "" || cmp.Or(cmp.Compare(len(id), len(after)), strings.Compare(id, after)) > 0
		if !past || len(out) == limit || id == s.opts.Guild && s.absent() {
			continue
		}
		name := s.opts.GuildName
		if id != s.opts.Guild {
			name = s.others[id]
		}
		out = append(out, object{
			"id": id, "name": name, "icon": nil, "banner": nil, "owner": false,
			"permissions": everything.String(), "features": []any{},
		})
	}
	return ok(out)
}
