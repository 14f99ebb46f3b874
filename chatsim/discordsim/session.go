package discordsim

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// session is a gateway session. It starts with IDENTIFY and can span several connections.
type session struct {
	id      string
	shard   int
	shards  int
	seq     int
	intents int
	sent    [][]byte // all dispatched events, by sequence number
	socket  *socket  // nil while disconnected
	lost    time.Time
}

// knownIntents are all defined intents; privileged are those that must be granted.
// https://docs.discord.com/developers/events/gateway#list-of-intents
const (
	knownIntents = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8 | 1<<9 | 1<<10 | 1<<11 | 1<<12 | 1<<13 |
		1<<14 | 1<<15 | 1<<16 | 1<<20 | 1<<21 | 1<<24 | 1<<25
	privilegedIntents = 1<<1 | 1<<8 | 1<<15
)

// onCue applies a pending fault to a step of the gateway connection.
func (s *Server) onCue(k *socket, step string) bool {
	fault := s.cues.Take(step)
	if fault.Name() == "" {
		return false
	}
	s.record(chatsim.Event{Kind: chatsim.Faulted, Where: step, Text: strings.TrimSpace(fault.Name() + " " + fault.Word())})
	switch word := fault.Word(); {
	case word == "op 7":
		k.queue(object{"op": opReconnect, "t": nil, "s": nil, "d": nil})
	case word == "op 9":
		k.queue(object{"op": opInvalidSession, "t": nil, "s": nil, "d": false})
	case word != "":
		if code, err := strconv.Atoi(word); err == nil {
			k.end(code)
		}
	case fault.Hangs():
		k.silent = true
	default:
		k.drop()
	}
	return true
}

// tokenFits checks a gateway client's token, with or without "Bot".
func (s *Server) tokenFits(d object) bool {
	return !s.revoked && strings.TrimPrefix(text(d, "token"), "Bot ") == s.opts.BotToken
}

// ForgetStarts resets the identify rate limit. A bot that is restarted immediately cannot know
// about its previous session.
func (s *Server) ForgetStarts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.identified)
	s.starts = nil
}

// identify starts a session.
// https://docs.discord.com/developers/events/gateway-events#identify
func (s *Server) identify(k *socket, d object) {
	if s.onCue(k, Identifies) {
		return
	}
	if !s.tokenFits(d) {
		k.end(closeToken)
		return
	}
	if child(d, "properties") == nil {
		s.violate(rulePayload, Identifies, "properties are missing")
		k.end(closeDecode)
		return
	}
	if code := s.badIntents(d); code != 0 {
		k.end(code)
		return
	}
	shard, shards, code := s.shardOf(d)
	if code != 0 {
		k.end(code)
		return
	}
	if flag(d, "compress", false) {
		s.warn(noteCompressed, Identifies, "compress is true")
	}
	now := time.Now()
	slot := shard % s.opts.MaxConcurrency
	lately := recent(s.identified[slot], now, identifyWindow)
	s.starts = recent(s.starts, now, 24*time.Hour)
	if len(lately) > 0 || len(s.starts) >= startsPerDay {
		s.violate(ruleIdentify, Identifies, "%d sessions in %v, %d in a day", len(lately)+1, identifyWindow, len(s.starts)+1)
		k.queue(object{"op": opInvalidSession, "t": nil, "s": nil, "d": false})
		return
	}
	s.identified[slot], s.starts = append(lately, now), append(s.starts, now)
	n := &session{id: "sim-session-" + s.newID(), shard: shard, shards: shards, socket: k, intents: integer(d, "intents", 0)}
	s.sessions[n.id], k.session = n, n
	ready := object{
		"v": 10, "user": s.userJSON(s.opts.BotUser), "session_id": n.id, "resume_gateway_url": s.socketURL("resume"),
		"session_type": "normal", "shard": []int{shard, shards}, "application": object{"id": s.opts.Application, "flags": 0},
		"guilds": []any{}, "private_channels": []any{}, "relationships": []any{}, "presences": []any{}, "_trace": []any{},
	}
	mine := slices.DeleteFunc(s.guilds(), func(id string) bool { return s.shardFor(id, shards) != shard })
	soon := []any{}
	for _, id := range mine {
		soon = append(soon, object{"id": id, "unavailable": true})
	}
	ready["guilds"] = soon
	n.dispatch("READY", mustJSON(ready))
	for _, id := range mine {
		if n.wanted(guildCreate, nil) {
			n.dispatch(guildCreate.name, mustJSON(s.guildNamed(id)))
		}
	}
	s.record(chatsim.Event{Kind: chatsim.Connected, Where: "session", Text: n.id})
}

// badIntents returns the close code for undefined or ungranted intents, or 0.
func (s *Server) badIntents(d object) int {
	intents, given := number(d["intents"])
	switch {
	case !given, intents&^knownIntents != 0:
		s.violate(ruleIntents, Identifies, "intents %v", d["intents"])
		return closeIntents
	case intents&privilegedIntents&^s.opts.PrivilegedIntents != 0:
		s.violate(ruleIntents, Identifies, "intents %d: not granted are %d", intents, intents&privilegedIntents&^s.opts.PrivilegedIntents)
		return closeNotGranted
	}
	return 0
}

