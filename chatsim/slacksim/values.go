package slacksim

import (
	"reflect"
	"slices"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// picks are one person's selections on one message or view, by pickKey.
type picks map[string]any

func pickKey(block, element object) string {
	return text(block, "block_id") + "\n" + text(element, "action_id")
}

// holding describes how an element stores its value: the member of its state, the property with
// its initial value, and whether it is a list.
type holding struct {
	member, initial string
	list            bool
}

// holdings are the elements that have a value in state.values.
// https://docs.slack.dev/reference/block-kit/block-elements/
var holdings = map[string]holding{
	"radio_buttons":              {"selected_option", "initial_option", false},
	"static_select":              {"selected_option", "initial_option", false},
	"checkboxes":                 {"selected_options", "initial_options", true},
	"multi_static_select":        {"selected_options", "initial_options", true},
	kindUsers:                    {"selected_user", "initial_user", false},
	"conversations_select":       {"selected_conversation", "initial_conversation", false},
	"channels_select":            {"selected_channel", "initial_channel", false},
	"multi_users_select":         {"selected_users", "initial_users", true},
	"multi_conversations_select": {"selected_conversations", "initial_conversations", true},
	"multi_channels_select":      {"selected_channels", "initial_channels", true},
	"datepicker":                 {"selected_date", "initial_date", false},
	"timepicker":                 {"selected_time", "initial_time", false},
	"datetimepicker":             {"selected_date_time", "initial_date_time", false},
	"plain_text_input":           {"value", "initial_value", false},
	"number_input":               {"value", "initial_value", false},
	"email_text_input":           {"value", "initial_value", false},
	"url_text_input":             {"value", "initial_value", false},
	"rich_text_input":            {"rich_text_value", "initial_value", false},
	"file_input":                 {"files", "", true},
}

// several reports whether more than one option can be selected.
func several(kind string) bool { return holdings[kind].list }

// value returns an element's value: what the person entered, or the initial value; nil, or an
// empty list, for none.
func (p picks) value(block, element object) any {
	if v, touched := p[pickKey(block, element)]; touched {
		return v
	}
	h := holdings[text(element, "type")]
	begins := element[h.initial]
	switch {
	case h.list && begins == nil:
		return []any{}
	case begins == any(""):
		return nil
	}
	return begins
}

// keep drops the selections whose element or option no longer exists. Input survives an edit if
// block_id and action_id stay the same. https://docs.slack.dev/surfaces/modals/#updating_views
func (p picks) keep(blocks []object) {
	there := map[string]object{}
	for _, b := range blocks {
		for _, e := range elementsOf(b) {
			there[pickKey(b, e)] = e
		}
	}
	for key, v := range p {
		e, ok := there[key]
		if !ok {
			delete(p, key)
			continue
		}
		has := func(option any) bool {
			return slices.ContainsFunc(optionsOf(e), func(o object) bool { return reflect.DeepEqual(any(o), option) })
		}
		switch v := v.(type) {
		case object:
			if !has(v) {
				delete(p, key)
			}
		case []any:
			p[key] = slices.DeleteFunc(slices.Clone(v), func(option any) bool { return !has(option) })
		}
	}
}

// stateValues returns state.values of a payload: every element that can have a value, including
// those without one.
// https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
func stateValues(blocks []object, p picks) object {
	values := object{}
	for _, b := range blocks {
		for _, e := range elementsOf(b) {
			kind := text(e, "type")
			h, keeps := holdings[kind]
			if !keeps {
				continue
			}
			id := text(b, "block_id")
			if values[id] == nil {
				values[id] = object{}
			}
			held := object{"type": kind}
			held[h.member] = double.Clone(p.value(b, e))
			child(values, id)[text(e, "action_id")] = held
		}
	}
	return values
}
