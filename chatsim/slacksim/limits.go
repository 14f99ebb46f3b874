package slacksim

import (
	"time"
)

// rule is one entry of the table of Slack's rules.
type rule struct {
	name string // stable identifier for tests and findings
	max  int    // the limit; 0 for a rule without a number
	text string
	doc  string // Slack's page, or a report where Slack documents nothing
}

const (
	docBlocks   = "https://docs.slack.dev/reference/block-kit/blocks/"
	docElements = "https://docs.slack.dev/reference/block-kit/block-elements/"
	docObjects  = "https://docs.slack.dev/reference/block-kit/composition-objects/"
	docMethods  = "https://docs.slack.dev/reference/methods/"
	docViews    = "https://docs.slack.dev/reference/views/modal-views/"
	docModals   = "https://docs.slack.dev/surfaces/modals/"
	docInteract = "https://docs.slack.dev/interactivity/handling-user-interaction/"
	docSocket   = "https://docs.slack.dev/apis/events-api/using-socket-mode/"
)

// The limits of Block Kit.
var (
	maxMessageBlocks   = rule{"message.blocks", 50, "blocks in a message", docBlocks}
	maxModalBlocks     = rule{"modal.blocks", 100, "blocks in a modal", docBlocks}
	maxText            = rule{"text", 3000, "characters in a text object", docObjects + "text-object"}
	maxSectionText     = rule{"section.text", 3000, "characters in the text of a section", docBlocks + "section-block"}
	maxSectionFields   = rule{"section.fields", 10, "fields of a section", docBlocks + "section-block"}
	maxFieldText       = rule{"section.field.text", 2000, "characters in a field of a section", docBlocks + "section-block"}
	maxHeaderText      = rule{"header.text", 150, "characters in a header", docBlocks + "header-block"}
	maxHeaderLevel     = rule{"header.level", 4, "for the level of a header", docBlocks + "header-block"}
	maxContextElements = rule{"context.elements", 10, "elements of a context block", docBlocks + "context-block"}
	maxActionsElements = rule{"actions.elements", 25, "elements of an actions block", docBlocks + "actions-block"}
	maxMarkdownText    = rule{"markdown.text", 12000, "characters in all markdown blocks of a message", docBlocks + "markdown-block"}
	maxBlockID         = rule{"block_id", 255, "characters in a block_id", docBlocks + "section-block"}
	maxActionID        = rule{"action_id", 255, "characters in an action_id", docElements + "button-element"}
	maxInputLabel      = rule{"input.label", 2000, "characters in the label of an input", docBlocks + "input-block"}
	maxInputHint       = rule{"input.hint", 2000, "characters in the hint of an input", docBlocks + "input-block"}
	maxButtonText      = rule{"button.text", 75, "characters in the text of a button", docElements + "button-element"}
	maxButtonValue     = rule{"button.value", 2000, "characters in the value of a button", docElements + "button-element"}
	maxButtonURL       = rule{"button.url", 3000, "characters in the link of a button", docElements + "button-element"}
	maxAccessibility   = rule{"button.accessibility_label", 75, "characters in an accessibility label", docElements + "button-element"}
	maxOptionText      = rule{"option.text", 75, "characters in the text of an option", docObjects + "option-object"}
	maxOptionDesc      = rule{"option.description", 75, "characters in the description of an option", docObjects + "option-object"}
	maxOptionValue     = rule{"option.value", 150, "characters in the value of an option", docObjects + "option-object"}
	maxOptionURL       = rule{"option.url", 3000, "characters in the link of an option", docObjects + "option-object"}
	maxGroupLabel      = rule{"option_group.label", 75, "characters in the label of an option group", docObjects + "option-group-object"}
	maxGroupOptions    = rule{"option_group.options", 100, "options in a group", docObjects + "option-group-object"}
	maxSelectOptions   = rule{"select.options", 100, "options of a select", docElements + "select-menu-element"}
	maxSelectGroups    = rule{"select.option_groups", 100, "groups of a select", docElements + "select-menu-element"}
	maxSelectedItems   = rule{"multi_static_select.max_selected_items", 100, "for max_selected_items", docElements + "multi-select-menu-element"}
	maxRadioOptions    = rule{"radio_buttons.options", 10, "options of radio buttons", docElements + "radio-button-group-element"}
	maxCheckOptions    = rule{"checkboxes.options", 10, "options of checkboxes", docElements + "checkboxes-element"}
	maxOverflowOptions = rule{"overflow.options", 5, "options of an overflow menu", docElements + "overflow-menu-element"}
	maxPlaceholder     = rule{"placeholder", 150, "characters in a placeholder", docElements + "select-menu-element"}
	maxRichIndent      = rule{"rich_text_list.indent", 8, "for the indent of a list", docBlocks + "rich-text-block"}
	maxRichBorder      = rule{"rich_text.border", 1, "for the border of a list, quote or sample", docBlocks + "rich-text-block"}
	maxSkinTone        = rule{"rich_text.skin_tone", 6, "for the skin tone of an emoji", docBlocks + "rich-text-block"}
	maxInputLength     = rule{"plain_text_input.length", 3000, "for min_length and max_length", docElements + "plain-text-input-element"}
	maxConfirmTitle    = rule{"confirm.title", 100, "characters in the title of a confirm dialog", docObjects + "confirmation-dialog-object"}
	maxConfirmText     = rule{"confirm.text", 300, "characters in the text of a confirm dialog", docObjects + "confirmation-dialog-object"}
	maxConfirmButton   = rule{"confirm.button", 30, "characters on a button of a confirm dialog", docObjects + "confirmation-dialog-object"}

	maxAlertText      = rule{"alert.text", 200, "characters in an alert, or in the body or the small text of a card", docBlocks + "alert-block"}
	maxCards          = rule{"carousel.elements", 10, "cards of a carousel", docBlocks + "carousel-block"}
	maxCardButtons    = rule{"card.actions", 3, "buttons of a card", docBlocks + "card-block"}
	maxContextActions = rule{"context_actions.elements", 5, "elements of a context_actions block", docBlocks + "context-actions-block"}
	maxTableRows      = rule{"table.rows", 100, "rows of a table", docBlocks + "table-block"}
	maxTableText      = rule{"table.text", 10000, "characters in all tables of a message", docBlocks + "table-block"}
	maxColumns        = rule{"table.columns", 20, "columns of a table", docBlocks + "table-block"}
	maxDataRows       = rule{"data_table.rows", 201, "rows of a data table, with its header", docBlocks + "data-table-block"}
	maxDataText       = rule{"data_table.text", 20000, "characters in all data tables of a message", docBlocks + "data-table-block"}
	maxPageSize       = rule{"data_table.page_size", 100, "rows on a page of a data table", docBlocks + "data-table-block"}
	maxInputFiles     = rule{"file_input.max_files", 10, "for max_files", docElements + "file-input-element"}
	maxRichLines      = rule{"rich_text_input.lines", 100, "for min_lines and max_lines", docElements + "rich-text-input-element"}

	// maxBlocksText was measured by others; Slack does not document it.
	maxBlocksText = rule{"blocks.text", 13200, "characters in all blocks of a message together", "https://github.com/slackapi/bolt-js/issues/2509"}
)

