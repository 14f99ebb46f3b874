package slacksim_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func cell(s string) obj { return obj{"type": "raw_text", "text": s} }

// table is a table of one kind with this many rows and columns of one text.
func table(kind string, rows, columns int, text string, more ...any) list {
	all := times(rows, func(int) any { return times(columns, func(int) any { return cell(text) }) })
	return list{with(obj{"type": kind, "rows": all}, more...)}
}

func dataTable(rows int, more ...any) list {
	return table("data_table", rows, 2, "x", append([]any{"caption", "Runs"}, more...)...)
}

// newerBoundaries are those of blocks and elements added after 2024.
func newerBoundaries() []boundary {
	card := obj{"type": "card", "title": plain("Plan")}
	picture := obj{"type": "image", "alt_text": "a graph"}
	ofFile := func(file obj) list { return list{with(picture, "slack_file", file)} }
	task := obj{"type": "task_card", "task_id": "1", "title": "Build", "status": "complete"}
	feedback := obj{"type": "feedback_buttons", "positive_button": obj{}, "negative_button": obj{}}
	pick := func(kind string, more ...any) obj { return with(obj{"type": kind, "action_id": "a"}, more...) }
	uneven := dataTable(3)
	uneven[0].(obj)["rows"].(list)[2] = list{cell("x")}
	return []boundary{
		{name: "an alert only in modals", rule: "block.type", fine: modal(list{obj{"type": "alert", "text": plain("Careful.")}}), refused: list{obj{"type": "alert", "text": plain("Careful.")}}, messages: "unsupported type: alert [json-pointer:/blocks/0/type]"},
		{name: "text of an alert", rule: "alert.text", fine: modal(list{obj{"type": "alert", "text": plain(x(200))}}), refused: modal(list{obj{"type": "alert", "text": plain(x(201))}})},
		{name: "context_actions in messages only", rule: "block.type", fine: list{obj{"type": "context_actions", "elements": list{feedback}}}, refused: modal(list{obj{"type": "context_actions", "elements": list{feedback}}})},
		{name: "elements below an answer", rule: "context_actions.elements", fine: list{obj{"type": "context_actions", "elements": times(5, func(int) any { return feedback })}}, refused: list{obj{"type": "context_actions", "elements": times(6, func(int) any { return feedback })}}},
		{name: "an icon below an answer", rule: "style", fine: list{obj{"type": "context_actions", "elements": list{obj{"type": "icon_button", "icon": "trash", "text": plain("Delete")}}}}, refused: list{obj{"type": "context_actions", "elements": list{obj{"type": "icon_button", "icon": "star", "text": plain("Like")}}}}},
		{name: "the title of a card is a text object", rule: "property.kind", fine: list{card}, refused: list{with(card, "title", "Plan")}, messages: "must be an object"},
		{name: "a nonempty card", rule: "property.required", fine: list{card}, refused: list{obj{"type": "card", "subtext": plain("x")}}},
		{name: "body of a card", rule: "alert.text", fine: list{with(card, "body", mrkdwn(x(200)))}, refused: list{with(card, "body", mrkdwn(x(201)))}},
		{name: "buttons of a card", rule: "card.actions", fine: list{with(card, "actions", times(3, button))}, refused: list{with(card, "actions", times(4, button))}},
		{name: "a card has one icon", rule: "property.either", fine: list{with(card, "slack_icon", "bolt")}, refused: list{with(card, "slack_icon", "bolt", "icon", with(picture, "image_url", "https://example.org/x.png"))}},
		{name: "cards of a carousel", rule: "carousel.elements", fine: list{obj{"type": "carousel", "elements": times(10, func(int) any { return card })}}, refused: list{obj{"type": "carousel", "elements": times(11, func(int) any { return card })}}},
		{name: "no carousel in modals", rule: "block.type", fine: list{obj{"type": "carousel", "elements": list{card}}}, refused: modal(list{obj{"type": "carousel", "elements": list{card}}})},
		{name: "the title of a plan is a string", rule: "property.kind", fine: list{obj{"type": "plan", "title": "Release"}}, refused: list{obj{"type": "plan", "title": plain("Release")}}, messages: "must be a string"},
		{name: "a task of its own is not pending", rule: "task.status", fine: list{obj{"type": "plan", "title": "Release", "tasks": list{with(task, "status", "pending")}}}, refused: list{with(task, "status", "pending")}, messages: "must be a valid enum value"},
		{name: "a task has a known state", rule: "task.status", fine: list{task}, refused: list{with(task, "status", "done")}},
		{name: "rows of a table", rule: "table.rows", fine: table("table", 100, 1, "x"), refused: table("table", 101, 1, "x")},
		{name: "columns of a table", rule: "table.columns", fine: table("table", 1, 20, "x"), refused: table("table", 1, 21, "x")},
		{name: "text in all tables of a message", rule: "table.text", fine: append(table("table", 5, 10, x(100)), table("table", 5, 10, x(100))...), refused: append(table("table", 5, 10, x(100)), table("table", 5, 10, x(101))...)},
		{name: "a cell of a known kind", rule: "element.type", fine: table("table", 1, 1, "x"), refused: list{obj{"type": "table", "rows": list{list{obj{"type": "button"}}}}}},
		{name: "a data table has a caption", rule: "property.required", fine: dataTable(2), refused: table("data_table", 2, 2, "x"), messages: "missing required field: caption"},
		{name: "a data table is even", rule: "data_table.width", fine: dataTable(3), refused: uneven},
		{name: "a data table has more than its header", rule: "text.empty", fine: dataTable(2), refused: dataTable(1)},
		{name: "rows of a data table", rule: "data_table.rows", fine: dataTable(201), refused: dataTable(202)},
		{name: "pages of a data table", rule: "data_table.page_size", fine: dataTable(2, "page_size", 100), refused: dataTable(2, "page_size", 101)},
		{name: "text in all data tables", rule: "data_table.text", fine: table("data_table", 10, 20, x(100), "caption", "Runs"), refused: table("data_table", 10, 20, x(101), "caption", "Runs")},
		{name: "a picture of one place", rule: "property.either", fine: list{with(picture, "image_url", "https://example.org/x.png")}, refused: list{with(picture, "image_url", "https://example.org/x.png", "slack_file", obj{"id": "F1"})}},
		{name: "a file by its id or its address", rule: "property.either", fine: ofFile(obj{"id": "F1"}), refused: ofFile(obj{"id": "F1", "url": "https://files.slack.com/x"}), messages: "must define either `id` or `url`"},
		{name: "a moment is picked outside of sections", rule: "element.place", fine: actions(pick("datetimepicker")), refused: section(pick("datetimepicker"))},
		{name: "a day is written as one", rule: "property.kind", fine: actions(pick("datepicker", "initial_date", "2026-03-15")), refused: actions(pick("datepicker", "initial_date", "15.3.2026"))},
		{name: "a time is written as one", rule: "property.kind", fine: actions(pick("timepicker", "initial_time", "16:30")), refused: actions(pick("timepicker", "initial_time", "4:30 PM"))},
		{name: "a number needs is_decimal_allowed", rule: "property.required", fine: input(pick("number_input", "is_decimal_allowed", false)), refused: input(pick("number_input")), messages: "missing required field: is_decimal_allowed"},
		{name: "a limit of a number is text", rule: "property.kind", fine: input(pick("number_input", "is_decimal_allowed", true, "min_value", "1.5")), refused: input(pick("number_input", "is_decimal_allowed", true, "min_value", 1))},
		{name: "a nonempty filter", rule: "filter", fine: actions(pick("conversations_select", "filter", obj{"include": list{"im"}})), refused: actions(pick("conversations_select", "filter", obj{}))},
		{name: "a filter includes something", rule: "filter", fine: actions(pick("conversations_select", "filter", obj{"exclude_bot_users": true})), refused: actions(pick("conversations_select", "filter", obj{"include": list{}}))},
		{name: "a form posts elsewhere from an input", rule: "element.place", fine: modal(input(pick("conversations_select", "response_url_enabled", true))), refused: modal(actions(pick("conversations_select", "response_url_enabled", true)))},
		{name: "nothing posts elsewhere from a message", rule: "element.place", fine: input(pick("channels_select")), refused: input(pick("channels_select", "response_url_enabled", true))},
		{name: "no event for each file", rule: "element.place", fine: modal(input(pick("file_input"))), refused: modal(input(pick("file_input"), "dispatch_action", true)), messages: "unsupported type: file_input"},
		{name: "files are for modals", rule: "element.place", fine: modal(input(pick("file_input"))), refused: input(pick("file_input"))},
		{name: "files of a field", rule: "file_input.max_files", fine: modal(input(pick("file_input", "max_files", 10))), refused: modal(input(pick("file_input", "max_files", 11)))},
		{name: "lines of a text", rule: "rich_text_input.lines", fine: input(pick("rich_text_input", "max_lines", 100)), refused: input(pick("rich_text_input", "max_lines", 101))},
	}
}

func TestNewerBlocks(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	put(t, sim, append(table("table", 1, 2, "cell"), obj{"type": "card", "title": plain("Release 4.2"), "body": mrkdwn("is built")}))
	if sees := sim.Seat("U0000001").Sees(); !strings.Contains(sees, "cell\ncell") || !strings.Contains(sees, "Release 4.2") || !strings.Contains(sees, "is built") {
		t.Errorf("she sees\n%s", sees)
	}
}
