package slacksim

import (
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// agentThread is a thread with an agent session.
type agentThread struct{ channel, thread string }

// agentSession is the state of an agent session.
type agentSession struct{ status, title string }

// agentStatuses are the states of an agent session.
// https://docs.slack.dev/reference/methods/agents.sessions.setStatus
var agentStatuses = []string{"active", "processing", "suspended", "closed"}

// agentsSetStatus sets the status of the agent session in a thread, and begins one if there is
// none. https://docs.slack.dev/reference/methods/agents.sessions.setStatus
func (s *Server) agentsSetStatus(c *call) (object, *apiError) {
	conv := s.conversations[c.args.str("channel_id")]
	switch {
	case !s.opts.AgentView:
		return nil, no("feature_disabled")
	case !slices.Contains(agentStatuses, c.args.str("status")):
		s.violate(ruleArguments, c.method, "there is no status %q", c.args.str("status"))
		return nil, no("invalid_arguments")
	case conv == nil, conv.Private && !conv.member(s.opts.BotUser):
		return nil, no("channel_not_found")
	case !conv.member(s.opts.BotUser):
		return nil, no("not_in_channel")
	case conv.Session && c.args.has("thread_ts"):
		return nil, no("thread_ts_not_allowed")
	case !conv.Session && !c.args.has("thread_ts"):
		return nil, no("thread_ts_required")
	}
	for _, name := range []string{"icon_emoji", "icon_url", "username"} {
		if c.args.has(name) && !slices.Contains(c.token.granted(), "chat:write.customize") {
			return nil, missingScope("chat:write.customize", strings.Join(c.token.granted(), ","))
		}
	}
	thread, _, refused := s.threadOf(c, conv)
	if refused != nil {
		return nil, refused
	}
	title := c.args.str("title")
	if double.Length(title) > maxAgentTitle.max {
		s.violate(maxAgentTitle, c.method, "%d characters, %d are allowed", double.Length(title), maxAgentTitle.max)
		return nil, no("invalid_arguments")
	}
	at := agentThread{conv.ID, thread}
	session := s.agents[at]
	if session == nil {
		session = &agentSession{title: title}
		s.agents[at] = session
	}
	session.status = c.args.str("status")
	return object{"status": session.status, "agent_status": session.status, "title": session.title}, nil
}

// AgentStatus returns the status of the agent session in a thread, or of a session channel
// without a thread, or "" if there is none.
func (s *Server) AgentStatus(channel, thread string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.agents[agentThread{channel, thread}]; session != nil {
		return session.status
	}
	return ""
}
