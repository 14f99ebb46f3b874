package discordsim

import (
	"regexp"
	"slices"
	"strings"
)

// mentions are the allowed mentions of a message.
// https://docs.discord.com/developers/resources/message#allowed-mentions-object
type mentions struct {
	given        bool
	parse        []string // kinds allowed entirely: "users", "roles", "everyone"
	users, roles []string // allowed ids
}

// The defaults: everything in a channel, only users in a response to an interaction.
var (
	parseAll   = []string{"users", "roles", "everyone"}
	parseUsers = []string{"users"}
)

func (what *content) readMentions(body object) {
	what.mentions = mentions{parse: parseAll}
	if v := body["allowed_mentions"]; v != nil {
		what.mentions.given = true
		what.anObject(what.readAllowed)("allowed_mentions", v)
	}
}

// readAllowed checks the allowed mentions of a message. A field of the wrong type is an error,
// not an empty list.
func (what *content) readAllowed(at string, o object) {
	what.object(at, o, nil, shape{
		"parse": what.items(0, rule{}, func(at string, v any) {
			if kind, _ := v.(string); !slices.Contains(parseAll, kind) {
				what.fail(ruleKind, at, "BASE_TYPE_CHOICES", "Value must be one of {'users', 'roles', 'everyone'}.")
			}
		}),
		"users": what.items(0, rule{}, what.snowflake), "roles": what.items(0, rule{}, what.snowflake), "replied_user": what.boolean,
	})
	m := mentions{given: true, parse: stringsOf(o["parse"]), users: idsOf(o["users"]), roles: idsOf(o["roles"])}
	if v, named := o["parse"]; named && v == nil {
		what.note(noteParse, join(at, "parse"), "null")
	}
	for _, list := range []struct {
		name string
		ids  []string
	}{{"users", m.users}, {"roles", m.roles}} {
		under := join(at, list.name)
		for i, id := range list.ids {
			if slices.Contains(list.ids[:i], id) {
				what.fail(ruleMentionTwice, join(under, i), "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value")
				break
			}
		}
		if len(list.ids) > maxMentionIDs.max {
			what.fail(maxMentionIDs, under, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxMentionIDs.max)
		}
		if len(list.ids) > 0 && slices.Contains(m.parse, list.name) {
			what.fail(ruleMentionEither, at, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
				"parse:[%q] and %s: [ids...] are mutually exclusive.", list.name, list.name)
		}
	}
	what.mentions = m
}

// stringsOf parses a list of strings.
func stringsOf(v any) []string {
	list, _ := v.([]any)
	out := make([]string, 0, len(list))
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// mentionForm matches everything in a text that can notify someone. A backslash does not escape
// it. https://docs.discord.com/developers/reference#message-formatting
var mentionForm = regexp.MustCompile(`<@!?(\d+)>|<@&(\d+)>|@(everyone|here)\b`)

// notified lists the recipients of a message's notifications. Roles that are not mentionable,
// and everyone, require a permission even if the message allows them.
func (s *Server) notified(m *message) (users []string, roles []any, everyone bool) {
	roles = []any{}
	if m.pings != "" {
		users = append(users, m.pings)
	}
	conv := s.channels[m.channel]
	all := m.author != s.opts.BotUser || conv != nil && s.allowed(conv)&MentionEveryone != 0
	for _, found := range mentionForm.FindAllStringSubmatch(s.wordsOf(m), -1) {
		user, role := found[1], found[2]
		switch {
		case user != "":
			named := s.person(user) != nil || user == s.opts.BotUser
			if named && m.allowed.counts("users", user, m.allowed.users) && !slices.Contains(users, user) {
				users = append(users, user)
			}
		case role != "":
			named := slices.ContainsFunc(s.roles, func(r Role) bool { return r.ID == role && (r.Mentionable || all) })
			if named && m.allowed.counts("roles", role, m.allowed.roles) && !slices.Contains(roles, any(role)) {
				roles = append(roles, role)
			}
		default:
			everyone = everyone || all && slices.Contains(m.allowed.parse, "everyone")
		}
	}
	return users, roles, everyone
}

func (m mentions) counts(kind, id string, ids []string) bool {
	return slices.Contains(m.parse, kind) || slices.Contains(ids, id)
}

// wordsOf returns all raw text of a message: its content and its text displays.
func (s *Server) wordsOf(m *message) string {
	words := []string{}
	if m.content != "" {
		words = append(words, m.content)
	}
	walk(m.components, func(o object) {
		if kindOf(o) == kindTextDisplay {
			words = append(words, text(o, "content"))
		}
	})
	return strings.Join(words, "\n")
}
