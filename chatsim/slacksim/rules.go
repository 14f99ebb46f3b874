package slacksim

// The rules without numbers.
var (
	ruleBlockType      = rule{"block.type", 0, "only known blocks, each on an allowed surface", docBlocks}
	ruleElementType    = rule{"element.type", 0, "only known elements", docElements}
	ruleElementPlace   = rule{"element.place", 0, "elements only in allowed blocks", docElements}
	ruleProperty       = rule{"property.unknown", 0, "no undocumented property", docBlocks}
	ruleURL            = rule{"url", 0, "URLs are valid", docElements + "button-element"}
	ruleRequired       = rule{"property.required", 0, "required properties are present", docBlocks}
	ruleKind           = rule{"property.kind", 0, "properties have the expected type", docBlocks}
	ruleEmpty          = rule{"text.empty", 0, "no empty text", docObjects + "text-object"}
	ruleTextType       = rule{"text.type", 0, "plain_text or mrkdwn, where each is allowed", docObjects + "text-object"}
	ruleUniqueBlock    = rule{"block_id.unique", 0, "a block_id is unique in a message or view", docBlocks + "section-block"}
	ruleUniqueAction   = rule{"action_id.unique", 0, "an action_id is unique in a block", docElements + "button-element"}
	ruleStyle          = rule{"style", 0, "primary or danger", docElements + "button-element"}
	ruleInitial        = rule{"initial_option", 0, "an initial option is one of the options", docElements + "radio-button-group-element"}
	ruleOptionsOrGroup = rule{"select.either", 0, "either options or option_groups", docElements + "select-menu-element"}
	ruleEither         = rule{"property.either", 0, "one source per image, one name per file", docObjects + "slack-file-object"}
	ruleStatus         = rule{"task.status", 0, "a known state; a single task is not pending", docBlocks + "task-card-block"}
	ruleRagged         = rule{"data_table.width", 0, "rows have equal width", docBlocks + "data-table-block"}
	ruleFilter         = rule{"filter", 0, "a conversation filter is not empty", docObjects + "conversation-filter-object"}
	ruleSubmit         = rule{"modal.submit.required", 0, "a modal with an input has a submit button", docViews}
	ruleFocus          = rule{"focus_on_load", 0, "at most one per view", docElements + "plain-text-input-element"}

	ruleJSON         = rule{"request.json", 0, "arguments that are JSON can be parsed", "https://docs.slack.dev/apis/web-api/"}
	ruleMethod       = rule{"request.method", 0, "only methods this double knows", docMethods}
	ruleForm         = rule{"request.form", 0, "form methods get no JSON", "https://docs.slack.dev/apis/web-api/#post_bodies"}
	ruleToken        = rule{"request.token", 0, "every call carries a token", "https://docs.slack.dev/apis/web-api/"}
	ruleArguments    = rule{"request.arguments", 0, "required arguments are present", docMethods}
	ruleMetadata     = rule{"metadata.shape", 0, "metadata has an event_type and an event_payload", "https://docs.slack.dev/messaging/message-metadata/"}
	ruleMarkdownText = rule{"request.markdown_text", 0, "no other text with markdown_text", docMethods + "chat.postMessage"}
	ruleThread       = rule{"request.thread", 0, "thread_ts is the thread's first message", "https://docs.slack.dev/messaging/#threading"}
	ruleTeam         = rule{"request.team_id", 0, "organization tokens need a team_id", docMethods + "usergroups.list"}
	ruleReaction     = rule{"request.reaction", 0, "an emoji name without colons", docMethods + "reactions.add"}
	ruleTrigger      = rule{"trigger.known", 0, "a trigger_id comes from an interaction", docInteract + "#modal_responses"}
	ruleAnswer       = rule{"view.answer", 0, "a form gets an empty reply or a known response_action", docModals}
	ruleAnswerErrors = rule{"view.answer.errors", 0, "errors name block_ids of input blocks", docModals}
	ruleResponseURL  = rule{"response_url.known", 0, "a response_url comes from an interaction", docInteract + "#message_responses"}
	ruleCode         = rule{"oauth.code", 0, "an OAuth code works once, for ten minutes", "https://docs.slack.dev/authentication/installing-with-oauth"}
	ruleRefresh      = rule{"oauth.refresh", 0, "a refresh token works once", "https://docs.slack.dev/authentication/using-token-rotation"}
	ruleChallenge    = rule{"events.challenge", 0, "url_verification gets its challenge", "https://docs.slack.dev/reference/events/url_verification"}
	ruleTicket       = rule{"socket.ticket", 0, "a Socket Mode URL works once", docSocket}
	ruleEnvelope     = rule{"socket.envelope", 0, "an acknowledgement names a sent envelope", docSocket}

	ruleSnippet = rule{"file.snippet_type", 0, "a known snippet type", docMethods + "files.getUploadURLExternal"}
	ruleUpload  = rule{"file.upload", 0, "a file is announced, uploaded with that length and completed once", "https://docs.slack.dev/messaging/working-with-files"}

	noteFallback   = rule{"note.fallback", 0, "blocks need a text for notifications and screen readers", docMethods + "chat.postMessage"}
	noteUnfurl     = rule{"note.unfurl", 0, "text with links should disable unfurling", "https://docs.slack.dev/messaging/unfurling-links-in-messages"}
	noteLink       = rule{"note.link", 0, "a link whose label does not name the host of its URL", "https://docs.slack.dev/messaging/formatting-message-text"}
	noteArgument   = rule{"note.argument", 0, "an unknown argument", docMethods}
	noteCut        = rule{"note.cut", 0, "text beyond 40,000 characters is cut", docMethods + "chat.postMessage"}
	noteAnswer     = rule{"note.answer", 0, "Slack ignores this acknowledgement's body", docInteract}
	notePrimary    = rule{"note.primary", 0, "one primary button in a set", docElements + "button-element"}
	noteOptions    = rule{"note.option_value", 0, "option values are unique", docObjects + "option-object"}
	noteScheduled  = rule{"note.scheduled", 0, "scheduled messages with metadata are never posted", docMethods + "chat.scheduleMessage"}
	noteIdleThread = rule{"note.idle_thread", 0, "ephemeral messages in threads without replies are invisible", docMethods + "chat.postEphemeral"}
	noteComment    = rule{"note.initial_comment", 0, "blocks with an initial_comment are ignored", docMethods + "files.completeUploadExternal"}
	noteReplaced   = rule{"note.view_replaced", 0, "a form replaced an open form", docModals}
)

