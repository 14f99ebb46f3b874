package discord

import (
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/askbridge/askbridge/internal/connector"
)

// The events by which the gateway reports the bot's servers. GUILD_CREATE comes for each server at
// the start of a session, after an outage, and when the bot joins one
// (https://docs.discord.com/developers/events/gateway-events#guilds).
const (
	eventServer     = "GUILD_CREATE"
	eventServerGone = "GUILD_DELETE"
	// eventChannel comes when a channel was renamed
	// (https://docs.discord.com/developers/events/gateway-events#channel-update).
	eventChannel = "CHANNEL_UPDATE"
)

// serverIntent is the intent for those events: GUILDS. It is not privileged
// (https://docs.discord.com/developers/events/gateway#list-of-intents).
const serverIntent = 1 << 0

// codeUnlisted is the code for a channel in a server that the settings do not list.
const codeUnlisted = "server not listed"

var errUnlisted = errors.New("discord: the channel belongs to a server that is not in discord.servers")

// servers are the servers that the settings list, and those of the bot as far as the gateway has
// reported them.
type servers struct {
	listed []string // empty means every server
	shards int
	log    *slog.Logger
	names  names

	mu    sync.Mutex
	known map[string]bool // the bot's servers, and whether each is available
	// home is the server of each channel of the listed servers, and left are the servers among them whose
	// requests have to end.
	home map[string]string
	left map[string]bool
	wake chan struct{}
}

func newServers(listed []string, shards int, log *slog.Logger) *servers {
	return &servers{
		listed: listed, shards: shards, log: log, names: names{newCache()},
		known: map[string]bool{}, home: map[string]string{}, left: map[string]bool{}, wake: make(chan struct{}, 1),
	}
}

// serves reports whether the settings allow a server. Direct messages belong to none and are
// always allowed.
func (s *servers) serves(id string) bool {
	return id == "" || len(s.listed) == 0 || slices.Contains(s.listed, id)
}

// begun takes the servers of a new session of a shard. The bot may have left others meanwhile.
func (s *servers) begun(shard int, ids []string) {
	if len(s.listed) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.known {
		if s.shardOf(id) == shard && !slices.Contains(ids, id) {
			delete(s.known, id)
		}
	}
	for _, id := range ids {
		if _, known := s.known[id]; !known {
			s.known[id] = false // Until its GUILD_CREATE.
		}
		if !s.serves(id) {
			s.log.Warn("discord server is not listed, ignored", "server", id)
		}
	}
	for _, id := range s.listed { // Discord lists unavailable servers, too.
		if s.shardOf(id) == shard && !slices.Contains(ids, id) {
			s.leave(id)
		}
	}
}

// leave has the open requests of a listed server ended. The caller has the lock.
func (s *servers) leave(id string) {
	if s.left[id] || !s.serves(id) {
		return
	}
	s.left[id] = true
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// gone returns the servers whose requests have to end.
func (s *servers) gone() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.left))
}

// ended forgets a server whose requests have ended.
func (s *servers) ended(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.left, id)
	if _, known := s.known[id]; !known {
		maps.DeleteFunc(s.home, func(_, server string) bool { return server == id })
	}
}

// serverOf returns the server of a channel as far as the gateway has reported it.
func (s *servers) serverOf(channel string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.home[channel]
}

// shardOf returns the shard of a server
// (https://docs.discord.com/developers/events/gateway#sharding).
func (s *servers) shardOf(id string) int {
	n, _ := strconv.ParseUint(id, 10, 64) // Only ids are known.
	return int((n >> 22) % uint64(max(s.shards, 1)))
}

// changed handles an event about a server. An outage is not a removal: only GUILD_DELETE without
// "unavailable" means that the bot was removed
// (https://docs.discord.com/developers/events/gateway-events#guild-delete).
func (s *servers) changed(kind string, raw json.RawMessage) {
	var at struct {
		ID          string         `json:"id"`
		Name        string         `json:"name"`
		Unavailable bool           `json:"unavailable"`
		Channels    []namedChannel `json:"channels"`
	}
	if connector.ReadLoosely(raw, &at) != nil || !snowflake.MatchString(at.ID) {
		s.log.Warn("unreadable discord server", "bytes", len(raw))
		return
	}
	for _, channel := range at.Channels {
		s.names.channel(channel.ID, channel.Name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, known := s.known[at.ID]
	switch {
	case at.Unavailable:
		s.known[at.ID] = false
		s.log.Warn("discord server is unavailable", "server", at.ID)
	case kind == eventServerGone:
		delete(s.known, at.ID)
		s.leave(at.ID)
		s.log.Warn("bot was removed from a discord server", "server", at.ID, "listed", s.serves(at.ID))
	default:
		delete(s.left, at.ID)
		if s.serves(at.ID) {
			for _, channel := range at.Channels {
				s.home[channel.ID] = at.ID
			}
		}
		if s.known[at.ID] = true; !known {
			s.log.Info("bot joined a discord server", "server", at.ID, "name", at.Name, "listed", s.serves(at.ID))
		}
	}
}

// renamed handles a change of a channel.
func (s *servers) renamed(raw json.RawMessage) {
	var channel namedChannel
	if connector.ReadLoosely(raw, &channel) == nil {
		s.names.channel(channel.ID, channel.Name)
	}
}

// namedChannel is a channel in an event.
type namedChannel struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}
