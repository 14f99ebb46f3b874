package discordsim

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/askbridge/askbridge/chatsim"
)

// Tag is a tag for posts of a forum.
type Tag struct {
	ID   string
	Name string
}

// flagThread marks the message that a thread was started from.
// https://docs.discord.com/developers/resources/message#message-object-message-flags
const flagThread = 1 << 5

// flagNeedsTag marks a forum whose posts require a tag.
// https://docs.discord.com/developers/resources/channel#channel-object-channel-flags
const flagNeedsTag = 1 << 4

var (
	threadFields  = []string{"name", "auto_archive_duration", "rate_limit_per_user"}
	archivedAfter = []int{60, 1440, 4320, 10080} // minutes
)

// checkThread checks the definition of a new thread.
// https://docs.discord.com/developers/resources/channel#start-thread-from-message
func checkThread(body object) *check {
	c := newCheck()
	c.object("", body, []string{"name"}, shape{
		"name": c.str(1, maxThreadName),
		"auto_archive_duration": func(at string, v any) {
			if n, ok := number(v); !ok || !slices.Contains(archivedAfter, n) {
				c.fail(ruleArchive, at, "BASE_TYPE_CHOICES", "Value must be one of {%s}.", choices(archivedAfter))
			}
		},
		"rate_limit_per_user": nil, "type": nil, "invitable": nil, "message": nil, "applied_tags": nil,
	})
	return c
}

// branch creates a thread of a channel.
func (s *Server) branch(of *channel, id, name string) *channel {
	t := &channel{Channel: Channel{ID: id, Name: name, Parent: of.ID, Members: of.Members}}
	s.channels[id] = t
	return t
}

// threadFromMessage starts the thread of a message; a message has at most one.
// https://docs.discord.com/developers/resources/channel#start-thread-from-message
func (s *Server) threadFromMessage(c *call) (*reply, *apiError) {
	conv, m, refused := s.find(c)
	switch {
	case refused != nil:
		return nil, refused
	case conv.with != "", conv.Parent != "":
		return nil, no(50024)
	case s.allowed(conv)&CreatePublicThreads == 0:
		return nil, no(50013)
	case m.flags&flagThread != 0:
		return nil, no(160004)
	}
	if refused := s.judgeCheck(c.route.name, "", checkThread(c.body)); refused != nil {
		return nil, refused
	}
	m.flags |= flagThread
	return &reply{http.StatusCreated, s.channelJSON(s.branch(conv, m.id, text(c.body, "name")))}, nil
}

// startThread starts a thread without a message, or a post in a forum.
// https://docs.discord.com/developers/resources/channel#start-thread-without-message
func (s *Server) startThread(c *call) (*reply, *apiError) {
	conv, refused := s.reach(c)
	switch {
	case refused != nil:
		return nil, refused
	case conv.with != "", conv.Parent != "":
		return nil, no(50024)
	case conv.Forum:
		return s.startPost(c, conv)
	case integer(c.body, "type", typePrivateThread) != typeThread, s.allowed(conv)&CreatePublicThreads == 0:
		return nil, no(50013) // The default type is private, which requires a permission that bots rarely have.
	}
	if refused := s.judgeCheck(c.route.name, "", checkThread(c.body)); refused != nil {
		return nil, refused
	}
	return &reply{http.StatusCreated, s.channelJSON(s.branch(conv, s.newID(), text(c.body, "name")))}, nil
}

// startPost starts a post in a forum: a thread with the id of its first message.
// https://docs.discord.com/developers/resources/channel#start-thread-in-forum-or-media-channel
func (s *Server) startPost(c *call, forum *channel) (*reply, *apiError) {
	if s.allowed(forum)&SendMessages == 0 {
		return nil, no(50013)
	}
	first := child(c.body, "message")
	if refused := s.attachable(forum, c.files); refused != nil {
		return nil, refused
	}
	what := s.readContent(first, c.files, nil)
	asked := checkThread(c.body)
	tags := idsOf(c.body["applied_tags"])
	if len(tags) > maxTags.max {
		asked.fail(maxTags, "applied_tags", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxTags.max)
	}
	for i, id := range tags {
		if !slices.ContainsFunc(forum.Tags, func(t Tag) bool { return t.ID == id }) {
			asked.fail(ruleKind, fmt.Sprintf("applied_tags.%d", i), "BASE_TYPE_CHOICES", "Unknown tag")
		}
	}
	if refused := s.judgeCheck(c.route.name, "", asked); refused != nil {
		return nil, refused
	}
	if refused := s.judgeAt(c.route.name, "message.", first, messageFields, what); refused != nil {
		return nil, refused
	}
	switch {
	case forum.NeedsTag && len(tags) == 0:
		return nil, no(40067)
	case what.empty():
		return nil, no(50006)
	}
	t := s.branch(forum, s.newID(), text(c.body, "name"))
	m := s.post(t, what)
	m.id = t.ID
	s.tellMessage(chatsim.Posted, c.route.name, m)
	out := s.channelJSON(t)
	out["message"], out["applied_tags"] = s.messageJSON(m), tags
	return &reply{http.StatusCreated, out}, nil
}

// addToThread adds a member to a thread.
// https://docs.discord.com/developers/resources/channel#add-thread-member
func (s *Server) addToThread(c *call) (*reply, *apiError) {
	conv, refused := s.reach(c)
	switch p := s.person(c.params["user"]); {
	case refused != nil:
		return nil, refused
	case conv.Parent == "":
		return nil, no(50024)
	case conv.Archived:
		return nil, no(50083)
	case p == nil || p.Outside:
		return nil, no(10007)
	case s.allowed(conv)&SendMessagesInThreads == 0:
		return nil, no(50013)
	}
	return done()
}
