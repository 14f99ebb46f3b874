package slacksim

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
)

// conversationsOpen opens the bot's direct message with a person.
// https://docs.slack.dev/reference/methods/conversations.open
func (s *Server) conversationsOpen(c *call) (object, *apiError) {
	if id := c.args.str("channel"); id != "" {
		conv := s.conversations[id]
		if conv == nil || conv.with == "" {
			return nil, no("channel_not_found")
		}
		return object{"channel": object{"id": conv.ID}}, nil
	}
	users := strings.Split(c.args.str("users"), ",")
	switch {
	case users[0] == "":
		s.violate(ruleArguments, c.method, "neither users nor channel")
		return nil, no("users_list_not_supplied")
	case len(users) > 1:
		s.violate(ruleMethod, c.method, "this double opens direct messages with one person only")
		return nil, no("too_many_users")
	}
	p := s.person(users[0])
	switch {
	case p == nil:
		return nil, no("user_not_found")
	case p.Disabled:
		return nil, no("user_disabled")
	case p.Bot:
		return nil, no("cannot_dm_bot")
	}
	_, existed := s.conversations["D"+p.ID[1:]]
	conv := s.direct(p)
	return object{"no_op": existed, "already_open": existed, "channel": object{"id": conv.ID}}, nil
}

// readable finds a conversation that the token may read; right is the scope suffix, such as
// "read" or "history".
func (s *Server) readable(c *call, right string) (*conversation, *apiError) {
	conv := s.conversations[c.args.str("channel")]
	if conv == nil || (conv.Private && !conv.member(s.opts.BotUser)) {
		return nil, no("channel_not_found")
	}
	needed := "channels:" + right
	switch {
	case conv.with != "":
		needed = "im:" + right
	case conv.Together:
		needed = "mpim:" + right
	case conv.Private:
		needed = "groups:" + right
	}
	if !slices.Contains(c.token.granted(), needed) {
		return nil, missingScope(needed, strings.Join(c.token.granted(), ","))
	}
	return conv, nil
}

// conversationsInfo describes a conversation.
// https://docs.slack.dev/reference/methods/conversations.info
func (s *Server) conversationsInfo(c *call) (object, *apiError) {
	conv, refused := s.readable(c, "read")
	if refused != nil {
		return nil, refused
	}
	return object{"channel": s.conversationJSON(conv)}, nil
}

func (s *Server) conversationJSON(conv *conversation) object {
	out := object{
		"id": conv.ID, "is_im": conv.with != "", "is_channel": conv.with == "" && !conv.Private,
		"is_group": conv.Private, "is_mpim": conv.Together, "is_private": conv.Private || conv.with != "", "is_archived": conv.Archived,
		"is_member": conv.member(s.opts.BotUser), "is_ext_shared": s.partner(conv) != "", "context_team_id": s.opts.Team,
	}
	if conv.with != "" {
		out["user"] = conv.with
	} else {
		out["name"], out["name_normalized"], out["num_members"] = conv.Name, conv.Name, len(conv.Members)
	}
	return out
}

// listScopes are the types of conversations.list with the scope of each.
var listScopes = map[string]string{
	"public_channel": "channels:read", "private_channel": "groups:read", "mpim": "mpim:read", "im": "im:read",
}

// listType returns the type of a conversation in conversations.list.
func (c *conversation) listType() string {
	switch {
	case c.with != "":
		return "im"
	case c.Together:
		return "mpim"
	case c.Private:
		return "private_channel"
	}
	return "public_channel"
}

// conversationsList lists the conversations of the requested types by id. Filters apply after a
// page is cut, so a page can be short or empty although more follow.
// https://docs.slack.dev/reference/methods/conversations.list
func (s *Server) conversationsList(c *call) (object, *apiError) {
	types := strings.Split(cmp.Or(c.args.str("types"), "public_channel"), ",")
	var lacking []string
	for _, t := range types {
		scope := listScopes[t]
		if scope == "" {
			return nil, no("invalid_types")
		}
		if !slices.Contains(c.token.granted(), scope) {
			lacking = append(lacking, scope)
		}
	}
	if lacking != nil {
		return nil, missingScope(strings.Join(lacking, ","), strings.Join(c.token.granted(), ","))
	}
	seen := slices.DeleteFunc(s.sortedConversations(), func(conv *conversation) bool {
		return !slices.Contains(types, conv.listType()) || conv.listType() != "public_channel" && !conv.member(s.opts.BotUser)
	})
	seen, next, refused := pageOf(c, seen, "team", 100, func(conv *conversation) string { return conv.ID })
	if refused != nil {
		return nil, refused
	}
	channels := []any{}
	for _, conv := range seen {
		if !conv.Archived || !c.args.flag("exclude_archived", false) {
			channels = append(channels, s.conversationJSON(conv))
		}
	}
	return object{"channels": channels, "response_metadata": object{"next_cursor": next}}, nil
}

// pageOf cuts the requested page out of a list, and returns the cursor of the next one. Limits are from 1 to 999.
// https://docs.slack.dev/apis/web-api/pagination
func pageOf[T any](c *call, all []T, kind string, limit int, id func(T) string) (page []T, next string, refused *apiError) {
	if c.args.has("limit") {
		n, err := strconv.Atoi(c.args.str("limit"))
		if err != nil || n < 1 || n > 999 {
			return nil, "", no("invalid_limit")
		}
		limit = n
	}
	return pageAt(all, c.args.str("cursor"), kind, limit, id)
}

