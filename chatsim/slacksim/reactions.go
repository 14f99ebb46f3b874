package slacksim

import (
	"regexp"
	"slices"

	"github.com/askbridge/askbridge/chatsim"
)

// reaction is one emoji on a message, with the people who added it.
type reaction struct {
	name  string
	users []string
}

// reactionName matches an emoji name without colons, with an optional skin tone.
var reactionName = regexp.MustCompile(`^[a-z0-9_+'-]+(::skin-tone-[2-6])?$`)

// reacted finds the message and the emoji name of a call.
func (s *Server) reacted(c *call) (*message, string, *apiError) {
	channel, ts, name := c.args.str("channel"), c.args.str("timestamp"), c.args.str("name")
	conv := s.conversations[channel]
	switch {
	case channel == "" || ts == "":
		return nil, "", no("no_item_specified")
	case !reactionName.MatchString(name):
		s.violate(ruleReaction, c.method, "%q is no name of an emoji", name)
		return nil, "", no("invalid_name")
	case conv == nil, conv.Private && !conv.member(s.opts.BotUser):
		return nil, "", no("channel_not_found")
	case conv.Archived:
		return nil, "", no("is_archived")
	case !messageTS.MatchString(ts):
		return nil, "", no("bad_timestamp")
	}
	m := conv.find(ts)
	switch {
	case m == nil || m.onlyFor != "" || m.user == tombstone:
		return nil, "", no("message_not_found")
	case m.locked || conv.locked(m.thread):
		return nil, "", no("thread_locked")
	}
	return m, name, nil
}

// messageTS matches a message timestamp.
var messageTS = regexp.MustCompile(`^\d+\.\d{6}$`)

// reactionsAdd adds an emoji to a message.
// https://docs.slack.dev/reference/methods/reactions.add
func (s *Server) reactionsAdd(c *call) (object, *apiError) {
	m, name, refused := s.reacted(c)
	if refused != nil {
		return nil, refused
	}
	at := slices.IndexFunc(m.reactions, func(r reaction) bool { return r.name == name })
	switch {
	case at < 0:
		m.reactions = append(m.reactions, reaction{name, []string{s.opts.BotUser}})
	case slices.Contains(m.reactions[at].users, s.opts.BotUser):
		return nil, no("already_reacted")
	default:
		m.reactions[at].users = append(m.reactions[at].users, s.opts.BotUser)
	}
	s.record(chatsim.Event{Kind: chatsim.Edited, Channel: m.channel, Message: m.ts, Where: c.method, Text: ":" + name + ":"})
	return object{}, nil
}

// reactionsRemove removes the app's emoji.
// https://docs.slack.dev/reference/methods/reactions.remove
func (s *Server) reactionsRemove(c *call) (object, *apiError) {
	m, name, refused := s.reacted(c)
	if refused != nil {
		return nil, refused
	}
	at := slices.IndexFunc(m.reactions, func(r reaction) bool { return r.name == name })
	if at < 0 || !slices.Contains(m.reactions[at].users, s.opts.BotUser) {
		return nil, no("no_reaction")
	}
	r := &m.reactions[at]
	r.users = slices.DeleteFunc(r.users, func(id string) bool { return id == s.opts.BotUser })
	if len(r.users) == 0 {
		m.reactions = slices.Delete(m.reactions, at, at+1)
	}
	s.record(chatsim.Event{Kind: chatsim.Edited, Channel: m.channel, Message: m.ts, Where: c.method, Text: ":" + name + ":"})
	return object{}, nil
}

// reactionsJSON renders the reactions of a message.
func reactionsJSON(m *message) []any {
	var out []any
	for _, r := range m.reactions {
		out = append(out, object{"name": r.name, "users": slices.Clone(r.users), "count": len(r.users)})
	}
	return out
}
