package discordsim

import (
	"slices"
	"strconv"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// place finds the channel to post to and checks that the bot may post there. A message
// unarchives a thread unless it is locked.
// https://docs.discord.com/developers/topics/threads#active-archived-threads
func (s *Server) place(c *call) (*channel, *apiError) {
	conv, refused := s.reach(c)
	if refused != nil {
		return nil, refused
	}
	needs := SendMessages
	if conv.Parent != "" {
		needs = SendMessagesInThreads
	}
	switch {
	case conv.Forum:
		return nil, no(40058)
	case s.allowed(conv)&needs == 0:
		return nil, no(50013)
	case conv.Locked:
		return nil, no(160005)
	case conv.with != "" && s.person(conv.with).Outside:
		return nil, no(50278)
	case conv.with != "" && s.person(conv.with).ClosedDM:
		return nil, no(50007)
	}
	return conv, nil
}

// createMessage posts a message.
// https://docs.discord.com/developers/resources/message#create-message
func (s *Server) createMessage(c *call) (*reply, *apiError) {
	conv, refused := s.place(c)
	if refused != nil {
		return nil, refused
	}
	if refused := s.attachable(conv, c.files); refused != nil {
		return nil, refused
	}
	what := s.readContent(c.body, c.files, nil)
	if what.flags&flagEphemeral != 0 {
		what.fail(ruleFlags, "flags", "NUMBER_TYPE_COERCE", "a message is ephemeral only as the answer to an interaction")
	}
	nonce := what.nonce(c.body["nonce"])
	answers := s.readReference(what, conv, c.body["message_reference"])
	if v := c.body["enforce_nonce"]; v != nil {
		what.boolean("enforce_nonce", v)
	}
	if refused := s.judge(c, what); refused != nil {
		return nil, refused
	}
	switch {
	case what.poll != nil && s.allowed(conv)&SendPolls == 0:
		return nil, no(50013)
	case child(c.body, "message_reference") != nil && s.allowed(conv)&ReadMessageHistory == 0:
		return nil, no(160002)
	case what.empty():
		return nil, no(50006)
	}
	enforced := flag(c.body, "enforce_nonce", false) && nonce != ""
	if !enforced {
		s.warn(noteNonce, c.route.name, "nonce %q, enforce_nonce %v", nonce, c.body["enforce_nonce"])
	}
	key := conv.ID + " " + nonce
	if first := s.nonces[key]; enforced && first != nil && s.clock.Since(first.at) < nonceLife {
		m := conv.find(first.id)
		if m == nil {
			return nil, no(10008)
		}
		return ok(s.messageJSON(m))
	}
	m := s.post(conv, what)
	m.nonce, m.reply = nonce, answers
	if nonce != "" {
		s.nonces[key] = &noncePost{m.id, m.posted}
	}
	conv.Archived = false
	s.tellMessage(chatsim.Posted, c.route.name, m)
	return ok(s.messageJSON(m))
}

// post stores a message of the bot.
func (s *Server) post(conv *channel, what *content) *message {
	m := &message{
		id: s.newID(), channel: conv.ID, author: s.opts.BotUser, content: what.text, components: s.settled(adopt(what.components), what.attachments),
		embeds: adoptEmbeds(what.embeds), flags: what.flags, allowed: what.mentions, posted: s.clock.Now(), picks: map[string]picks{},
	}
	m.attachments, m.poll = what.placed(m), what.begun(m)
	conv.keep(m)
	return m
}

// readReference parses the message reference of a reply in the channel.
func (s *Server) readReference(what *content, conv *channel, v any) string {
	if v == nil {
		return ""
	}
	what.anObject(func(at string, o object) {
		what.object(at, o, []string{"message_id"}, shape{
			"message_id": what.snowflake, "channel_id": what.snowflake, "guild_id": what.snowflake, "type": what.between(0, kindUpTo(1)),
			"fail_if_not_exists": what.boolean,
		})
	})("message_reference", v)
	ref, _ := v.(object)
	id := idOf(ref["message_id"])
	if id == "" || conv.find(id) != nil {
		return id
	}
	if flag(ref, "fail_if_not_exists", true) {
		what.fail(ruleKind, "message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
	}
	return ""
}

// nonce parses a nonce, which is text or a number.
func (what *content) nonce(v any) string {
	nonce, isText := v.(string)
	if n, isNumber := number(v); isNumber {
		nonce, isText = strconv.Itoa(n), true
	}
	if v != nil && !isText {
		what.fail(ruleKind, "nonce", "BASE_TYPE_STRING", "not a string or an integer")
	}
	if double.Length(nonce) > maxNonce.max {
		what.fail(maxNonce, "nonce", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxNonce.max)
	}
	return nonce
}

// tellMessage records a message and its notifications in the timeline.
func (s *Server) tellMessage(kind chatsim.Kind, where string, m *message) {
	if m.onlyFor != "" && kind == chatsim.Posted {
		kind = chatsim.Ephemeral
	}
	s.record(chatsim.Event{
		Kind: kind, Person: m.onlyFor, Channel: m.channel, Message: m.id, Where: where, Text: s.wordsOf(m),
	})
	switch kind {
	case chatsim.Posted:
		s.announce(messageCreate, m)
	case chatsim.Edited:
		s.announce(messageUpdate, m)
	}
	if n := s.read(s.wordsOf(m)).links; n > 0 {
		s.warn(noteLink, where, "%d links", n)
	}
	named := chatsim.Mentioned
	if kind == chatsim.Posted {
		named = chatsim.Pinged
	}
	users, roles, everyone := s.notified(m)
	if kind == chatsim.Posted {
		s.ring(m, users, stringsOf(roles), everyone)
	}
	if everyone {
		roles = append(roles, "everyone")
	}
	for _, who := range append(users, stringsOf(roles)...) {
		s.record(chatsim.Event{Kind: named, Person: who, Channel: m.channel, Message: m.id, Where: where})
	}
}

// find returns the message of a call.
func (s *Server) find(c *call) (*channel, *message, *apiError) {
	conv, refused := s.reach(c)
	if refused != nil {
		return nil, nil, refused
	}
	if s.allowed(conv)&ReadMessageHistory == 0 && c.route.verb == "GET" {
		return nil, nil, no(50013)
	}
	m := conv.find(c.params["message"])
	if m == nil || m.onlyFor != "" { // The bot token cannot access ephemeral messages.
		return nil, nil, no(10008)
	}
	return conv, m, nil
}

func (s *Server) getMessage(c *call) (*reply, *apiError) {
	_, m, refused := s.find(c)
	if refused != nil {
		return nil, refused
	}
	return ok(s.messageJSON(m))
}

// listMessages lists messages, newest first.
// https://docs.discord.com/developers/resources/message#get-channel-messages
func (s *Server) listMessages(c *call) (*reply, *apiError) {
	conv, refused := s.reach(c)
	if refused != nil {
		return nil, refused
	}
	most := 50
	if asked := c.query.Get("limit"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 || n > maxListedMessages.max {
			return nil, s.refuse(c.route.name, problem{maxListedMessages, "limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100."})
		}
		most = n
	}
	var found []*message
	for _, m := range conv.messages {
		if m.onlyFor == "" && s.allowed(conv)&ReadMessageHistory != 0 {
			found = append(found, m)
		}
	}
	place := func(id string) int { // index of the first message that is not older
		return len(slices.DeleteFunc(slices.Clone(found), func(m *message) bool { return !older(m.id, id) }))
	}
	switch {
	case c.query.Get("before") != "":
		to := place(c.query.Get("before"))
		found = found[max(0, to-most):to]
	case c.query.Get("after") != "":
		from := place(nextID(c.query.Get("after")))
		found = found[from:min(len(found), from+most)]
	case c.query.Get("around") != "":
		at := place(c.query.Get("around"))
		from := max(0, at-most/2)
		found = found[from:min(len(found), from+most)]
	default:
		found = found[max(0, len(found)-most):]
	}
	out := []any{}
	for _, m := range slices.Backward(found) {
		out = append(out, s.messageJSON(m))
	}
	return ok(out)
}

// older compares ids, which increase over time.
func older(a, b string) bool { return idNumber(a) < idNumber(b) }

func idNumber(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64) // An invalid id is older than all others.
	return n
}

func nextID(id string) string { return strconv.FormatUint(idNumber(id)+1, 10) }

// editMessage edits a message of the bot.
// https://docs.discord.com/developers/resources/message#edit-message
func (s *Server) editMessage(c *call) (*reply, *apiError) {
	conv, m, refused := s.find(c)
	switch {
	case refused != nil:
		return nil, refused
	case m.author != s.opts.BotUser:
		return nil, no(50005)
	case conv.Archived:
		return nil, no(50083)
	case m.poll != nil:
		return nil, no(520003)
	}
	if refused := s.attachable(conv, c.files); refused != nil {
		return nil, refused
	}
	what := s.readContent(c.body, c.files, m)
	if refused := s.judge(c, what); refused != nil {
		return nil, refused
	}
	if refused := s.countOldEdit(m); refused != nil {
		return nil, refused
	}
	s.edit(m, what)
	s.tellMessage(chatsim.Edited, c.route.name, m)
	return ok(s.messageJSON(m))
}

// countOldEdit counts an edit of a message older than an hour.
func (s *Server) countOldEdit(m *message) *apiError {
	now := s.clock.Now()
	if now.Sub(m.posted) < oldAge {
		return nil
	}
	lately := recent(s.oldEdits[m.channel], now, oldWindow)
	if len(lately) >= s.opts.OldEdits {
		s.oldEdits[m.channel] = lately
		e := no(30046)
		e.retryAfter, e.scope = oldWindow-now.Sub(lately[0]), "user"
		return e
	}
	s.oldEdits[m.channel] = append(lately, now)
	return nil
}

// edit replaces a message's content. New components discard people's selections.
// https://github.com/discord/discord-api-docs/issues/3441
func (s *Server) edit(m *message, what *content) {
	if what.hasText {
		m.content = what.text
	}
	if what.hasEmbeds {
		m.embeds = adoptEmbeds(what.embeds)
	}
	if what.hasComponents {
		m.components = s.settled(adopt(what.components), what.attachments)
		m.picks = map[string]picks{}
	}
	m.attachments = what.placed(m)
	const stays = flagV2 | flagEphemeral | flagThread
	m.flags = what.flags&^(flagEphemeral|flagLoading|flagThread) | m.flags&stays
	m.allowed, m.edited, m.thinking = what.mentions, s.clock.Now(), false
	s.forgetWarnings(m.id)
}

// deleteMessage deletes a message.
// https://docs.discord.com/developers/resources/message#delete-message
func (s *Server) deleteMessage(c *call) (*reply, *apiError) {
	conv, m, refused := s.find(c)
	switch {
	case refused != nil:
		return nil, refused
	case m.author != s.opts.BotUser:
		return nil, no(50013)
	}
	s.remove(conv, m, c.route.name)
	return done()
}

func (s *Server) remove(conv *channel, m *message, where string) {
	s.announce(messageDelete, m)
	s.drop(conv, m, where)
}

// drop is remove without an event.
func (s *Server) drop(conv *channel, m *message, where string) {
	conv.remove(m)
	s.forgetWarnings(m.id)
	s.record(chatsim.Event{Kind: chatsim.Deleted, Channel: conv.ID, Message: m.id, Where: where})
}