// pageAt returns the page at a cursor, which names the kind of a list and its first entry, and the cursor of the next
// page. https://docs.slack.dev/apis/web-api/pagination
func pageAt[T any](all []T, cursor, kind string, limit int, id func(T) string) (page []T, next string, refused *apiError) {
	if cursor != "" {
		decoded, err := base64.StdEncoding.DecodeString(cursor)
		from, ours := strings.CutPrefix(string(decoded), kind+":")
		at := slices.IndexFunc(all, func(one T) bool { return id(one) == from })
		if err != nil || !ours || at < 0 {
			return nil, "", no("invalid_cursor")
		}
		all = all[at:]
	}
	if len(all) > limit {
		next = base64.StdEncoding.EncodeToString([]byte(kind + ":" + id(all[limit])))
		all = all[:limit]
	}
	return all, next, nil
}

// partner returns the other company's workspace that a conversation is shared with, or "".
// https://docs.slack.dev/apis/slack-connect/
func (s *Server) partner(conv *conversation) string {
	for _, id := range conv.Members {
		if p := s.person(id); p != nil && p.Team != s.opts.Team && (s.opts.Enterprise == "" || len(p.Teams) == 0) {
			return p.Team
		}
	}
	return ""
}

// conversationsHistory lists the messages of a conversation, newest first.
// https://docs.slack.dev/reference/methods/conversations.history
func (s *Server) conversationsHistory(c *call) (object, *apiError) {
	return s.list(c, func(m *message) bool { return m.thread == "" || m.thread == m.ts }, true)
}

// conversationsReplies lists a thread, oldest first.
// https://docs.slack.dev/reference/methods/conversations.replies
func (s *Server) conversationsReplies(c *call) (object, *apiError) {
	ts := c.args.str("ts")
	conv := s.conversations[c.args.str("channel")]
	if conv != nil && conv.find(ts) == nil && !slices.ContainsFunc(conv.messages, func(m *message) bool { return m.thread == ts }) {
		return nil, no("thread_not_found")
	}
	return s.list(c, func(m *message) bool { return m.ts == ts || m.thread == ts }, false)
}

func (s *Server) list(c *call, wanted func(*message) bool, newestFirst bool) (object, *apiError) {
	conv, refused := s.readable(c, "history")
	if refused != nil {
		return nil, refused
	}
	if !conv.member(s.opts.BotUser) {
		return nil, no("not_in_channel")
	}
	withMetadata := c.args.flag("include_all_metadata", false)
	if withMetadata && !slices.Contains(c.token.granted(), "metadata.message:read") {
		return nil, missingScope("metadata.message:read", strings.Join(c.token.granted(), ","))
	}
	oldest, latest := c.args.str("oldest"), c.args.str("latest")
	inclusive := c.args.flag("inclusive", false)
	within := func(ts string) bool {
		after := oldest == "" || ts > oldest || (inclusive && ts == oldest)
		before := latest == "" || ts < latest || (inclusive && ts == latest)
		return after && before
	}
	messages := []any{}
	for _, m := range conv.messages {
		if m.onlyFor == "" && wanted(m) && within(m.ts) {
			messages = append(messages, s.messageJSON(m, withMetadata))
		}
	}
	usual, most := 1000, 1000
	if newestFirst {
		usual, most = 100, 999
		slices.Reverse(messages)
	}
	if n, err := strconv.Atoi(c.args.str("limit")); err == nil && n > 0 {
		usual = n
	}
	return paged(messages, c.args.str("cursor"), min(usual, most))
}

// paged returns the page of messages at a cursor.
func paged(messages []any, cursor string, most int) (object, *apiError) {
	page, next, refused := pageAt(messages, cursor, "next_ts", most, stampOf)
	if refused != nil {
		return nil, refused
	}
	out := object{"messages": page, "has_more": next != "", "pin_count": 0}
	if next != "" {
		out["response_metadata"] = object{"next_cursor": next}
	}
	return out, nil
}

func stampOf(m any) string {
	o, _ := m.(object)
	return text(o, "ts")
}

// chatGetPermalink returns the URL of a message.
// https://docs.slack.dev/reference/methods/chat.getPermalink
func (s *Server) chatGetPermalink(c *call) (object, *apiError) {
	conv := s.conversations[c.args.str("channel")]
	if conv == nil || (conv.Private && !conv.member(s.opts.BotUser)) {
		return nil, no("channel_not_found")
	}
	m := conv.find(c.args.str("message_ts"))
	if m == nil || m.onlyFor != "" {
		return nil, no("message_not_found")
	}
	link := "https://" + s.opts.TeamDomain + ".slack.com/archives/" + conv.ID + "/p" + strings.Replace(m.ts, ".", "", 1)
	if m.thread != "" && m.thread != m.ts {
		link += "?thread_ts=" + m.thread + "&cid=" + conv.ID
	}
	return object{"channel": conv.ID, "permalink": link}, nil
}

// conversationsJoin adds the bot to a public channel.
// https://docs.slack.dev/reference/methods/conversations.join
func (s *Server) conversationsJoin(c *call) (object, *apiError) {
	conv := s.conversations[c.args.str("channel")]
	switch {
	case conv == nil, conv.Private && !conv.member(s.opts.BotUser):
		return nil, no("channel_not_found")
	case conv.with != "", conv.Private:
		return nil, no("method_not_supported_for_channel_type")
	case conv.Archived:
		return nil, no("is_archived")
	}
	out := object{"channel": object{"id": conv.ID, "name": conv.Name, "is_member": true}}
	if conv.member(s.opts.BotUser) {
		out["warning"] = "already_in_channel"
		return out, nil
	}
	conv.Members = append(conv.Members, s.opts.BotUser)
	return out, nil
}
