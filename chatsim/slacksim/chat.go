package slacksim

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// content is the content of a message, as given in a call.
type content struct {
	text        string
	blocks      []object
	attachments []any
	metadata    any

	hasText, hasBlocks, hasAttachments, hasMetadata bool
}

// readContent parses and checks the content of a message.
func (s *Server) readContent(where string, a args) (content, *apiError) {
	var out content
	out.text, out.hasText = a.str("text"), a.has("text")
	if a.has("markdown_text") && (out.hasText || a.has("blocks")) {
		s.violate(ruleMarkdownText, where, "markdown_text combined with text or blocks")
		return out, no("markdown_text_conflict")
	}
	if a.has("markdown_text") {
		s.violate(ruleArguments, where, "this double does not model markdown_text")
		return out, no("invalid_arguments")
	}
	v, given, err := a.tree("blocks")
	if err != nil {
		s.violate(ruleJSON, where+" /blocks", "%v", err)
		return out, no("invalid_blocks_format")
	}
	if given {
		blocks, c, refused := messageBlocks(v)
		s.report(where, c)
		if refused != nil {
			return out, refused
		}
		out.blocks, out.hasBlocks = blocks, true
	}
	v, given, err = a.tree("attachments")
	if err != nil {
		return out, no("invalid_attachments")
	}
	if given {
		list, ok := v.([]any)
		if !ok {
			return out, no("invalid_attachments")
		}
		if len(list) > maxAttachments.max {
			s.violate(maxAttachments, where, "%d attachments, %d are allowed", len(list), maxAttachments.max)
			return out, no("too_many_attachments")
		}
		out.attachments, out.hasAttachments = list, true
	}
	v, given, err = a.tree("metadata")
	if given || err != nil {
		if refused := s.checkMetadata(where, v, err); refused != nil {
			return out, refused
		}
		out.metadata, out.hasMetadata = v, true
	}
	return out, nil
}

// checkMetadata checks message metadata.
// https://docs.slack.dev/messaging/message-metadata/
func (s *Server) checkMetadata(where string, v any, err error) *apiError {
	o, _ := v.(object)
	if err != nil || text(o, "event_type") == "" || child(o, "event_payload") == nil {
		s.violate(ruleMetadata, where+" /metadata", "an object with event_type and event_payload is needed")
		return no("invalid_metadata_format")
	}
	if raw, _ := json.Marshal(o); len(raw) > maxMetadata.max { // Decoded JSON always encodes.
		s.violate(maxMetadata, where+" /metadata", "%d bytes, %d are allowed", len(raw), maxMetadata.max)
		return no("metadata_too_large")
	}
	return nil
}

// report records a check's findings as violations and notes.
func (s *Server) report(where string, c *check) {
	for _, p := range c.problems {
		s.violate(p.rule, where+" "+p.at, "%s", p.text)
	}
	for _, p := range c.notes {
		s.warn(p.rule, where+" "+p.at, "%s", p.text)
	}
}

// place finds the conversation to post to and checks that the bot may post there.
func (s *Server) place(c *call) (*conversation, *apiError) {
	conv := s.conversationFor(c.args.str("channel"))
	switch {
	case c.token.of.wide() && strings.HasPrefix(c.args.str("channel"), "#"): // A name is ambiguous without a workspace.
		return nil, no("team_not_found")
	case conv == nil, conv.Private && !conv.member(s.opts.BotUser):
		return nil, no("channel_not_found")
	case conv.with != "" && s.opts.MessagesTabOff:
		return nil, no("messages_tab_disabled")
	case conv.Archived:
		return nil, no("is_archived")
	case !conv.member(s.opts.BotUser) && !slices.Contains(c.token.granted(), "chat:write.public"):
		return nil, no("not_in_channel")
	}
	return conv, nil
}

// threadOf returns the thread that a call names. Replies must refer to the thread's first
// message: Slack does not display one that refers to a reply or to a missing message. The error
// code is not documented. https://docs.slack.dev/messaging/#threading
func (s *Server) threadOf(c *call, conv *conversation) (ts string, root *message, err *apiError) {
	ts = c.args.str("thread_ts")
	if ts == "" {
		return "", nil, nil
	}
	root = conv.find(ts)
	switch {
	case conv.locked(ts):
		return "", nil, no("restricted_action_thread_locked")
	case root == nil && !slices.ContainsFunc(conv.messages, func(m *message) bool { return m.thread == ts }):
		s.violate(ruleThread, c.method, "there is no message %s in %s", ts, conv.ID)
		return "", nil, no("thread_not_found")
	case root != nil && root.thread != "" && root.thread != ts:
		s.violate(ruleThread, c.method, "%s is itself a reply in the thread %s", ts, root.thread)
		return "", nil, no("cannot_reply_to_message")
	}
	return ts, root, nil
}

