package slacksim

import (
	"reflect"
	"slices"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// picks are one person's choices on one message or view, by pickKey.
type picks map[string]any

func pickKey(block, element object) string {
	return text(block, "block_id") + "\n" + text(element, "action_id")
}

// stateful tells whether an element keeps a value, which then stands in state.values.
func stateful(kind string) bool {
	switch kind {
	case "radio_buttons", "checkboxes", "static_select", "multi_static_select", "plain_text_input", kindUsers:
		return true
	default:
		return false
	}
}

// several tells whether more than one option can be chosen.
func several(kind string) bool { return kind == "checkboxes" || kind == "multi_static_select" }

// value returns what an element holds: an option or nil, a list of options, or a text or nil.
func (p picks) value(block, element object) any {
	if v, touched := p[pickKey(block, element)]; touched {
		return v
	}
	kind := text(element, "type")
	switch {
	case several(kind):
		if list, ok := element["initial_options"].([]any); ok {
			return list
		}
		return []any{}
	case kind == "plain_text_input":
		if s := text(element, "initial_value"); s != "" {
			return s
		}
		return nil
	case kind == kindUsers:
		return element["initial_user"]
	default:
		return element["initial_option"]
	}
}

// keep drops the choices whose element or option is no longer there. Input survives an edit where block_id and
// action_id stay the same.
// https://docs.slack.dev/surfaces/modals/#updating_views
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

// stateValues is state.values of a payload: every element that keeps a value, those without one too.
// https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
func stateValues(blocks []object, p picks) object {
	values := object{}
	for _, b := range blocks {
		for _, e := range elementsOf(b) {
			kind := text(e, "type")
			if !stateful(kind) {
				continue
			}
			id := text(b, "block_id")
			if values[id] == nil {
				values[id] = object{}
			}
			held := object{"type": kind}
			held[valueName(kind)] = double.Clone(p.value(b, e))
			child(values, id)[text(e, "action_id")] = held
		}
	}
	return values
}

// valueName is the member that carries the value of an element.
func valueName(kind string) string {
	switch {
	case several(kind):
		return "selected_options"
	case kind == "plain_text_input":
		return "value"
	case kind == kindUsers:
		return "selected_user"
	default:
		return "selected_option"
	}
}
