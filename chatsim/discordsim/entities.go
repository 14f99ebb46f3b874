package discordsim

import (
	"slices"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// Selects with the guild's members, roles and channels as options.
// https://docs.discord.com/developers/components/reference#user-select
const (
	kindUserSelect        = 5
	kindRoleSelect        = 6
	kindMentionableSelect = 7
	kindChannelSelect     = 8
)

// The types of default values.
// https://docs.discord.com/developers/components/reference#user-select-select-default-value-structure
const (
	entityUser    = "user"
	entityRole    = "role"
	entityChannel = "channel"
)

// entitiesOf maps each select type to the kinds of entities it offers.
var entitiesOf = map[int][]string{
	kindUserSelect: {entityUser}, kindRoleSelect: {entityRole}, kindMentionableSelect: {entityUser, entityRole}, kindChannelSelect: {entityChannel},
}

// selects are the select types.
var selects = []int{kindSelect, kindUserSelect, kindRoleSelect, kindMentionableSelect, kindChannelSelect}

// isSelect reports whether a type is a select of any kind.
func isSelect(kind int) bool { return slices.Contains(selects, kind) }

// entities checks a select of members, roles or channels. Discord's error code for an invalid
// default is not known.
func (c *check) entities(at string, o object, fields fieldsCheck) {
	holds := entitiesOf[kindOf(o)]
	known := shape{
		"custom_id": c.customID, "placeholder": c.face(0, maxPlaceholder), "disabled": c.boolean,
		"min_values": c.between(0, maxSelectValues), "max_values": c.between(1, maxSelectValues),
		"default_values": c.list(0, maxDefaultValues, func(at string, o object) {
			c.object(at, o, []string{"id", "type"}, shape{"id": c.snowflake, "type": c.str(1, rule{})})
			if !slices.Contains(holds, text(o, "type")) {
				c.fail(ruleDefaultKind, join(at, "type"), "BASE_TYPE_CHOICES", "Value must be one of %q.", holds)
			}
		}),
	}
	if kindOf(o) == kindChannelSelect {
		known["channel_types"] = c.items(0, rule{}, c.between(0, kindUpTo(16)))
	}
	if c.modal {
		known["required"] = c.boolean
	}
	fields([]string{"custom_id"}, known)
	c.picking(at, o, maxSelectValues)
	fewest, most := valueRange(o)
	if n := len(objects(o["default_values"])); n > 0 && n <= maxDefaultValues.max && (n < fewest || n > most) {
		c.fail(ruleDefaultCount, join(at, "default_values"), "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", fewest, most)
	}
}

// offered returns a component with its options filled in: those of a select of members, roles
// or channels are not part of the message.
func (s *Server) offered(o object) object {
	holds := entitiesOf[kindOf(o)]
	if holds == nil {
		return o
	}
	options := []any{}
	offer := func(id, label string) {
		options = append(options, object{"label": label, "value": id})
	}
	if slices.Contains(holds, entityUser) {
		for _, p := range s.people {
			if !p.Outside {
				offer(p.ID, p.RealName)
			}
		}
	}
	if slices.Contains(holds, entityRole) {
		for _, r := range s.roles {
			offer(r.ID, r.Name)
		}
	}
	if slices.Contains(holds, entityChannel) {
		types, _ := o["channel_types"].([]any)
		for _, ch := range s.sortedChannels() {
			if ch.with == "" && (len(types) == 0 || slices.ContainsFunc(types, func(v any) bool { n, _ := number(v); return n == ch.kind() })) {
				offer(ch.ID, ch.Name)
			}
		}
	}
	out, _ := double.Clone(o).(object)
	out["options"] = options
	return out
}

// drawn returns components as a client draws them, with their options.
func (s *Server) drawn(components []object) []object {
	out := objects(double.Clone(components))
	walk(out, func(o object) {
		if options := s.offered(o)["options"]; options != nil {
			o["options"] = options
		}
	})
	return out
}

// resolved returns the selected members, roles and channels as an interaction includes them.
// https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-resolved-data-structure
func (s *Server) resolved(values []string) object {
	out := object{}
	put := func(kind, id string, v object) {
		all, _ := out[kind].(object)
		if all == nil {
			all = object{}
			out[kind] = all
		}
		all[id] = v
	}
	for _, id := range values {
		if p := s.person(id); p != nil {
			member := s.memberJSON(p)
			delete(member, "user")
			delete(member, "mute")
			delete(member, "deaf")
			member["permissions"] = everything.String()
			put("users", id, s.userJSON(id))
			put("members", id, member)
		}
		for _, r := range s.rolesJSON() {
			if role, _ := r.(object); text(role, "id") == id {
				put("roles", id, role)
			}
		}
		if ch := s.channels[id]; ch != nil {
			put("channels", id, object{"id": ch.ID, "name": ch.Name, "type": ch.kind(), "permissions": everything.String()})
		}
	}
	return out
}