// shardOf parses the shard of a session.
// https://docs.discord.com/developers/events/gateway#sharding
func (s *Server) shardOf(d object) (shard, shards, code int) {
	list, given := d["shard"].([]any)
	if !given {
		if s.opts.ShardsRequired {
			return 0, 0, closeNeedsShards
		}
		return 0, 1, 0
	}
	if len(list) == 2 {
		shard, _ = number(list[0])
		shards, _ = number(list[1])
	}
	if shards < 1 || shard < 0 || shard >= shards {
		s.violate(ruleShard, Identifies, "shard %v", list)
		return 0, 0, closeShard
	}
	return shard, shards, 0
}

// shardFor returns the shard of a guild.
func (s *Server) shardFor(guild string, shards int) int { return int(idNumber(guild)>>22) % shards }

// resume continues a session on a new connection and replays the events the client missed.
// https://docs.discord.com/developers/events/gateway#resuming
func (s *Server) resume(k *socket, d object) {
	if s.onCue(k, Resumes) {
		return
	}
	if !s.tokenFits(d) {
		k.end(closeToken)
		return
	}
	n := s.sessions[text(d, "session_id")]
	if n == nil || (n.socket == nil && time.Since(n.lost) > resumeTime) {
		k.queue(object{"op": opInvalidSession, "t": nil, "s": nil, "d": false})
		return
	}
	seq := integer(d, "seq", -1)
	if seq < 0 || seq > n.seq {
		k.end(closeSeq)
		return
	}
	if k.where != "resume" {
		s.warn(noteResumeURL, Resumes, "/%s", k.where)
	}
	if n.socket != nil {
		n.socket.session = nil
		n.socket.drop()
	}
	n.socket, k.session = k, n
	for _, raw := range n.sent[seq:] {
		k.queue(json.RawMessage(raw))
	}
	n.dispatch("RESUMED", mustJSON(object{"_trace": []any{}}))
	s.record(chatsim.Event{Kind: chatsim.Connected, Where: "session", Text: n.id + " resumed"})
}

// dispatch sends an event to a session, now or when it is resumed.
func (n *session) dispatch(name string, data []byte) {
	n.seq++
	raw := mustJSON(object{"op": opDispatch, "t": name, "s": n.seq, "d": json.RawMessage(data)})
	n.sent = append(n.sent, raw)
	if n.socket != nil {
		n.socket.queue(json.RawMessage(raw))
	}
}

// dispatchTo sends a channel's event to every session of its shard and returns their number. It
// includes disconnected sessions, which may be resumed. Direct messages belong to shard 0.
func (s *Server) dispatchTo(c *channel, name string, data []byte) int {
	count := 0
	for _, n := range s.sessions {
		if !s.receives(n, c) {
			continue
		}
		n.dispatch(name, data)
		count++
	}
	return count
}

// Sessions returns the number of connected sessions.
func (s *Server) Sessions() int { return len(s.connected()) }

func (s *Server) connected() []*socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.sockets), func(k *socket) bool { return k.session == nil })
}

// DropGateways closes all gateway connections without a close frame. The sessions can be
// resumed.
func (s *Server) DropGateways() {
	for _, k := range s.connected() {
		k.drop()
	}
}

// CloseGateways closes all gateway connections with a code such as 4000. Codes from 4004 on,
// except 4007 to 4009, also end the sessions.
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
func (s *Server) CloseGateways(code int) {
	for _, k := range s.connected() {
		s.mu.Lock()
		if code >= closeToken && code != closeTooMany && k.session != nil {
			delete(s.sessions, k.session.id)
		}
		s.mu.Unlock()
		k.end(code)
	}
}

// Reconnect asks all clients to reconnect and resume: op 7.
func (s *Server) Reconnect() {
	s.toAll(func(k *socket) { k.queue(object{"op": opReconnect, "t": nil, "s": nil, "d": nil}) })
}

// InvalidateSessions sends op 9 to all clients. They may resume only if it is resumable.
func (s *Server) InvalidateSessions(resumable bool) {
	s.toAll(func(k *socket) {
		k.queue(object{"op": opInvalidSession, "t": nil, "s": nil, "d": resumable})
		if k.session == nil {
			return
		}
		if !resumable {
			delete(s.sessions, k.session.id)
		}
		k.session.socket, k.session.lost = nil, time.Now()
		k.session = nil
	})
}

// Zombie makes the current connections stop acknowledging heartbeats.
func (s *Server) Zombie() { s.toAll(func(k *socket) { k.zombie = true }) }

// HalfOpen makes the current connections silent: they send nothing and ignore all input.
func (s *Server) HalfOpen() { s.toAll(func(k *socket) { k.silent = true }) }

// AskHeartbeats requests a heartbeat from all clients: op 1. A client that sends none within
// five seconds breaks a rule.
func (s *Server) AskHeartbeats() {
	s.toAll(func(k *socket) {
		asked := time.Now()
		k.queue(object{"op": opHeartbeat, "t": nil, "s": nil, "d": nil})
		time.AfterFunc(beatWhenAsked, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if slices.Contains(s.sockets, k) && !k.silent && k.beat.Before(asked) {
				s.violate(ruleHeartbeat, "gateway", "none for %v after one was asked for", beatWhenAsked)
				k.end(closeTimedOut)
			}
		})
	})
}

func (s *Server) toAll(do func(*socket)) {
	all := s.connected()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range all {
		do(k)
	}
}