// chatPostMessage posts.
// https://docs.slack.dev/reference/methods/chat.postMessage
func (s *Server) chatPostMessage(c *call) (object, *apiError) {
	conv, refused := s.place(c)
	if refused != nil {
		return nil, refused
	}
	body, refused := s.readContent(c.method, c.args)
	if refused != nil {
		return nil, refused
	}
	if !body.hasText && len(body.blocks) == 0 && len(body.attachments) == 0 {
		return nil, no("no_text")
	}
	thread, _, refused := s.threadOf(c, conv)
	if refused != nil {
		return nil, refused
	}
	if most := s.opts.PostPerSecond; most > 0 {
		now := s.clock.Now()
		conv.posted = slices.DeleteFunc(conv.posted, func(at time.Time) bool { return now.Sub(at) >= time.Second })
		if len(conv.posted) >= most {
			return nil, rateLimited(time.Second)
		}
		conv.posted = append(conv.posted, now)
	}
	if n := double.Length(body.text); n > maxPostText.max {
		s.warn(noteCut, c.method, "%d characters", n)
		body.text = cut(body.text, maxPostText.max)
	}
	m := s.post(conv, body, thread, "")
	s.record(chatsim.Event{Kind: chatsim.Posted, Channel: conv.ID, Message: m.ts, Where: c.method, Text: body.text})
	s.remark(c.method, conv.ID, m.ts, body, c.args, chatsim.Posted)
	s.emitMessage(conv, m)
	return object{"channel": conv.ID, "ts": m.ts, "message": s.messageJSON(m, true)}, nil
}

// cut truncates a text to n UTF-16 units.
func cut(s string, n int) string {
	for i, r := range s {
		if n -= max(1, utf16.RuneLen(r)); n < 0 {
			return s[:i]
		}
	}
	return s
}

// post stores a message of the bot.
func (s *Server) post(conv *conversation, body content, thread, onlyFor string) *message {
	m := &message{
		channel: conv.ID, ts: s.newTS(), thread: thread, user: s.opts.BotUser, text: body.text,
		blocks: s.adopt(body.blocks), attachments: body.attachments, metadata: body.metadata,
		onlyFor: onlyFor, posted: s.clock.Now(), picks: map[string]picks{},
	}
	conv.messages = append(conv.messages, m)
	return m
}

// chatPostEphemeral posts a message that only one person sees.
// https://docs.slack.dev/reference/methods/chat.postEphemeral
func (s *Server) chatPostEphemeral(c *call) (object, *apiError) {
	conv, refused := s.place(c)
	if refused != nil {
		return nil, refused
	}
	body, refused := s.readContent(c.method, c.args)
	if refused != nil {
		return nil, refused
	}
	if !body.hasText && len(body.blocks) == 0 && len(body.attachments) == 0 {
		return nil, no("no_text")
	}
	if n := double.Length(body.text); n > maxPostText.max {
		s.violate(maxPostText, c.method+" /text", "%d characters, %d are allowed", n, maxPostText.max)
		return nil, no("msg_too_long")
	}
	p := s.person(c.args.str("user"))
	if p == nil || !conv.member(p.ID) {
		return nil, no("user_not_in_channel")
	}
	thread, root, refused := s.threadOf(c, conv)
	switch {
	case refused != nil:
		return nil, refused
	case root != nil && s.replies(root) == 0:
		// Slack accepts it but displays it only in threads that already have a reply.
		s.warn(noteIdleThread, c.method, "thread %s has no replies, so %s does not see the message", thread, p.ID)
		return object{"message_ts": s.newTS()}, nil
	}
	m := s.post(conv, body, thread, p.ID)
	s.record(chatsim.Event{
		Kind: chatsim.Ephemeral, Person: p.ID, Channel: conv.ID, Message: m.ts, Where: c.method, Text: body.text,
	})
	s.remark(c.method, conv.ID, m.ts, body, c.args, chatsim.Ephemeral)
	return object{"message_ts": m.ts}, nil
}