// allRules is the complete table, in the order of COVERAGE.md.
func allRules() []rule {
	return []rule{
		maxMessageBlocks, maxModalBlocks, maxText, maxSectionText, maxSectionFields, maxFieldText, maxHeaderText, maxHeaderLevel,
		maxContextElements, maxActionsElements, maxMarkdownText, maxBlocksText, maxBlockID, maxActionID, maxInputLabel,
		maxInputHint, maxButtonText, maxButtonValue, maxButtonURL, maxAccessibility, maxOptionText, maxOptionDesc,
		maxOptionValue, maxOptionURL, maxGroupLabel, maxGroupOptions, maxSelectOptions, maxSelectGroups, maxSelectedItems, maxRadioOptions,
		maxCheckOptions, maxOverflowOptions, maxPlaceholder, maxRichIndent, maxRichBorder, maxSkinTone, maxInputLength, maxConfirmTitle, maxConfirmText,
		maxConfirmButton, maxUpdateText, maxPostText, maxAttachments, maxMetadata, maxAgentTitle, maxScheduled, maxQuietPeople, maxModalTitle, maxModalSubmit,
		maxModalClose, maxCallbackID, maxExternalID, maxPrivateMetadata, maxViewBytes, maxViewStack, maxResponses,
		maxAlertText, maxCards, maxCardButtons, maxContextActions, maxTableRows, maxTableText, maxColumns, maxDataRows, maxDataText,
		maxPageSize, maxInputFiles, maxRichLines, maxSnippet, maxAltText, maxFileChannels, maxSocketAck, maxSockets, ackInTime, ackStatus, responseInAge, triggerInAge, triggerOnce,

		ruleBlockType, ruleElementType, ruleElementPlace, ruleProperty, ruleURL, ruleRequired, ruleKind, ruleEmpty, ruleTextType,
		ruleUniqueBlock, ruleUniqueAction, ruleStyle, ruleInitial, ruleOptionsOrGroup, ruleEither, ruleStatus, ruleRagged, ruleFilter,
		ruleSubmit, ruleFocus, ruleJSON, ruleMethod, ruleForm, ruleToken, ruleArguments, ruleMarkdownText, ruleThread, ruleTeam, ruleReaction, ruleMetadata, ruleTrigger, ruleAnswer,
		ruleAnswerErrors, ruleResponseURL, ruleChallenge, ruleCode, ruleRefresh, ruleTicket, ruleEnvelope, ruleSnippet, ruleUpload,

		noteFallback, noteUnfurl, noteLink, noteArgument, noteCut, noteAnswer, notePrimary,
		noteOptions, noteScheduled, noteIdleThread, noteComment, noteReplaced,
	}
}
