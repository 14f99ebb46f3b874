package discordsim

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// poll is a Discord poll. Everyone who sees it can vote, so it cannot restrict who decides.
type poll struct {
	def   object
	until time.Time
	final bool
	votes map[int][]string // voters by answer, in order
}

// SendPolls is the permission to create polls.
// https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
const SendPolls Permission = 1 << 49

// Vote events require an intent.
// https://docs.discord.com/developers/events/gateway-events#polls
var (
	voteAdd    = event{"MESSAGE_POLL_VOTE_ADD", 1 << 24, 1 << 25, ""}
	voteRemove = event{"MESSAGE_POLL_VOTE_REMOVE", 1 << 24, 1 << 25, ""}
)

// readPoll checks a poll.
// https://docs.discord.com/developers/resources/poll#poll-create-request-object
func (what *content) readPoll(body object) {
	v := body["poll"]
	if v == nil || what.v2 { // Not allowed with the V2 flag, see legacy.
		return
	}
	media := func(most rule) func(string, any) {
		return what.anObject(func(at string, o object) {
			what.object(at, o, []string{"text"}, shape{"text": what.str(1, most), "emoji": what.anObject(what.emoji)})
		})
	}
	what.anObject(func(at string, o object) {
		what.poll = o
		what.object(at, o, []string{"question", "answers"}, shape{
			"question": media(maxPollQuestion), "duration": what.between(1, maxPollHours), "allow_multiselect": what.boolean, "layout_type": what.between(1, kindUpTo(1)),
			"answers": what.list(1, maxPollAnswers, func(at string, o object) {
				what.object(at, o, []string{"poll_media"}, shape{"poll_media": media(maxPollAnswer), "answer_id": nil})
			}),
		})
	})("poll", v)
}

// begun starts the poll of a new message.
func (what *content) begun(m *message) *poll {
	if what.poll == nil {
		return nil
	}
	hours := integer(what.poll, "duration", 24)
	return &poll{def: what.poll, until: m.posted.Add(time.Duration(hours) * time.Hour), votes: map[int][]string{}}
}

// pollJSON renders a poll. https://docs.discord.com/developers/resources/poll#poll-object
func (s *Server) pollJSON(p *poll) object {
	answers, counts := []any{}, []any{}
	for i, a := range objects(p.def["answers"]) {
		answers = append(answers, object{"answer_id": i + 1, "poll_media": a["poll_media"]})
		counts = append(counts, object{"id": i + 1, "count": len(p.votes[i+1]), "me_voted": false})
	}
	return object{
		"question": p.def["question"], "answers": answers, "expiry": stamp(p.until), "allow_multiselect": flag(p.def, "allow_multiselect", false),
		"layout_type": 1, "results": object{"is_finalized": p.over(s.clock.Now()), "answer_counts": counts},
	}
}

func (p *poll) over(now time.Time) bool { return p.final || !now.Before(p.until) }

// polled finds the poll of a call.
func (s *Server) polled(c *call) (*message, *apiError) {
	_, m, refused := s.find(c)
	switch {
	case refused != nil:
		return nil, refused
	case m.poll == nil:
		return nil, no(10008)
	}
	return m, nil
}

// pollVoters lists the voters of an answer.
// https://docs.discord.com/developers/resources/poll#get-answer-voters
func (s *Server) pollVoters(c *call) (*reply, *apiError) {
	m, refused := s.polled(c)
	if refused != nil {
		return nil, refused
	}
	n, _ := strconv.Atoi(c.params["answer"]) // No answer has the number 0.
	users := []any{}
	for _, id := range m.poll.votes[n] {
		users = append(users, s.userJSON(id))
	}
	return ok(object{"users": users})
}

// endPoll ends a poll of the bot. https://docs.discord.com/developers/resources/poll#end-poll
func (s *Server) endPoll(c *call) (*reply, *apiError) {
	m, refused := s.polled(c)
	switch {
	case refused != nil:
		return nil, refused
	case m.author != s.opts.BotUser:
		return nil, no(50005)
	case m.poll.over(s.clock.Now()):
		return nil, no(520001)
	}
	m.poll.final = true
	s.tellMessage(chatsim.Edited, c.route.name, m)
	return ok(s.messageJSON(m))
}