// own finds the message that chat.update or chat.delete names and checks that the bot may
// change it.
func (s *Server) own(c *call, foreign string) (*conversation, *message, *apiError) {
	conv := s.conversations[c.args.str("channel")]
	if conv == nil {
		return nil, nil, no("channel_not_found")
	}
	if conv.Archived {
		return nil, nil, no("is_inactive")
	}
	m := conv.find(c.args.str("ts"))
	switch {
	case m == nil, m.user == tombstone:
		return nil, nil, no("message_not_found")
	case m.user != s.opts.BotUser, m.onlyFor != "":
		return nil, nil, no(foreign)
	}
	return conv, m, nil
}

// chatUpdate edits a message. Text without blocks removes the blocks; with blocks the message
// is not marked as edited; metadata and attachments are kept unless new ones are given.
// https://docs.slack.dev/reference/methods/chat.update
func (s *Server) chatUpdate(c *call) (object, *apiError) {
	conv, m, refused := s.own(c, "cant_update_message")
	if refused != nil {
		return nil, refused
	}
	if window := s.opts.EditWindow; window > 0 && s.clock.Since(m.posted) > window {
		return nil, no("edit_window_closed")
	}
	body, refused := s.readContent(c.method, c.args)
	if refused != nil {
		return nil, refused
	}
	files, filesGiven, refused := s.attached(c)
	if refused != nil {
		return nil, refused
	}
	if n := double.Length(body.text); n > maxUpdateText.max {
		s.violate(maxUpdateText, c.method+" /text", "%d characters, %d are allowed", n, maxUpdateText.max)
		return nil, no("msg_too_long")
	}
	switch {
	case c.args.flag("reply_broadcast", false) && (body.hasText || body.hasBlocks || body.hasAttachments):
		return nil, no("no_dual_broadcast_content_update")
	case !body.hasText && !body.hasBlocks && !body.hasAttachments && !filesGiven:
		return nil, no("no_text")
	}
	before := s.messageJSON(m, true)
	s.edit(m, body)
	if filesGiven {
		s.attach(m, files)
	}
	s.emitChange(conv, m, before)
	s.record(chatsim.Event{Kind: chatsim.Edited, Channel: conv.ID, Message: m.ts, Where: c.method, Text: body.text})
	s.remark(c.method, conv.ID, m.ts, body, c.args, chatsim.Edited)
	return object{"channel": conv.ID, "ts": m.ts, "text": m.text, "message": s.messageJSON(m, true)}, nil
}

// edit replaces a message's content, as chat.update and replace_original do.
func (s *Server) edit(m *message, body content) {
	m.changed = true
	if body.hasBlocks || body.hasText {
		m.blocks = s.adopt(body.blocks)
		m.text = body.text
	}
	if body.hasAttachments {
		m.attachments = body.attachments
	}
	if body.hasMetadata {
		m.metadata = body.metadata
	}
	if !body.hasBlocks {
		m.editedAt = s.newTS()
	}
	for _, chosen := range m.picks {
		chosen.keep(m.blocks)
	}
	s.forgetWarnings(m.ts)
}

// tombstone is the author of the placeholder for a deleted message that has replies.
const tombstone = "USLACKBOT"

// chatDelete deletes a message. https://docs.slack.dev/reference/methods/chat.delete
func (s *Server) chatDelete(c *call) (object, *apiError) {
	conv, m, refused := s.own(c, "cant_delete_message")
	if refused != nil {
		return nil, refused
	}
	before := s.messageJSON(m, true)
	s.erase(conv, m)
	s.emitChange(conv, m, before)
	s.record(chatsim.Event{Kind: chatsim.Deleted, Channel: conv.ID, Message: m.ts, Where: c.method})
	return object{"channel": conv.ID, "ts": m.ts}, nil
}

// erase removes a message. If it has replies a tombstone remains.
func (s *Server) erase(conv *conversation, m *message) {
	if s.replies(m) > 0 {
		m.user, m.text, m.blocks, m.attachments, m.metadata = tombstone, "This message was deleted.", nil, nil, nil
		return
	}
	conv.remove(m)
}

