package slacksim

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// pickers are the elements that the double checks and draws. Of these, people can use
// users_select. https://docs.slack.dev/reference/block-kit/block-elements/
var pickers = map[string][]string{
	"users_select":               {"section", "actions", "input"},
	"conversations_select":       {"section", "actions", "input"},
	"channels_select":            {"section", "actions", "input"},
	"multi_users_select":         {"section", "input"},
	"multi_conversations_select": {"section", "input"},
	"multi_channels_select":      {"section", "input"},
	"datepicker":                 {"section", "actions", "input"},
	"timepicker":                 {"section", "actions", "input"},
	"datetimepicker":             {"actions", "input"},
	"number_input":               {"input"},
	"email_text_input":           {"input"},
	"url_text_input":             {"input"},
	"file_input":                 {"input"},
	"rich_text_input":            {"actions", "input"},
}

var (
	dateForm = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	timeForm = regexp.MustCompile(`^\d\d:\d\d$`)
)

// picker checks one of the pickers inside a kind of block.
func (c *check) picker(at string, e object, kind, in string, known shape) {
	known["focus_on_load"], known["placeholder"], known["confirm"] = c.focus, c.plainText(maxPlaceholder), c.nested(c.confirm)
	required := []string{}
	more := shape{}
	switch kind {
	case "users_select":
		more["initial_user"] = c.str(rule{})
	case "channels_select":
		more["initial_channel"], more["response_url_enabled"] = c.str(rule{}), c.answersElsewhere(in)
	case "conversations_select":
		more["initial_conversation"], more["response_url_enabled"] = c.str(rule{}), c.answersElsewhere(in)
		more["filter"], more["default_to_current_conversation"] = c.nested(c.filter), c.boolean
	case "multi_users_select", "multi_channels_select", "multi_conversations_select":
		more["max_selected_items"] = c.between(1, rule{})
		more["initial_users"], more["initial_channels"], more["initial_conversations"] = nil, nil, nil
		if kind == "multi_conversations_select" {
			more["filter"], more["default_to_current_conversation"] = c.nested(c.filter), c.boolean
		}
	case "datepicker":
		more["initial_date"] = c.shaped(dateForm, "a date such as 2026-03-15")
	case "timepicker":
		more["initial_time"], more["timezone"] = c.shaped(timeForm, "a time such as 16:30"), c.str(rule{})
	case "datetimepicker":
		delete(known, "placeholder")
		more["initial_date_time"] = c.between(1_000_000_000, rule{name: ruleKind.name, max: 9_999_999_999, doc: ruleKind.doc})
	case "number_input":
		required = append(required, "is_decimal_allowed")
		delete(known, "confirm")
		more["is_decimal_allowed"] = c.boolean
		for _, name := range []string{"min_value", "max_value", "initial_value"} {
			more[name] = c.numeral
		}
		more["dispatch_action_config"] = nil
	case "email_text_input", "url_text_input":
		delete(known, "confirm")
		more["initial_value"], more["dispatch_action_config"] = c.optionalStr(rule{}), nil
	case "file_input":
		if c.kind != modal {
			c.fail(ruleElementPlace, at+"/type", "unsupported type: %s", kind)
			return
		}
		known = shape{"type": nil, "action_id": known["action_id"]}
		more["filetypes"], more["max_files"] = nil, c.between(1, maxInputFiles)
	case "rich_text_input":
		delete(known, "confirm")
		more["initial_value"], more["dispatch_action_config"] = nil, nil
		more["min_lines"], more["max_lines"] = c.between(1, maxRichLines), c.between(1, maxRichLines)
	}
	maps.Copy(known, more)
	c.object(at, e, required, known)
}

// answersElsewhere returns the check for response_url_enabled, which is allowed only in input
// blocks of modals. https://docs.slack.dev/surfaces/modals/
func (c *check) answersElsewhere(in string) func(string, any) {
	return func(at string, v any) {
		c.boolean(at, v)
		if on, _ := v.(bool); on && (in != "input" || c.kind != modal) {
			c.fail(ruleElementPlace, at, "response_url_enabled is only allowed in input blocks of modals")
		}
	}
}

// filter checks a conversation filter: at least one field, and no empty list.
// https://docs.slack.dev/reference/block-kit/composition-objects/conversation-filter-object
func (c *check) filter(at string, o object) {
	c.object(at, o, nil, shape{
		"exclude_external_shared_channels": c.boolean, "exclude_bot_users": c.boolean,
		"include": func(at string, v any) {
			list, isList := v.([]any)
			if !isList || len(list) == 0 {
				c.fail(ruleFilter, at, "no fewer than 1 items allowed")
			}
			for i, item := range list {
				if name, _ := item.(string); !slices.Contains([]string{"im", "mpim", "private", "public"}, name) {
					c.fail(ruleFilter, join(at, i), "must be one of [im mpim private public]")
				}
			}
		},
	})
	if len(o) == 0 {
		c.fail(ruleFilter, at, "must define at least one field")
	}
}

// shaped returns the check for a text that must match a pattern.
func (c *check) shaped(form *regexp.Regexp, what string) func(string, any) {
	return func(at string, v any) {
		if s, _ := v.(string); !form.MatchString(s) {
			c.fail(ruleKind, at, "must be %s", what)
		}
	}
}

// numeral checks a number written as text.
func (c *check) numeral(at string, v any) {
	s, isText := v.(string)
	if _, err := strconv.ParseFloat(s, 64); !isText || err != nil {
		c.fail(ruleKind, at, "must be a number in a string")
	}
}

// join appends an index to a JSON pointer.
func join(at string, i int) string { return at + "/" + strconv.Itoa(i) }
