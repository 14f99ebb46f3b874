package slacksim

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// scheduled is a scheduled message.
type scheduled struct {
	id, thread string
	conv       *conversation
	body       content
	at         time.Time
}

const (
	// scheduleMost is how far ahead a message can be scheduled.
	// https://docs.slack.dev/reference/methods/chat.scheduleMessage
	scheduleMost = 120 * 24 * time.Hour
	// scheduleWindow is the period in which maxScheduled messages can be scheduled per channel.
	scheduleWindow = 5 * time.Minute
)

// chatScheduleMessage schedules a message. One with metadata is accepted and never posted, as
// Slack documents. https://docs.slack.dev/reference/methods/chat.scheduleMessage
func (s *Server) chatScheduleMessage(c *call) (object, *apiError) {
	conv, refused := s.place(c)
	if refused != nil {
		return nil, refused
	}
	unix, err := strconv.ParseInt(c.args.str("post_at"), 10, 64)
	at := time.Unix(unix, 0)
	near := 0
	for _, other := range s.scheduled {
		if other.conv == conv && other.at.Sub(at).Abs() < scheduleWindow {
			near++
		}
	}
	switch {
	case err != nil:
		return nil, no("invalid_time")
	case !at.After(s.clock.Now()):
		return nil, no("time_in_past")
	case at.Sub(s.clock.Now()) > scheduleMost:
		return nil, no("time_too_far")
	case near >= maxScheduled.max:
		s.violate(maxScheduled, c.method, "%d messages within five minutes in %s", near+1, conv.ID)
		return nil, no("restricted_too_many")
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
	later := &scheduled{id: s.newID("Q"), thread: thread, conv: conv, body: body, at: at}
	s.scheduled = append(s.scheduled, later)
	if body.hasMetadata {
		s.warn(noteScheduled, c.method, "with metadata it is never posted")
	}
	s.service.Go(func() {
		s.service.Pause(s.service.Life(), at.Sub(s.clock.Now()))
		s.postScheduled(later)
	})
	return object{"channel": conv.ID, "scheduled_message_id": later.id, "post_at": unix}, nil
}

// postScheduled posts a scheduled message unless it was deleted.
func (s *Server) postScheduled(later *scheduled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.scheduled, later)
	if at < 0 || s.service.Closed() || later.body.hasMetadata {
		return
	}
	s.scheduled = slices.Delete(s.scheduled, at, at+1)
	m := s.post(later.conv, later.body, later.thread, "")
	s.record(chatsim.Event{Kind: chatsim.Posted, Channel: m.channel, Message: m.ts, Where: "chat.scheduleMessage", Text: m.text})
}

// chatDeleteScheduledMessage deletes a scheduled message.
// https://docs.slack.dev/reference/methods/chat.deleteScheduledMessage
func (s *Server) chatDeleteScheduledMessage(c *call) (object, *apiError) {
	if s.conversations[c.args.str("channel")] == nil {
		return nil, no("channel_not_found")
	}
	at := slices.IndexFunc(s.scheduled, func(l *scheduled) bool {
		return l.id == c.args.str("scheduled_message_id") && l.conv.ID == c.args.str("channel")
	})
	if at < 0 {
		return nil, no("invalid_scheduled_message_id")
	}
	s.scheduled = slices.Delete(s.scheduled, at, at+1)
	return object{}, nil
}

// chatScheduledMessagesList lists the pending messages, next first.
// https://docs.slack.dev/reference/methods/chat.scheduledMessages.list
func (s *Server) chatScheduledMessagesList(c *call) (object, *apiError) {
	channel := c.args.str("channel")
	if channel != "" && s.conversations[channel] == nil {
		return nil, no("invalid_channel")
	}
	listed := slices.Clone(s.scheduled)
	slices.SortStableFunc(listed, func(a, b *scheduled) int { return cmp.Compare(a.at.Unix(), b.at.Unix()) })
	out := []any{}
	for _, l := range listed {
		if channel == "" || l.conv.ID == channel {
			out = append(out, object{"id": l.id, "channel_id": l.conv.ID, "post_at": l.at.Unix(), "text": l.body.text})
		}
	}
	return object{"scheduled_messages": out, "response_metadata": object{"next_cursor": ""}}, nil
}