// The limits of messages and modals.
var (
	maxUpdateText      = rule{"chat.update.text", 4000, "characters in the text of chat.update", docMethods + "chat.update"}
	maxPostText        = rule{"chat.postMessage.text", 40000, "characters in the text of chat.postMessage; the rest is cut", docMethods + "chat.postMessage"}
	maxAttachments     = rule{"attachments", 100, "attachments of a message", docMethods + "chat.postMessage"}
	maxModalTitle      = rule{"modal.title", 24, "characters in the title of a modal", docViews}
	maxModalSubmit     = rule{"modal.submit", 24, "characters on the submit button of a modal", docViews}
	maxModalClose      = rule{"modal.close", 24, "characters on the close button of a modal", docViews}
	maxCallbackID      = rule{"modal.callback_id", 255, "characters in a callback_id", docViews}
	maxExternalID      = rule{"modal.external_id", 255, "characters in an external_id", docViews}
	maxPrivateMetadata = rule{"modal.private_metadata", 3000, "characters in private_metadata", docViews}
	maxViewBytes       = rule{"modal.size", 250 * 1000, "bytes in a view", docMethods + "views.open"}
	maxViewStack       = rule{"modal.stack", 3, "views above each other", docMethods + "views.push"}

	maxAgentTitle  = rule{"agents.sessions.title", 200, "characters in the title of an agent session", docMethods + "agents.sessions.setStatus"}
	maxScheduled   = rule{"chat.scheduleMessage.messages", 30, "scheduled messages within five minutes of a channel", docMethods + "chat.scheduleMessage"}
	maxQuietPeople = rule{"dnd.teamInfo.users", 50, "people of one dnd.teamInfo", docMethods + "dnd.teamInfo"}

	maxSnippet      = rule{"file.snippet", 1 << 20, "bytes of a file with a snippet_type", docMethods + "files.getUploadURLExternal"}
	maxAltText      = rule{"file.alt_txt", 1000, "characters in the alt_txt of a file", docMethods + "files.getUploadURLExternal"}
	maxFileChannels = rule{"file.channels", 100, "channels of one files.completeUploadExternal", docMethods + "files.completeUploadExternal"}

	// maxMetadata is an assumption: Slack documents the error but not the limit.
	maxMetadata = rule{"metadata.size", 16 * 1000, "bytes of message metadata", docMethods + "chat.postMessage"}
)

// The limits of interactions.
var (
	maxResponses  = rule{"response_url.uses", 5, "uses of a response_url", docInteract + "#message_responses"}
	maxSocketAck  = rule{"socket.ack.size", 20*1024 - 1, "bytes in a Socket Mode answer; a larger one is dropped in silence", "https://github.com/slack-go/slack/blob/v0.35.0/socketmode/socketmode.go"}
	maxSockets    = rule{"socket.connections", 10, "open Socket Mode connections of an app", docSocket}
	ackInTime     = rule{"ack.in_time", 0, "an interaction is acknowledged within three seconds", docInteract + "#acknowledgment_response"}
	ackStatus     = rule{"ack.status", 0, "an interaction is acknowledged with HTTP 200", docInteract + "#acknowledgment_response"}
	responseInAge = rule{"response_url.age", 0, "a response_url works for thirty minutes", docInteract + "#message_responses"}
	triggerInAge  = rule{"trigger.age", 0, "a trigger_id works for three seconds", docInteract + "#modal_responses"}
	triggerOnce   = rule{"trigger.once", 0, "a trigger_id works once", docInteract + "#modal_responses"}
)

// The timeouts of interactions.
const (
	// patience is the deadline of an acknowledgement and the lifetime of a trigger_id.
	// https://docs.slack.dev/interactivity/handling-user-interaction/#acknowledgment_response
	// https://docs.slack.dev/interactivity/handling-user-interaction/#modal_responses
	patience = 3 * time.Second
	// responseLife is the lifetime of a response_url.
	// https://docs.slack.dev/interactivity/handling-user-interaction/#message_responses
	responseLife = 30 * time.Minute
	// pingEvery is the interval of Socket Mode pings: slack-go reconnects after 30 seconds
	// without one. https://github.com/slack-go/slack/blob/v0.35.0/socketmode/socketmode.go
	pingEvery = 5 * time.Second
)
