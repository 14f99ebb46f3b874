package discordsim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// Warnings as people see them.
const (
	warnMessage = "This interaction failed"
	warnForm    = "Something went wrong. Try again."
)

// actor checks that the person exists and can act.
func (s *Server) actor(id string) error {
	p := s.person(id)
	switch {
	case p == nil:
		return fmt.Errorf("discordsim: no person %s in the guild", id)
	case p.Bot:
		return fmt.Errorf("discordsim: %s is a bot and cannot act", id)
	}
	return nil
}

// newInteraction registers an interaction that the app must respond to.
func (s *Server) newInteraction(kind int, person string, conv *channel, m *message) *interaction {
	i := &interaction{
		id: s.newID(), kind: kind, person: person, channel: conv, msg: m, born: s.clock.Now(), done: make(chan struct{}),
	}
	i.token = "sim-interaction-token-" + s.newID()
	s.interactions[i.token] = i
	return i
}

// interactionJSON renders an interaction.
// https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object
func (s *Server) interactionJSON(i *interaction, data object) object {
	conv := s.channelJSON(i.channel)
	out := object{
		"id": i.id, "application_id": s.opts.Application, "type": i.kind, "token": i.token, "version": 1, "data": data,
		"channel_id": i.channel.ID, "channel": conv, "locale": s.localeOf(i.person), "entitlements": []any{},
		"authorizing_integration_owners": s.owners(i.channel, i.person), "attachment_size_limit": 10485760,
	}
	if i.msg != nil {
		out["message"] = s.messageJSON(i.msg)
	}
	if i.channel.with != "" {
		out["user"], out["context"] = s.userJSON(i.person), 1
		out["app_permissions"] = (EmbedLinks | AttachFiles | MentionEveryone | UseExternalEmojis).String()
		return out
	}
	conv["permissions"] = everything.String()
	member := s.memberJSON(s.person(i.person))
	member["permissions"] = everything.String()
	out["member"], out["context"] = member, 0
	out["app_permissions"] = s.allowed(i.channel).String()
	out["guild_id"], out["guild_locale"] = s.opts.Guild, s.opts.Locale
	out["guild"] = object{"id": s.opts.Guild, "locale": s.opts.Locale, "features": []any{}}
	return out
}

// use handles the use of a control of a message. The caller holds the lock; use releases it.
//
// In an archived thread the client unarchives the thread first.
// https://github.com/discord/discord-api-docs/issues/8474
func (s *Server) use(ctx context.Context, p spot, person string, values []string) error {
	p.conv.Archived = false
	i := s.newInteraction(pressed, person, p.conv, p.msg)
	id, kind := text(p.control, "custom_id"), kindOf(p.control)
	data := object{"custom_id": id, "component_type": kind, "id": integer(p.control, "id", 0)}
	what, label := chatsim.Pressed, p.label
	var switched []string
	if isSelect(kind) {
		data["values"] = values
		if kind != kindSelect {
			data["resolved"] = s.resolved(values)
		}
		what, label, switched = chatsim.Picked, chosen(p.control, values), p.switched(person, values)
		p.picks(person)[id] = values
	}
	s.record(chatsim.Event{
		Kind: what, Person: person, Channel: p.conv.ID, Message: p.msg.id, Where: id, Text: label, Under: p.over, Options: switched,
	})
	delete(s.client(person).warnings, p.msg.id)
	payload := s.interactionJSON(i, data)
	s.mu.Unlock()
	s.changed.Notify()

	err := s.deliver(ctx, Presses, i, payload)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Notify()
	if err != nil {
		s.client(person).warnings[p.msg.id] = warnMessage
		s.record(chatsim.Event{Kind: chatsim.Unacknowledged, Person: person, Message: p.msg.id, Where: Presses, Text: err.Error()})
		return fmt.Errorf("discordsim: %s %s %q: %w", person, what, label, err)
	}
	s.record(chatsim.Event{Kind: chatsim.Acknowledged, Person: person, Message: p.msg.id, Where: Presses, Text: i.id})
	return nil
}

// submit submits the person's open form if it passes client-side validation.
func (s *Server) submit(ctx context.Context, person string) error {
	s.mu.Lock()
	f := s.client(person).form
	if f == nil {
		s.mu.Unlock()
		return fmt.Errorf("discordsim: %s: submit: %w: %w", person, chatsim.ErrNotThere, chatsim.ErrNoForm)
	}
	f.trouble = ""
	if f.errors = inputErrors(f); len(f.errors) > 0 {
		s.record(chatsim.Event{Kind: chatsim.Refused, Person: person, Form: text(f.def, "custom_id"), Text: tellErrors(f)})
		s.mu.Unlock()
		s.changed.Notify()
		return fmt.Errorf("discordsim: %s: submit: %w: %v", person, chatsim.ErrFormRejected, f.errors)
	}
	id := text(f.def, "custom_id")
	i := s.newInteraction(submitted, person, f.cause.channel, f.cause.msg)
	i.opener = f.cause
	s.record(chatsim.Event{Kind: chatsim.Submitted, Person: person, Channel: i.channel.ID, Form: id})
	resolved := s.resolved(f.entities())
	if files := s.handedIn(f); len(files) > 0 {
		resolved["attachments"] = files
	}
	payload := s.interactionJSON(i, object{"custom_id": id, "components": f.submission(), "resolved": resolved})
	s.mu.Unlock()
	s.changed.Notify()

	err := s.deliver(ctx, Submissions, i, payload)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Notify()
	if err != nil {
		f.trouble = warnForm
		s.record(chatsim.Event{Kind: chatsim.Unacknowledged, Person: person, Form: id, Where: Submissions, Text: err.Error()})
		return fmt.Errorf("discordsim: %s: submit: %w", person, err)
	}
	s.record(chatsim.Event{Kind: chatsim.Acknowledged, Person: person, Form: id, Where: Submissions, Text: i.id})
	if s.client(person).form == f {
		s.client(person).form = nil
		s.record(chatsim.Event{Kind: chatsim.ClosedForm, Person: person, Form: id})
	}
	return nil
}