// remark warns about content that Slack accepts but a careful app would not send. kind is how
// the message was sent: only a new message visible to everyone sends notifications.
func (s *Server) remark(where, channel, ts string, body content, a args, kind chatsim.Kind) {
	if len(body.blocks) > 0 && strings.TrimSpace(body.text) == "" {
		s.warn(noteFallback, where, "blocks without text: notifications and screen readers have no text")
	}
	var texts []string
	if a.flag("mrkdwn", true) {
		texts = append(texts, body.text)
	}
	walkTexts(body.blocks, func(o object) {
		if text(o, "type") == "mrkdwn" {
			texts = append(texts, text(o, "text"))
		}
	})
	named := chatsim.Mentioned
	if kind == chatsim.Posted {
		named = chatsim.Pinged
	}
	bare := a.flag("link_names", false) || a.str("parse") == "full"
	var pings []string
	report := func(t string, read markup) {
		pings = append(pings, read.pings...)
		for _, ping := range read.pings {
			s.record(chatsim.Event{Kind: named, Person: ping, Channel: channel, Message: ts, Where: where, Text: t})
		}
		for _, link := range read.labelled {
			s.warn(noteLink, where, "%s", link)
		}
		if read.linked && (a.flag("unfurl_links", true) || a.flag("unfurl_media", true)) && where == "chat.postMessage" {
			s.warn(noteUnfurl, where, "%s", t)
		}
	}
	for _, t := range texts {
		read := s.readMarkup(t, time.UTC)
		if bare {
			read.pings = append(read.pings, bareNames(t)...)
		}
		report(t, read)
	}
	for _, b := range body.blocks {
		if text(b, "type") == "rich_text" {
			var read markup
			t := s.readRich(&read, b["elements"], time.UTC)
			report(t, read)
		}
	}
	if kind == chatsim.Posted {
		s.ring(channel, ts, pings)
	}
}

// walkTexts visits every text object in decoded JSON.
func walkTexts(v any, visit func(object)) {
	switch v := v.(type) {
	case object:
		if kind := text(v, "type"); kind == "mrkdwn" || kind == "plain_text" {
			visit(v)
		}
		for _, member := range v {
			walkTexts(member, visit)
		}
	case []any:
		for _, item := range v {
			walkTexts(item, visit)
		}
	case []object:
		for _, item := range v {
			walkTexts(item, visit)
		}
	}
}

// replies counts the replies to a message.
func (s *Server) replies(m *message) int {
	n := 0
	for _, reply := range s.conversations[m.channel].messages {
		if reply.thread == m.ts && reply != m && reply.onlyFor == "" {
			n++
		}
	}
	return n
}

// messageJSON renders a message as in Slack's responses and payloads.
func (s *Server) messageJSON(m *message, withMetadata bool) object {
	out := object{"type": "message", "user": m.user, "ts": m.ts, "text": m.text, "team": s.opts.Team}
	switch m.user {
	case s.opts.BotUser:
		out["bot_id"] = s.opts.BotID
		out["app_id"] = s.opts.AppID
		out["bot_profile"] = object{
			"id": s.opts.BotID, "app_id": s.opts.AppID, "name": s.opts.BotName, "team_id": s.opts.Team, "deleted": false,
		}
	case tombstone:
		out["subtype"], out["hidden"] = "tombstone", true
	}
	if len(m.blocks) > 0 {
		out["blocks"] = double.Clone(m.blocks)
	}
	if len(m.attachments) > 0 {
		out["attachments"] = double.Clone(m.attachments)
	}
	if m.thread != "" {
		out["thread_ts"] = m.thread
	}
	if p := s.person(m.user); p != nil && p.Bot && m.user != s.opts.BotUser {
		out["bot_id"] = "B" + strings.TrimLeft(m.user, "UW")
	}
	if len(m.files) > 0 {
		list := []any{}
		for _, f := range m.files {
			list = append(list, s.fileJSON(f))
		}
		out["files"], out["upload"] = list, true
	}
	if list := reactionsJSON(m); len(list) > 0 {
		out["reactions"] = list
	}
	if replies := s.replies(m); replies > 0 {
		out["thread_ts"], out["reply_count"] = m.ts, replies
	}
	if m.editedAt != "" {
		out["edited"] = object{"user": m.user, "ts": m.editedAt}
	}
	if withMetadata && m.metadata != nil {
		out["metadata"] = double.Clone(m.metadata)
	}
	return out
}
