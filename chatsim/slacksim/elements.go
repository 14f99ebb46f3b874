package slacksim

import (
	"fmt"
	"reflect"
	"slices"
)

// places returns the blocks that may contain an element. See
// https://docs.slack.dev/reference/block-kit/block-elements/ and the comments in @slack/types.
// A multi-select in an actions block is rejected because Slack's pages contradict each other.
func places(kind string) []string {
	switch kind {
	case "button", "overflow":
		return []string{"section", "actions"}
	case "radio_buttons", "checkboxes", "static_select":
		return []string{"section", "actions", "input"}
	case "multi_static_select":
		return []string{"section", "input"}
	case "plain_text_input":
		return []string{"input"}
	case "image":
		return []string{"section", "context"}
	default:
		return pickers[kind]
	}
}

// interactive reports whether using the element sends the app a payload.
func interactive(kind string) bool { return kind != "image" && places(kind) != nil }

// element checks one element. actionIDs holds the ids already seen in the same block.
func (c *check) element(at string, e object, in string, actionIDs map[string]bool) {
	kind := text(e, "type")
	allowed := places(kind)
	if allowed == nil {
		c.fail(ruleElementType, at+"/type", "unsupported type: %s", kind)
		return
	}
	if !slices.Contains(allowed, in) {
		c.fail(ruleElementPlace, at+"/type", "unsupported type: %s in a block of type %s", kind, in)
		return
	}
	known := shape{"type": nil}
	if interactive(kind) {
		known["action_id"] = func(at string, v any) { c.actionID(at, v, actionIDs) }
	}
	switch kind {
	case "button":
		c.button(at, e, known)
	case "image":
		c.imageSource(at, e)
		known["image_url"], known["alt_text"], known["slack_file"] = c.str(maxButtonURL), c.str(maxFieldText), c.nested(c.slackFile)
		c.object(at, e, []string{"alt_text"}, known)
	case "plain_text_input":
		c.textInput(at, e, known)
	case "overflow":
		known["options"] = c.options(maxOverflowOptions, false, true)
		known["confirm"] = c.nested(c.confirm)
		c.object(at, e, []string{"options"}, known)
	default:
		if pickers[kind] != nil {
			c.picker(at, e, kind, in, known)
			return
		}
		c.choice(at, e, kind, known)
	}
}

func (c *check) actionID(at string, v any, seen map[string]bool) {
	c.str(maxActionID)(at, v)
	id, _ := v.(string)
	if id != "" && seen[id] {
		c.fail(ruleUniqueAction, at, "action_id %q already exists in this block", id)
	}
	seen[id] = true
}

func (c *check) button(at string, e object, known shape) {
	known["text"] = c.plainText(maxButtonText)
	known["value"] = c.str(maxButtonValue)
	known["url"] = c.link(maxButtonURL)
	known["style"] = c.oneOf(ruleStyle, "primary", "danger")
	known["confirm"] = c.nested(c.confirm)
	known["accessibility_label"] = c.str(maxAccessibility)
	known["visible_to_user_ids"] = nil
	c.object(at, e, []string{"text"}, known)
}

func (c *check) textInput(at string, e object, known shape) {
	known["placeholder"] = c.plainText(maxPlaceholder)
	known["initial_value"] = c.optionalStr(maxInputLength)
	known["multiline"] = c.boolean
	known["focus_on_load"] = c.focus
	known["min_length"] = c.between(0, maxInputLength)
	known["max_length"] = c.between(1, maxInputLength)
	known["dispatch_action_config"] = c.nested(func(at string, o object) {
		c.object(at, o, nil, shape{"trigger_actions_on": nil})
	})
	c.object(at, e, nil, known)
	least, hasLeast := number(e["min_length"])
	most, hasMost := number(e["max_length"])
	if hasLeast && hasMost && least > most {
		c.fail(maxInputLength, at+"/min_length", "must be no more than max_length")
	}
}

