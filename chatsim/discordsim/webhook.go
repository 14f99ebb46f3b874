package discordsim

import (
	"context"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// webhook finds the interaction whose token a call carries. Its webhook exists from the first
// response until fifteen minutes after the interaction.
// https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages
func (s *Server) webhook(c *call) (*interaction, *apiError) {
	i := s.interactions[c.params["token"]]
	switch {
	case c.params["application"] != s.opts.Application:
		return nil, no(10015)
	case i == nil:
		return nil, no(50027)
	case s.clock.Since(i.born) >= tokenLife:
		s.warn(noteLate, c.route.name, "%v after the interaction", s.clock.Since(i.born))
		return nil, no(50027)
	case !i.answered && s.clock.Since(i.born) >= patience:
		// An app whose response got no reply cannot know that it was late.
		s.warn(noteLate, c.route.name, "%v after the interaction, which was not answered in time", s.clock.Since(i.born))
		return nil, no(10015)
	case !i.answered:
		s.violate(ruleEarly, c.route.name, "the interaction was not answered yet")
		return nil, no(10015)
	}
	return i, nil
}

// transit is the time allowed for a response to arrive.
const transit = time.Second

// hearFirst waits for a first response over HTTP that the app may have written before calling
// the interaction's webhook: the call uses another connection and can overtake it. If there is
// none, the wait is in vain.
func (s *Server) hearFirst(ctx context.Context, c *call) {
	if !strings.HasPrefix(c.route.path, "/webhooks/") {
		return
	}
	s.mu.Lock()
	var replied chan struct{}
	if i := s.interactions[c.params["token"]]; i != nil && !i.answered {
		replied = i.replied
	}
	s.mu.Unlock()
	if replied == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, transit)
	defer cancel()
	select {
	case <-replied:
	case <-ctx.Done():
	}
}

// response finds the message of a call: the original response or a follow-up.
func (s *Server) response(c *call) (*interaction, *message, *apiError) {
	i, refused := s.webhook(c)
	if refused != nil {
		return nil, nil, refused
	}
	m := i.original
	if id, named := c.params["message"]; named {
		m = i.channel.find(id)
		if m != nil && m.cause != i && m != i.original {
			m = nil
		}
	}
	if m == nil || i.channel.find(m.id) == nil {
		return nil, nil, no(10008)
	}
	return i, m, nil
}

func (s *Server) getResponse(c *call) (*reply, *apiError) {
	_, m, refused := s.response(c)
	if refused != nil {
		return nil, refused
	}
	return ok(s.messageJSON(m))
}

func (s *Server) editResponse(c *call) (*reply, *apiError) {
	i, m, refused := s.response(c)
	if refused != nil {
		return nil, refused
	}
	return s.rewrite(c, i, m)
}

// rewrite edits a message through an interaction's webhook.
func (s *Server) rewrite(c *call, i *interaction, m *message) (*reply, *apiError) {
	if refused := s.attachable(i.channel, c.files); refused != nil {
		return nil, refused
	}
	what := s.readContent(c.body, c.files, m)
	what.onlyPeople()
	if refused := s.judge(c, what); refused != nil {
		return nil, refused
	}
	if m.thinking && what.empty() {
		return nil, no(50006)
	}
	s.edit(m, what)
	s.tellMessage(chatsim.Edited, c.route.name, m)
	return ok(s.messageJSON(m))
}

func (s *Server) deleteResponse(c *call) (*reply, *apiError) {
	i, m, refused := s.response(c)
	if refused != nil {
		return nil, refused
	}
	s.remove(i.channel, m, c.route.name)
	return done()
}

// createFollowUp posts a follow-up message. The first one after a deferred response replaces
// it.
// https://docs.discord.com/developers/interactions/receiving-and-responding#create-followup-message
func (s *Server) createFollowUp(c *call) (*reply, *apiError) {
	i, refused := s.webhook(c)
	if refused != nil {
		return nil, refused
	}
	if i.original != nil && i.original.thinking {
		return s.rewrite(c, i, i.original)
	}
	if refused := s.attachable(i.channel, c.files); refused != nil {
		return nil, refused
	}
	what := s.readContent(c.body, c.files, nil)
	what.onlyPeople()
	if refused := s.judge(c, what); refused != nil {
		return nil, refused
	}
	if what.empty() {
		return nil, no(50006)
	}
	if i.followUps++; s.opts.UserInstalled && i.followUps > userFollowUps {
		return nil, no(40094)
	}
	return ok(s.messageJSON(s.postFor(i, c.route.name, what)))
}
