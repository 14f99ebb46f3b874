package slacksim

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// responseURL is a response_url: it answers one interaction a limited number of times.
type responseURL struct {
	person, channel string
	message         *message // the message the person acted on
	made            time.Time
	uses            int
}

// newResponseURL issues the response_url of an interaction on a message.
func (s *Server) newResponseURL(person string, m *message) string {
	path := fmt.Sprintf("/actions/%s/%s/%s", s.opts.Team, s.newID(""), s.secretFor(fmt.Sprint("response", s.serial)))
	s.responses[path] = &responseURL{person: person, channel: m.channel, message: m, made: s.clock.Now()}
	return s.service.URL() + path
}

// serveResponse handles a post to a response_url.
// https://docs.slack.dev/interactivity/handling-user-interaction/#message_responses
func (s *Server) serveResponse(w http.ResponseWriter, r *http.Request) {
	given := args{}
	var refused *apiError
	if body, err := io.ReadAll(r.Body); err != nil {
		refused = no("request_timeout")
	} else if v, err := decode(body); err != nil {
		s.violate(ruleJSON, ResponseURLs, "%v", err)
		refused = &apiError{word: "invalid_payload", status: http.StatusBadRequest}
	} else if o, ok := v.(object); ok {
		given = o
	}
	done := s.log(Call{Method: ResponseURLs, At: s.clock.Now(), Args: given})
	fault := s.fault(ResponseURLs)
	if !s.applyFault(w, r, fault, done) {
		return
	}
	if refused == nil && fault.Word() != "" {
		refused = no(fault.Word())
	}
	if refused == nil {
		refused = s.respond(r.URL.Path, given)
	}
	s.notify()
	if fault.LosesReply() {
		done(0, wordOf(refused))
		panic(http.ErrAbortHandler)
	}
	if refused != nil {
		s.record(chatsim.Event{Kind: chatsim.Refused, Where: ResponseURLs, Text: refused.word})
		done(refused.status, refused.word)
		writeJSON(w, refused.status, object{"ok": false, "error": refused.word})
		return
	}
	done(http.StatusOK, "")
	writeJSON(w, http.StatusOK, object{"ok": true})
}

// respond applies a post to a response_url.
func (s *Server) respond(path string, a args) *apiError {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.responses[path]
	switch {
	case u == nil:
		s.violate(ruleResponseURL, ResponseURLs, "unknown address")
		return &apiError{word: "invalid_url", status: http.StatusNotFound}
	case s.clock.Since(u.made) >= responseLife:
		s.violate(responseInAge, ResponseURLs, "it is %v old", s.clock.Since(u.made))
		return &apiError{word: "expired_url", status: http.StatusNotFound}
	case u.uses >= maxResponses.max:
		s.violate(maxResponses, ResponseURLs, "used %d times before", u.uses)
		return &apiError{word: "used_url", status: http.StatusNotFound}
	}
	conv := s.conversations[u.channel]
	if a.flag("delete_original", false) && u.message.ts != "" {
		u.uses++
		s.erase(conv, u.message)
		s.record(chatsim.Event{Kind: chatsim.Deleted, Channel: conv.ID, Message: u.message.ts, Where: ResponseURLs})
		return nil
	}
	reply, refused := s.readContent(ResponseURLs, a)
	if refused != nil {
		return refused
	}
	if !reply.hasText && !reply.hasBlocks && !reply.hasAttachments {
		return no("no_text")
	}
	u.uses++
	kind := chatsim.Ephemeral
	switch {
	case a.flag("replace_original", false) && u.message.ts != "": // A command has no message to replace.
		kind = chatsim.Edited
		s.replace(conv, u.message, reply)
	case a.str("response_type") == "in_channel":
		kind = chatsim.Posted
		m := s.post(conv, reply, a.str("thread_ts"), "")
		s.record(chatsim.Event{Kind: chatsim.Posted, Channel: conv.ID, Message: m.ts, Where: ResponseURLs, Text: reply.text})
	default:
		m := s.post(conv, reply, a.str("thread_ts"), u.person)
		s.record(chatsim.Event{
			Kind: chatsim.Ephemeral, Person: u.person, Channel: conv.ID, Message: m.ts, Where: ResponseURLs, Text: reply.text,
		})
	}
	s.remark(ResponseURLs, conv.ID, u.message.ts, reply, a, kind)
	return nil
}

// replace replaces the message the person acted on. The old blocks are removed even if only
// text is given.
func (s *Server) replace(conv *conversation, m *message, reply content) {
	s.edit(m, reply)
	s.record(chatsim.Event{
		Kind: chatsim.Edited, Channel: conv.ID, Message: m.ts, Person: m.onlyFor, Where: ResponseURLs,
		Text: strings.TrimSpace(reply.text),
	})
}
