package slacksim_test

import "strings"

// boundary is an input that a rule just accepts and one that it refuses.
type boundary struct {
	name     string
	rule     string
	fine     any
	refused  any
	errorIs  string // if other than invalid_blocks or invalid_arguments
	messages string // text in the reply
}

// boundaries has for every rule the largest accepted and the smallest refused input: a list is the blocks of a
// message, an object a view.
var boundaries = []boundary{
	{
		name: "blocks of a message", rule: "message.blocks",
		fine:     times(50, func(int) any { return obj{"type": "divider"} }),
		refused:  times(51, func(int) any { return obj{"type": "divider"} }),
		messages: "[ERROR] no more than 50 items allowed [json-pointer:/blocks]",
	},
	{
		name: "blocks of a modal", rule: "modal.blocks",
		fine:    modal(times(100, func(int) any { return obj{"type": "divider"} })),
		refused: modal(times(101, func(int) any { return obj{"type": "divider"} })),
	},
	{
		name: "text of a section", rule: "section.text",
		fine:     list{obj{"type": "section", "text": mrkdwn(x(3000))}},
		refused:  list{obj{"type": "section", "text": mrkdwn(x(3001))}},
		messages: "[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
	},
	{
		name: "text with characters of four bytes", rule: "section.text",
		fine:    list{obj{"type": "section", "text": mrkdwn(strings.Repeat("🦊", 1500))}},
		refused: list{obj{"type": "section", "text": mrkdwn(strings.Repeat("🦊", 1500) + "x")}},
	},
	{
		name: "fields of a section", rule: "section.fields",
		fine:    list{obj{"type": "section", "fields": times(10, func(int) any { return plain("x") })}},
		refused: list{obj{"type": "section", "fields": times(11, func(int) any { return plain("x") })}},
	},
	{
		name: "text of a field", rule: "section.field.text",
		fine:    list{obj{"type": "section", "fields": list{mrkdwn(x(2000))}}},
		refused: list{obj{"type": "section", "fields": list{mrkdwn(x(2001))}}},
	},
	{
		name: "a section needs text or fields", rule: "property.required",
		fine:     list{obj{"type": "section", "fields": list{mrkdwn("x")}}},
		refused:  list{obj{"type": "section"}},
		messages: "must define either `text` or `fields`",
	},
	{
		name: "text of a header", rule: "header.text",
		fine:    list{obj{"type": "header", "text": plain(x(150))}},
		refused: list{obj{"type": "header", "text": plain(x(151))}},
	},
	{
		name: "level of a header", rule: "header.level",
		fine:    list{obj{"type": "header", "text": plain("x"), "level": 4}},
		refused: list{obj{"type": "header", "text": plain("x"), "level": 5}},
	},
	{
		name: "a header is plain text", rule: "text.type",
		fine:    list{obj{"type": "header", "text": plain("x")}},
		refused: list{obj{"type": "header", "text": mrkdwn("x")}},
	},
	{
		name: "elements of a context", rule: "context.elements",
		fine:    list{obj{"type": "context", "elements": times(10, func(int) any { return mrkdwn("x") })}},
		refused: list{obj{"type": "context", "elements": times(11, func(int) any { return mrkdwn("x") })}},
	},
	{
		name: "text in a context", rule: "text",
		fine:    list{obj{"type": "context", "elements": list{mrkdwn(x(3000))}}},
		refused: list{obj{"type": "context", "elements": list{mrkdwn(x(3001))}}},
	},
	{
		name: "elements of an actions block", rule: "actions.elements",
		fine: actions(times(25, button)...), refused: actions(times(26, button)...),
	},
	{
		name: "markdown in all of a message", rule: "markdown.text",
		fine: list{markdown(6000), markdown(6000)}, refused: list{markdown(6000), markdown(6001)},
	},
	{
		name: "markdown only in messages", rule: "block.type",
		fine: list{markdown(1)}, refused: modal(list{markdown(1)}),
	},
	{
		name: "all text of a message", rule: "blocks.text", errorIs: "msg_blocks_too_long",
		fine:    times(5, func(i int) any { return obj{"type": "section", "text": mrkdwn(x(2640))} }),
		refused: append(times(5, func(i int) any { return obj{"type": "section", "text": mrkdwn(x(2640))} }), obj{"type": "header", "text": plain("x")}),
	},
	{
		name: "a block_id", rule: "block_id",
		fine: list{obj{"type": "divider", "block_id": x(255)}}, refused: list{obj{"type": "divider", "block_id": x(256)}},
	},
	{
		name: "a unique block_id", rule: "block_id.unique",
		fine:    list{obj{"type": "divider", "block_id": "a"}, obj{"type": "divider", "block_id": "b"}},
		refused: list{obj{"type": "divider", "block_id": "a"}, obj{"type": "divider", "block_id": "a"}},
	},
	{
		name: "an action_id", rule: "action_id",
		fine: asButton("action_id", x(255)), refused: asButton("action_id", x(256)),
	},
	{
		name: "a unique action_id in a block", rule: "action_id.unique",
		fine: append(actions(button(0)), actions(button(0))...), refused: actions(button(0), button(0)),
	},
	{
		name: "label of an input", rule: "input.label",
		fine: input(textInput(), "label", plain(x(2000))), refused: input(textInput(), "label", plain(x(2001))),
	},
	{
		name: "hint of an input", rule: "input.hint",
		fine: input(textInput(), "hint", plain(x(2000))), refused: input(textInput(), "hint", plain(x(2001))),
	},
	{
		name: "text of a button", rule: "button.text",
		fine: asButton("text", plain(x(75))), refused: asButton("text", plain(x(76))),
		messages: "[ERROR] must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]",
	},
	{
		name: "text of a button is not empty", rule: "text.empty",
		fine: asButton("text", plain("x")), refused: asButton("text", plain("")),
		messages: "[ERROR] must be more than 0 characters [json-pointer:/blocks/0/elements/0/text/text]",
	},
	{name: "value of a button", rule: "button.value", fine: asButton("value", x(2000)), refused: asButton("value", x(2001))},
	{name: "link of a button", rule: "button.url", fine: asButton("url", "https://"+x(2992)), refused: asButton("url", "https://"+x(2993))},
	{
		name: "accessibility label", rule: "button.accessibility_label",
		fine: asButton("accessibility_label", x(75)), refused: asButton("accessibility_label", x(76)),
	},
	{name: "style of a button", rule: "style", fine: asButton("style", "danger"), refused: asButton("style", "default")},
	{
		name: "text of an option", rule: "option.text",
		fine: asOption("text", mrkdwn(x(75))), refused: asOption("text", mrkdwn(x(76))),
	},
	{
		name: "description of an option", rule: "option.description",
		fine: asOption("description", plain(x(75))), refused: asOption("description", plain(x(76))),
	},
	{
		name: "description of an option is not empty", rule: "text.empty",
		fine: asOption("description", plain("x")), refused: asOption("description", plain("")),
	},
	{name: "value of an option", rule: "option.value", fine: asOption("value", x(150)), refused: asOption("value", x(151))},
	{name: "link of an option", rule: "option.url", fine: overflow("url", "https://"+x(2992)), refused: overflow("url", "https://"+x(2993))},
	{name: "link of an option outside a menu", rule: "property.unknown", fine: asOption(), refused: asOption("url", "https://example.org")},
	{name: "link of a button to a page", rule: "url", fine: asButton("url", "slack://open"), refused: asButton("url", "example.org/plan")},
	{name: "link of an option to a page", rule: "url", fine: overflow("url", "mailto:dana@example.org"), refused: overflow("url", "https:")},
	{
		name: "an option in a select is plain text", rule: "text.type",
		fine:    section(obj{"type": "static_select", "action_id": "a", "options": list{option(0)}}),
		refused: section(obj{"type": "static_select", "action_id": "a", "options": list{with(option(0).(obj), "text", mrkdwn("x"))}}),
	},
	{
		name: "options of radio buttons", rule: "radio_buttons.options",
		fine: actions(choice("radio_buttons", 10)), refused: actions(choice("radio_buttons", 11)),
		messages: "[ERROR] no more than 10 items allowed [json-pointer:/blocks/0/elements/0/options]",
	},
	{
		name: "radio buttons have options", rule: "text.empty",
		fine: actions(choice("radio_buttons", 1)), refused: actions(choice("radio_buttons", 0)),
	},
	{
		name: "options of checkboxes", rule: "checkboxes.options",
		fine: actions(choice("checkboxes", 10)), refused: actions(choice("checkboxes", 11)),
	},
	{
		name: "options of an overflow menu", rule: "overflow.options",
		fine: actions(choice("overflow", 5)), refused: actions(choice("overflow", 6)),
	},
	{
		name: "options of a select", rule: "select.options",
		fine: actions(choice("static_select", 100)), refused: actions(choice("static_select", 101)),
	},
	{name: "groups of a select", rule: "select.option_groups", fine: grouped(100, 1, "x"), refused: grouped(101, 1, "x")},
	{name: "options of a group", rule: "option_group.options", fine: grouped(1, 100, "x"), refused: grouped(1, 101, "x")},
	{name: "label of a group", rule: "option_group.label", fine: grouped(1, 1, x(75)), refused: grouped(1, 1, x(76))},
	{
		name: "options or groups", rule: "select.either",
		fine:    actions(choice("static_select", 1)),
		refused: actions(with(choice("static_select", 1), "option_groups", list{obj{"label": plain("x"), "options": list{option(1)}}})),
	},
	{
		name: "max_selected_items", rule: "multi_static_select.max_selected_items",
		fine:    section(with(choice("multi_static_select", 2), "max_selected_items", 1)),
		refused: section(with(choice("multi_static_select", 2), "max_selected_items", 0)),
	},
	{
		name: "placeholder", rule: "placeholder",
		fine:    actions(with(choice("static_select", 1), "placeholder", plain(x(150)))),
		refused: actions(with(choice("static_select", 1), "placeholder", plain(x(151)))),
	},
	{
		name: "an initial option is one of the options", rule: "initial_option",
		fine:    actions(with(choice("radio_buttons", 2), "initial_option", option(1))),
		refused: actions(with(choice("radio_buttons", 2), "initial_option", with(option(1).(obj), "text", plain("Option one")))),
	},
	{
		name: "initial options are not an empty list", rule: "initial_option",
		fine:    actions(with(choice("checkboxes", 2), "initial_options", list{option(0)})),
		refused: actions(with(choice("checkboxes", 2), "initial_options", list{})),
	},
	{
		name: "max_length of a text input", rule: "plain_text_input.length",
		fine: input(textInput("max_length", 3000)), refused: input(textInput("max_length", 3001)),
	},
	{
		name: "max_length of a text input is one at least", rule: "plain_text_input.length",
		fine: input(textInput("max_length", 1)), refused: input(textInput("max_length", 0)),
	},
	{
		name: "min_length is no more than max_length", rule: "plain_text_input.length",
		fine: input(textInput("min_length", 5, "max_length", 5)), refused: input(textInput("min_length", 6, "max_length", 5)),
	},
	{
		name: "title of a confirm dialog", rule: "confirm.title",
		fine: confirming("title", plain(x(100))), refused: confirming("title", plain(x(101))),
	},
	{
		name: "text of a confirm dialog", rule: "confirm.text",
		fine: confirming("text", plain(x(300))), refused: confirming("text", plain(x(301))),
	},
	{
		name: "button of a confirm dialog", rule: "confirm.button",
		fine: confirming("deny", plain(x(30))), refused: confirming("deny", plain(x(31))),
	},
	{
		name: "only known properties", rule: "property.unknown",
		fine: asButton("value", "x"), refused: asButton("tooltip", "x"),
		messages: "[ERROR] invalid additional property: tooltip [json-pointer:/blocks/0/elements/0]",
	},
	{
		name: "emoji is for plain text", rule: "property.unknown",
		fine:    list{obj{"type": "section", "text": with(plain("x"), "emoji", true)}},
		refused: list{obj{"type": "section", "text": with(mrkdwn("x"), "emoji", true)}},
	},
	{
		name: "verbatim is for mrkdwn", rule: "property.unknown",
		fine:    list{obj{"type": "section", "text": with(mrkdwn("x"), "verbatim", true)}},
		refused: list{obj{"type": "section", "text": with(plain("x"), "verbatim", true)}},
	},
	{
		name: "a property of another kind", rule: "property.kind",
		fine: asButton("value", "1"), refused: asButton("value", 1),
	},
	{
		name: "only known blocks", rule: "block.type",
		fine: list{obj{"type": "divider"}}, refused: list{obj{"type": "hologram"}},
		messages: "[ERROR] unsupported type: hologram [json-pointer:/blocks/0/type]",
	},
	{name: "only known elements", rule: "element.type", fine: actions(button(0)), refused: actions(obj{"type": "lever"})},
	{
		name: "no multi-select among actions", rule: "element.place",
		fine: section(choice("multi_static_select", 2)), refused: actions(choice("multi_static_select", 2)),
	},
	{name: "no text input among actions", rule: "element.place", fine: input(textInput()), refused: actions(textInput())},
	{name: "no button in an input", rule: "element.place", fine: input(choice("radio_buttons", 1)), refused: input(button(0))},
	{
		name: "rich text has known parts", rule: "element.type",
		fine:    list{obj{"type": "rich_text", "elements": list{obj{"type": "rich_text_section", "elements": list{obj{"type": "text", "text": "x"}}}}}},
		refused: list{obj{"type": "rich_text", "elements": list{obj{"type": "rich_text_poem", "elements": list{}}}}},
	},
	{
		name: "elements of rich text", rule: "element.type",
		fine: rich("rich_text_section", obj{"type": "user", "user_id": "U0000001"}, obj{"type": "emoji", "name": "tada"},
			obj{"type": "date", "timestamp": 1700000000, "format": "{date}", "fallback": "then"}, obj{"type": "link", "url": "https://x.example"}),
		refused: rich("rich_text_section", obj{"type": "poem", "text": "x"}),
	},
	{
		name: "nonempty text in rich text", rule: "text.empty",
		fine: rich("rich_text_section", obj{"type": "text", "text": " "}), refused: rich("rich_text_section", obj{"type": "text", "text": ""}),
		messages: "must be more than 0 characters [json-pointer:/blocks/0/elements/0/elements/0/text]",
	},
	{
		name: "a part of rich text has elements", rule: "text.empty",
		fine: rich("rich_text_quote", obj{"type": "text", "text": "x"}), refused: rich("rich_text_quote"),
	},
	{
		name: "text in rich text has no other members", rule: "property.unknown",
		fine:    rich("rich_text_section", obj{"type": "text", "text": "x", "style": obj{"bold": true}}),
		refused: rich("rich_text_section", obj{"type": "text", "text": "x", "emoji": false}),
	},
	{
		name: "a sample has no people", rule: "element.place",
		fine: rich("rich_text_preformatted", obj{"type": "text", "text": "x"}), refused: rich("rich_text_preformatted", obj{"type": "user", "user_id": "U0000001"}),
	},
	{
		name: "a time in rich text has a format", rule: "property.required",
		fine:    rich("rich_text_section", obj{"type": "date", "timestamp": 1, "format": "{time}"}),
		refused: rich("rich_text_section", obj{"type": "date", "timestamp": 1}),
	},
	{
		name: "a list is indented so far", rule: "rich_text_list.indent",
		fine: richList("indent", 8), refused: richList("indent", 9),
	},
	{
		name: "a list has a border or none", rule: "rich_text.border",
		fine: richList("border", 1), refused: richList("border", 2),
	},
	{
		name: "a list is of one of two kinds", rule: "style",
		fine: richList("style", "ordered"), refused: richList("style", "roman"),
	},
	{
		name: "an emoji has a skin", rule: "rich_text.skin_tone",
		fine:    rich("rich_text_section", obj{"type": "emoji", "name": "wave", "skin_tone": 6}),
		refused: rich("rich_text_section", obj{"type": "emoji", "name": "wave", "skin_tone": 7}),
	},
	{
		name: "one focus", rule: "focus_on_load",
		fine:    modal(input(textInput("focus_on_load", true))),
		refused: modal(append(input(textInput("focus_on_load", true)), input(textInput("focus_on_load", true))...)),
	},
	{
		name: "title of a modal", rule: "modal.title",
		fine: modal(list{}, "title", plain(x(24))), refused: modal(list{}, "title", plain(x(25))),
		messages: "[ERROR] must be less than 25 characters [json-pointer:/view/title/text]",
	},
	{
		name: "submit of a modal", rule: "modal.submit",
		fine: modal(list{}, "submit", plain(x(24))), refused: modal(list{}, "submit", plain(x(25))),
	},
	{
		name: "close of a modal", rule: "modal.close",
		fine: modal(list{}, "close", plain(x(24))), refused: modal(list{}, "close", plain(x(25))),
	},
	{
		name: "callback_id", rule: "modal.callback_id",
		fine: modal(list{}, "callback_id", x(255)), refused: modal(list{}, "callback_id", x(256)),
	},
	{
		name: "external_id", rule: "modal.external_id",
		fine: modal(list{}, "external_id", x(255)), refused: modal(list{}, "external_id", x(256)),
	},
	{
		name: "private_metadata", rule: "modal.private_metadata",
		fine: modal(list{}, "private_metadata", x(3000)), refused: modal(list{}, "private_metadata", x(3001)),
	},
	{
		name: "a modal with an input has a submit button", rule: "modal.submit.required",
		fine: modal(input(textInput())), refused: without(modal(input(textInput())), "submit"),
	},
	{name: "size of a view", rule: "modal.size", errorIs: "view_too_large", fine: fat(250_000), refused: fat(250_001)},
}