// dismiss closes the open form. Discord does not notify the app.
func (s *Server) dismiss(person string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.client(person).form
	if f == nil {
		return fmt.Errorf("discordsim: %s: dismiss: %w: %w", person, chatsim.ErrNotThere, chatsim.ErrNoForm)
	}
	s.client(person).form = nil
	s.record(chatsim.Event{Kind: chatsim.Dismissed, Person: person, Form: text(f.def, "custom_id")})
	return nil
}

// submission renders the values of a form.
// https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-modal-submit-data-structure
func (f *form) submission() []any {
	out := []any{}
	for _, part := range objects(f.def["components"]) {
		sent := object{"type": kindOf(part), "id": integer(part, "id", 0)}
		switch kindOf(part) {
		case kindRow:
			inside := []any{}
			for _, e := range objects(part["components"]) {
				inside = append(inside, f.answer(e))
			}
			sent["components"] = inside
		case kindLabel:
			sent["component"] = f.answer(child(part, "component"))
		}
		out = append(out, sent)
	}
	return out
}

// entities lists the members, roles and channels selected in a form.
func (f *form) entities() []string {
	var out []string
	for _, e := range fieldsOf(objects(f.def["components"])) {
		if held, _ := f.picks.value(e).([]string); entitiesOf[kindOf(e)] != nil {
			out = append(out, held...)
		}
	}
	return out
}

// answer renders the value of one field.
func (f *form) answer(e object) object {
	out := object{"type": kindOf(e), "id": integer(e, "id", 0), "custom_id": text(e, "custom_id")}
	held := f.picks.value(e)
	switch kindOf(e) {
	case kindTextInput:
		out["value"] = held
	case kindRadioGroup:
		out["value"] = nil
		if list, _ := held.([]string); len(list) > 0 {
			out["value"] = list[0]
		}
	case kindCheckbox:
		out["value"] = len(held.([]string)) > 0
	default:
		out["values"] = held
	}
	return out
}

// inputErrors returns the client-side validation errors of a form.
func inputErrors(f *form) map[string]string {
	out := map[string]string{}
	for _, e := range fieldsOf(objects(f.def["components"])) {
		id := text(e, "custom_id")
		switch held := f.picks.value(e).(type) {
		case string:
			least, most := integer(e, "min_length", 0), integer(e, "max_length", maxInputLength.max)
			n := double.Length(held)
			switch {
			case n == 0 && flag(e, "required", true):
				out[id] = "This field is required."
			case n > most || (n > 0 && n < least):
				out[id] = fmt.Sprintf("Must be between %d and %d in length.", least, most)
			}
		case []string:
			fewest, most := valueRange(e)
			n := len(held)
			needed := flag(e, "required", true) && kindOf(e) != kindCheckbox
			switch {
			case n == 0 && needed:
				out[id] = "This field is required."
			case n > most || (n > 0 && n < fewest):
				out[id] = fmt.Sprintf("Choose between %d and %d.", fewest, most)
			}
		}
	}
	return out
}

// tellErrors describes the field errors as the person reads them.
func tellErrors(f *form) string {
	var parts []string
	walk(objects(f.def["components"]), func(o object) {
		field := o
		if kindOf(o) == kindLabel {
			field = child(o, "component")
		}
		label := text(o, "label")
		if words := f.errors[text(field, "custom_id")]; words != "" && label != "" {
			parts = append(parts, label+": "+words)
		}
	})
	return strings.Join(parts, "; ")
}

// fieldsOf lists the input fields at any depth.
func fieldsOf(components []object) []object {
	var out []object
	walk(components, func(o object) {
		switch kindOf(o) {
		case kindSelect, kindUserSelect, kindRoleSelect, kindMentionableSelect, kindChannelSelect, kindTextInput, kindFileUpload, kindRadioGroup, kindCheckboxGroup, kindCheckbox:
			out = append(out, o)
		}
	})
	return out
}

// value returns a field's value: a text, or the selected values.
func (p picks) value(e object) any {
	if v, touched := p[text(e, "custom_id")]; touched {
		return v
	}
	switch kindOf(e) {
	case kindTextInput:
		return text(e, "value")
	case kindCheckbox:
		if flag(e, "default", false) {
			return []string{"true"}
		}
		return []string{}
	default:
		return defaults(e)
	}
}

// switched lists the labels of options whose selection changed.
func (p spot) switched(person string, now []string) []string {
	held, _ := p.picks(person).value(p.control).([]string)
	var changed []string
	for _, o := range objects(p.control["options"]) {
		if v := text(o, "value"); slices.Contains(held, v) != slices.Contains(now, v) {
			changed = append(changed, v)
		}
	}
	if _, most := valueRange(p.control); most == 1 && kindOf(p.control) != kindCheckboxGroup {
		changed = slices.DeleteFunc(changed, func(v string) bool { return !slices.Contains(now, v) }) // The new selection replaces the old one.
	}
	var labels []string
	for _, v := range changed {
		labels = append(labels, chosen(p.control, []string{v}))
	}
	return labels
}

// chosen lists the labels of selected values.
func chosen(control object, values []string) string {
	var labels []string
	for _, o := range objects(control["options"]) {
		if slices.Contains(values, text(o, "value")) {
			labels = append(labels, text(o, "label"))
		}
	}
	if len(labels) == 0 {
		return strings.Join(values, ", ") // A single checkbox has no options.
	}
	return strings.Join(labels, ", ")
}