// Vote toggles the person's vote for an answer, named by its text, in the poll of a message. In
// a single-answer poll it replaces the previous vote.
func (t *Seat) Vote(_ context.Context, messageID, answer string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	defer t.s.changed.Notify()
	if err := t.s.actor(t.person); err != nil {
		return err
	}
	for _, conv := range t.s.channels {
		m := conv.find(messageID)
		if m == nil || m.poll == nil || !t.s.seenBy(conv, t.person) || m.onlyFor != "" {
			continue
		}
		i := slices.IndexFunc(objects(m.poll.def["answers"]), func(o object) bool { return text(child(o, "poll_media"), "text") == answer })
		if i < 0 || m.poll.over(t.s.clock.Now()) {
			break
		}
		t.s.vote(conv, m, t.person, i+1)
		t.s.record(chatsim.Event{Kind: chatsim.Picked, Person: t.person, Channel: conv.ID, Message: m.id, Text: answer})
		return nil
	}
	return fmt.Errorf("discordsim: %s: vote %q: %w", t.person, answer, chatsim.ErrNotThere)
}

// vote sets or removes a vote and sends the event.
func (s *Server) vote(conv *channel, m *message, person string, answer int) {
	change := func(n int, e event) {
		s.announceVote(e, conv, object{"user_id": person, "channel_id": conv.ID, "message_id": m.id, "answer_id": n})
	}
	if i := slices.Index(m.poll.votes[answer], person); i >= 0 {
		m.poll.votes[answer] = slices.Delete(m.poll.votes[answer], i, i+1)
		change(answer, voteRemove)
		return
	}
	for n, voters := range m.poll.votes {
		if i := slices.Index(voters, person); i >= 0 && !flag(m.poll.def, "allow_multiselect", false) {
			m.poll.votes[n] = slices.Delete(voters, i, i+1)
			change(n, voteRemove)
		}
	}
	m.poll.votes[answer] = append(m.poll.votes[answer], person)
	change(answer, voteAdd)
}

func (s *Server) announceVote(e event, conv *channel, body object) {
	if conv.with == "" {
		body["guild_id"] = s.opts.Guild
	}
	for _, n := range s.sessions {
		if s.receives(n, conv) && n.wanted(e, conv) {
			n.dispatch(e.name, mustJSON(body))
		}
	}
}

// seePoll renders a poll as people read it.
func (s *Server) seePoll(m *message, person string) []string {
	lines := []string{text(child(m.poll.def, "question"), "text")}
	for i, a := range objects(m.poll.def["answers"]) {
		mark := "○ "
		if slices.Contains(m.poll.votes[i+1], person) {
			mark = "● "
		}
		lines = append(lines, fmt.Sprintf("%s%s (%d)", mark, text(child(a, "poll_media"), "text"), len(m.poll.votes[i+1])))
	}
	return lines
}

// bulkDelete deletes two to a hundred messages, none older than two weeks.
// https://docs.discord.com/developers/resources/message#bulk-delete-messages
func (s *Server) bulkDelete(c *call) (*reply, *apiError) {
	conv, refused := s.reach(c)
	ids := idsOf(c.body["messages"])
	switch {
	case refused != nil:
		return nil, refused
	case conv.with != "":
		return nil, no(50024)
	case len(ids) < 2, len(ids) > maxBulk.max:
		s.violate(maxBulk, c.route.name, "%d messages, 2 to %d are allowed", len(ids), maxBulk.max)
		return nil, no(50016)
	case s.opts.Permissions&ManageMessages == 0:
		return nil, no(50013)
	}
	for _, id := range ids {
		if m := conv.find(id); m != nil && s.clock.Since(m.posted) > bulkAge {
			return nil, no(50034)
		}
	}
	var gone []any
	for _, id := range ids { // Missing messages are ignored.
		if m := conv.find(id); m != nil {
			s.drop(conv, m, c.route.name)
			gone = append(gone, id)
		}
	}
	if len(gone) > 0 {
		s.announceGone(conv, gone)
	}
	return &reply{status: http.StatusNoContent}, nil
}

// ManageMessages is the permission to delete messages of others.
// https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
const ManageMessages Permission = 1 << 13

// bulkAge is the maximum age of a message in a bulk delete.
const bulkAge = 14 * 24 * time.Hour

// pollOf returns the poll of a message as one person sees it, or nil.
func (s *Server) pollOf(m *message, person string) *Poll {
	if m.poll == nil {
		return nil
	}
	out := &Poll{Question: text(child(m.poll.def, "question"), "text"), Over: m.poll.over(s.clock.Now())}
	for i, a := range objects(m.poll.def["answers"]) {
		voters := m.poll.votes[i+1]
		out.Answers = append(out.Answers, PollAnswer{Text: text(child(a, "poll_media"), "text"), Votes: len(voters), Mine: slices.Contains(voters, person)})
	}
	return out
}