// choice checks radio buttons, checkboxes and both selects, which differ only in their limits.
func (c *check) choice(at string, e object, kind string, known shape) {
	most, formatted := maxSelectOptions, false
	switch kind {
	case "radio_buttons":
		most, formatted = maxRadioOptions, true
	case "checkboxes":
		most, formatted = maxCheckOptions, true
	default:
		known["placeholder"] = c.plainText(maxPlaceholder)
		known["option_groups"] = c.list(maxSelectGroups, c.optionGroup)
	}
	known["options"] = c.options(most, formatted, false)
	known["confirm"] = c.nested(c.confirm)
	known["focus_on_load"] = c.focus
	several := kind == "checkboxes" || kind == "multi_static_select"
	if several {
		known["initial_options"] = func(at string, v any) { c.initialOptions(at, v, e) }
	} else {
		known["initial_option"] = func(at string, v any) { c.initialOption(at, v, e) }
	}
	if kind == "multi_static_select" {
		known["max_selected_items"] = c.between(1, maxSelectedItems)
	}
	c.object(at, e, nil, known)
	if (e["options"] == nil) == (e["option_groups"] == nil) {
		c.fail(ruleOptionsOrGroup, at, "must define either `options` or `option_groups`")
	}
}

func (c *check) focus(at string, v any) {
	c.boolean(at, v)
	if on, _ := v.(bool); on {
		if c.focused {
			c.fail(ruleFocus, at, "only one element can have focus_on_load")
		}
		c.focused = true
	}
}

// options returns the check for a list of options. formatted allows mrkdwn texts; linked allows
// URLs, which only overflow menus have.
// https://docs.slack.dev/reference/block-kit/composition-objects/option-object
func (c *check) options(most rule, formatted, linked bool) func(string, any) {
	return func(at string, v any) {
		values := map[string]bool{}
		c.list(most, func(at string, o object) {
			c.option(at, o, formatted, linked)
			if value := text(o, "value"); value != "" && values[value] {
				c.note(noteOptions, at+"/value", "duplicate value %q", value)
			}
			values[text(o, "value")] = true
		})(at, v)
	}
}

func (c *check) option(at string, o object, formatted, linked bool) {
	ofText, ofDescription := c.plainText(maxOptionText), c.plainText(maxOptionDesc)
	if formatted {
		ofText, ofDescription = c.anyText(maxOptionText), c.anyText(maxOptionDesc)
	}
	known := shape{"text": ofText, "description": ofDescription, "value": c.str(maxOptionValue)}
	if linked {
		known["url"] = c.link(maxOptionURL)
	}
	c.object(at, o, []string{"text", "value"}, known)
}

func (c *check) optionGroup(at string, o object) {
	c.object(at, o, []string{"label", "options"}, shape{
		"label": c.plainText(maxGroupLabel), "options": c.options(maxGroupOptions, false, false),
	})
}

func (c *check) initialOption(at string, v any, e object) {
	if !slices.ContainsFunc(optionsOf(e), func(o object) bool { return reflect.DeepEqual(any(o), v) }) {
		c.fail(ruleInitial, at, "initial_option must be one of the options")
	}
}

func (c *check) initialOptions(at string, v any, e object) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		c.fail(ruleInitial, at, "no fewer than 1 items allowed")
		return
	}
	for i, item := range list {
		c.initialOption(fmt.Sprintf("%s/%d", at, i), item, e)
	}
}

// confirm checks a confirmation dialog.
// https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object
func (c *check) confirm(at string, o object) {
	c.object(at, o, []string{"title", "text", "confirm", "deny"}, shape{
		"title": c.plainText(maxConfirmTitle), "text": c.anyText(maxConfirmText),
		"confirm": c.plainText(maxConfirmButton), "deny": c.plainText(maxConfirmButton),
		"style": c.oneOf(ruleStyle, "primary", "danger"),
	})
}

// optionsOf lists the options of an element, including those in groups.
func optionsOf(e object) []object {
	out := objects(e["options"])
	for _, group := range objects(e["option_groups"]) {
		out = append(out, objects(group["options"])...)
	}
	return out
}
