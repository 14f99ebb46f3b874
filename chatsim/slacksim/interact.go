package slacksim

import (
	"context"
	"fmt"
	"maps"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// userAction is a person's use of one control.
type userAction struct {
	spot

	person string
	what   chatsim.Kind
	text   string // the pressed, selected or typed text
	held   any    // the element's value afterwards
	keeps  bool   // the element has a value
	silent bool   // the app receives no payload
	action object // the action's part of the payload
}

// confirmation is an open confirmation dialog for a userAction.
type confirmation struct {
	dialog     object
	userAction userAction
}

// Warnings as people see them.
const (
	warnControl = "Something went wrong. Try again."
	warnForm    = "We had some trouble connecting. Try again?"
)

// actor checks that the person exists and can act.
func (s *Server) actor(id string) error {
	p := s.person(id)
	switch {
	case p == nil:
		return fmt.Errorf("slacksim: no person %s in the workspace", id)
	case p.Bot, p.Disabled:
		return fmt.Errorf("slacksim: %s is a bot or disabled and cannot act", id)
	}
	return nil
}

// pressing returns the userAction of pressing a button.
func (s *Server) pressing(p spot, person string) userAction {
	action := object{"text": double.Clone(p.element["text"])}
	for _, name := range []string{"value", "style"} {
		if v, ok := p.element[name]; ok {
			action[name] = v
		}
	}
	return userAction{spot: p, person: person, what: chatsim.Pressed, text: p.label, action: action}
}

// choosing returns the userAction of changing a selection. changes is false if the selection
// would stay the same.
func (s *Server) choosing(p spot, person string, option object) (d userAction, changes bool, err error) {
	d = userAction{spot: p, person: person, what: chatsim.Picked, text: s.readText(option["text"]), keeps: p.kind != "overflow"}
	before := p.picks(person).value(p.block, p.element)
	if p.kind == kindUsers {
		id := text(option, "value")
		d.held, d.action, d.silent = id, object{"selected_user": id}, isSilent(p)
		return d, before != any(id), nil
	}
	if !several(p.kind) {
		d.held = double.Clone(option)
		d.action = object{"selected_option": double.Clone(option)}
		d.silent = isSilent(p)
		return d, p.kind == "overflow" || !isChosen(before, option), nil
	}
	list, _ := before.([]any)
	var after []any
	for _, o := range optionsOf(p.element) { // Slack lists selected options in the order of the options.
		if isChosen(list, o) != (text(o, "value") == text(option, "value")) {
			after = append(after, double.Clone(o))
		}
	}
	if most, limited := number(p.element["max_selected_items"]); limited && len(after) > most {
		return d, false, fmt.Errorf("slacksim: pick %q: no more than %d items can be selected", d.text, most)
	}
	if after == nil {
		after = []any{}
	}
	d.held, d.action, d.silent = after, object{"selected_options": double.Clone(after)}, isSilent(p)
	return d, true, nil
}

// writing returns the userAction of typing into a field.
func (s *Server) writing(p spot, person, words string) userAction {
	d := userAction{spot: p, person: person, what: chatsim.Filled, text: words, keeps: true, silent: isSilent(p)}
	d.action = object{"value": nil}
	if words != "" {
		d.held, d.action["value"] = words, words
	}
	return d
}

// isSilent reports whether a change sends no payload: that of an input block without
// dispatch_action. https://docs.slack.dev/reference/block-kit/blocks/input-block
func isSilent(p spot) bool {
	dispatch, _ := p.block["dispatch_action"].(bool)
	return text(p.block, "type") == "input" && !dispatch
}

// do executes a userAction, or opens its confirmation dialog. It returns the payload to
// deliver, if any. The caller holds the lock.
func (s *Server) do(d userAction) (payload object) {
	if dialog := child(d.element, "confirm"); dialog != nil {
		s.client(d.person).confirm = &confirmation{dialog: dialog, userAction: d}
		return nil
	}
	return s.commit(d)
}

func (s *Server) commit(d userAction) (payload object) {
	s.client(d.person).confirm = nil
	e := chatsim.Event{
		Kind: d.what, Person: d.person, Text: d.text,
		Where: text(d.block, "block_id") + "/" + text(d.element, "action_id"), Under: d.over,
	}
	if d.view != nil {
		e.Form = d.view.id
	} else {
		e.Channel, e.Message = d.conv.ID, d.msg.ts
	}
	s.record(e)
	if d.keeps {
		d.picks(d.person)[pickKey(d.block, d.element)] = d.held
	}
	if d.silent {
		return nil
	}
	return s.blockActions(d)
}

// send delivers the payload of a userAction and shows the person the result. The lock is not
// held.
func (s *Server) send(ctx context.Context, d userAction, payload object) error {
	s.notify()
	if payload == nil {
		return nil
	}
	answer, err := s.deliver(ctx, payload)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	key := warningKey(d.id(), text(d.block, "block_id"), text(d.element, "action_id"))
	e := chatsim.Event{Kind: chatsim.Acknowledged, Person: d.person, Where: "block_actions"}
	if err != nil {
		s.client(d.person).warnings[key] = warnControl
		e.Kind, e.Text = chatsim.Unacknowledged, err.Error()
		s.record(e)
		return fmt.Errorf("slacksim: %s %s %q: %w", d.person, d.what, d.text, err)
	}
	delete(s.client(d.person).warnings, key)
	s.record(e)
	if len(answer) > 0 && string(answer) != "null" {
		s.warn(noteAnswer, "block_actions", "%d bytes", len(answer))
	}
	return nil
}

// verificationToken is the deprecated token in every payload. Apps verify the signature
// instead.
const verificationToken = "deprecated-verification-token"

// common returns the members that every payload has.
func (s *Server) common(kind, person string) object {
	p := s.person(person)
	out := object{
		"type":       kind,
		"user":       object{"id": p.ID, "username": p.Name, "name": p.Name, "team_id": p.Team},
		"team":       s.teamJSON(),
		"token":      verificationToken,
		"api_app_id": s.opts.AppID, "enterprise": nil, "is_enterprise_install": s.wide(),
	}
	if s.org != nil {
		out["enterprise"] = object{"id": s.org.id, "name": s.org.name}
	}
	if s.wide() { // Forms and the Home tab belong to no workspace.
		out["team"] = nil
	}
	return out
}

// teamJSON describes the workspace in payloads.
func (s *Server) teamJSON() object {
	out := object{"id": s.opts.Team, "domain": s.opts.TeamDomain}
	if s.org != nil {
		out["enterprise_id"], out["enterprise_name"] = s.org.id, s.org.name
	}
	return out
}

// blockActions is the payload of using a control.
// https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
func (s *Server) blockActions(d userAction) object {
	out := s.common("block_actions", d.person)
	out["trigger_id"] = s.newTrigger(d.person)
	action := maps.Clone(d.action)
	action["type"], action["block_id"] = d.kind, text(d.block, "block_id")
	action["action_id"] = text(d.element, "action_id")
	action["action_ts"] = s.newTS()
	if placeholder, ok := d.element["placeholder"]; ok {
		action["placeholder"] = double.Clone(placeholder)
	}
	out["actions"] = []any{action}
	if d.view != nil {
		out["container"] = object{"type": "view", "view_id": d.view.id}
		out["view"] = s.viewJSON(d.view)
		return out
	}
	if s.wide() { // The workspace of the channel is known.
		out["team"] = s.teamJSON()
	}
	m := d.msg
	container := object{"type": "message", "message_ts": m.ts, "channel_id": m.channel, "is_ephemeral": m.onlyFor != ""}
	if m.thread != "" {
		container["thread_ts"] = m.thread
	}
	out["container"] = container
	out["channel"] = object{"id": m.channel, "name": channelName(d.conv)}
	out["state"] = object{"values": stateValues(m.blocks, d.picks(d.person))}
	out["response_url"] = s.newResponseURL(d.person, m)
	if m.onlyFor == "" { // Payloads of ephemeral messages omit the message.
		out["message"] = s.messageJSON(m, true)
	}
	return out
}

// channelName returns a conversation's name in payloads.
func channelName(c *conversation) string {
	switch {
	case c.with != "":
		return "directmessage"
	case c.Together:
		return c.Name
	case c.Private:
		return "privategroup"
	default:
		return c.Name
	}
}

// inputErrors returns the client-side validation errors of a form.
// https://docs.slack.dev/reference/block-kit/blocks/input-block
func inputErrors(v *view) map[string]string {
	out := map[string]string{}
	for _, b := range v.blocks {
		e := child(b, "element")
		if text(b, "type") != "input" || e == nil {
			continue
		}
		id := text(b, "block_id")
		held := v.picks.value(b, e)
		list, isList := held.([]any)
		optional, _ := b["optional"].(bool)
		words, _ := held.(string)
		least, hasLeast := number(e["min_length"])
		most, hasMost := number(e["max_length"])
		switch {
		case (held == nil || (isList && len(list) == 0)) && !optional:
			out[id] = "Please complete this required field."
		case words != "" && hasLeast && double.Length(words) < least:
			out[id] = fmt.Sprintf("Please enter at least %d characters.", least)
		case hasMost && double.Length(words) > most:
			out[id] = fmt.Sprintf("Please enter no more than %d characters.", most)
		}
	}
	return out
}
