package slacksim

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// Commands is the name of slash commands in a Fault and in the timeline.
const Commands = "slash_commands"

// commandScope is the scope that commands require.
const commandScope = "commands"

// Command runs a slash command of the app, such as "/ask", in a conversation, with the text
// that follows it. The person sees the app's response; if it is in_channel, everyone sees it
// along with the typed command. Command returns when the app has acknowledged, or with
// chatsim.ErrUnacknowledged after three seconds, when a client shows operation_timeout.
// https://docs.slack.dev/interactivity/implementing-slash-commands
func (t *Seat) Command(ctx context.Context, channel, command, words string) error {
	s := t.s
	s.mu.Lock()
	conv, installed := s.conversations[channel], s.installed()
	err := s.actor(t.person)
	if err == nil && (conv == nil || !conv.member(t.person) || !slices.Contains(s.opts.Commands, command) || installed == nil || !slices.Contains(installed.scopes, commandScope)) {
		err = fmt.Errorf("slacksim: %s: %s in %s: %w", t.person, command, channel, chatsim.ErrNotThere)
	}
	if err != nil {
		s.mu.Unlock()
		return err
	}
	payload := s.commandPayload(t.person, conv, command, words)
	s.record(chatsim.Event{Kind: chatsim.Pressed, Person: t.person, Channel: conv.ID, Where: Commands, Text: command})
	s.mu.Unlock()
	s.notify()

	answer, err := s.deliverAs(ctx, Commands, payload)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	if err != nil {
		s.record(chatsim.Event{Kind: chatsim.Unacknowledged, Person: t.person, Where: Commands, Text: "operation_timeout: " + err.Error()})
		return fmt.Errorf("slacksim: %s: %s: %w", t.person, command, err)
	}
	s.record(chatsim.Event{Kind: chatsim.Acknowledged, Person: t.person, Where: Commands})
	return s.commanded(conv, t.person, command+" "+words, answer)
}

// Run is Command in the channel of the newest message, as in "/ask later".
func (t *Seat) Run(ctx context.Context, command string) error {
	channel, _, err := t.newest(func(*message) bool { return true })
	if err != nil {
		return err
	}
	name, words, _ := strings.Cut(command, " ")
	return t.Command(ctx, channel, name, words)
}

// commandPayload is the payload of a slash command.
func (s *Server) commandPayload(person string, conv *conversation, command, words string) object {
	out := object{
		"token": verificationToken, "team_id": s.opts.Team, "team_domain": s.opts.TeamDomain, "channel_id": conv.ID, "channel_name": channelName(conv),
		"user_id": person, "user_name": s.person(person).Name, "command": command, "text": typed(words), "api_app_id": s.opts.AppID,
		"is_enterprise_install": fmt.Sprint(s.wide()), "trigger_id": s.newTrigger(person),
		"response_url": s.newResponseURL(person, &message{channel: conv.ID}),
	}
	if s.org != nil {
		out["enterprise_id"], out["enterprise_name"] = s.org.id, s.org.name
	}
	return out
}

// commanded displays the response to a command: nothing, a text, or a message as JSON.
func (s *Server) commanded(conv *conversation, person, typedIn string, answer []byte) error {
	if len(answer) == 0 || string(answer) == "null" {
		return nil
	}
	response := args{"text": string(answer)}
	if v, err := decode(answer); err == nil {
		o, isObject := v.(object)
		if !isObject {
			s.violate(ruleJSON, Commands, "the answer is neither a text nor an object")
			return nil
		}
		response = o
	}
	body, refused := s.readContent(Commands, response)
	if refused != nil {
		s.record(chatsim.Event{Kind: chatsim.Refused, Where: Commands, Text: refused.word})
		return fmt.Errorf("slacksim: the answer to a command: %w", refused)
	}
	if response.str("response_type") != "in_channel" {
		m := s.post(conv, body, "", person)
		s.record(chatsim.Event{Kind: chatsim.Ephemeral, Person: person, Channel: conv.ID, Message: m.ts, Where: Commands, Text: body.text})
		s.remark(Commands, conv.ID, m.ts, body, response, chatsim.Ephemeral)
		return nil
	}
	s.say(conv, person, "", typedIn)
	m := s.post(conv, body, "", "")
	s.record(chatsim.Event{Kind: chatsim.Posted, Channel: conv.ID, Message: m.ts, Where: Commands, Text: body.text})
	s.remark(Commands, conv.ID, m.ts, body, response, chatsim.Posted)
	return nil
}

// encode writes a payload as an HTTP body: a command is itself a form, everything else is a
// form with one member.
func encode(kind string, payload []byte) string {
	if kind != Commands {
		return url.Values{"payload": {string(payload)}}.Encode()
	}
	var members map[string]string
	_ = json.Unmarshal(payload, &members) // commandPayload contains only strings.
	form := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		form.Set(name, members[name])
	}
	return form.Encode()
}
