package discordsim

// The rules that are no numbers.
var (
	ruleType         = rule{"component.type", 0, "only known components, each where it is made for", docComponents + "component-object-component-types"}
	ruleRequired     = rule{"field.required", 0, "every required field is there", docReference + "error-messages"}
	ruleKind         = rule{"field.kind", 0, "a field holds the kind of value Discord expects", docReference + "error-messages"}
	ruleEmpty        = rule{"field.empty", 0, "no empty text or list", docReference + "error-messages"}
	ruleUnique       = rule{"custom_id.unique", 0, "a custom_id stands once in a message or modal", docComponents + "anatomy-of-a-component"}
	ruleUniqueID     = rule{"component.id.unique", 0, "an id stands once in a message or modal", docComponents + "anatomy-of-a-component"}
	ruleRowWidth     = rule{"row.width", 0, "an action row holds buttons or one select", docComponents + "action-row"}
	ruleStyle        = rule{"style", 0, "a style is one of those that exist", docComponents + "button-button-styles"}
	ruleButton       = rule{"button.either", 0, "a button has a custom_id or a url, as its style asks", docComponents + "button"}
	ruleButtonURL    = rule{"button.url.scheme", 0, "a link of a button begins with http://, https:// or discord://", docComponents + "button"}
	ruleButtonFace   = rule{"button.face", 0, "a button has a label or an emoji", docComponents + "button"}
	ruleEmoji        = rule{"emoji", 0, "an emoji is one of the guild's, or a character that everybody has", "https://docs.discord.com/developers/resources/emoji#emoji-object"}
	ruleValues       = rule{"option.value.unique", 0, "a value stands once among the options", docComponents + "string-select"}
	ruleRange        = rule{"range", 0, "a minimum is not above its maximum", docComponents + "string-select"}
	ruleDefaults     = rule{"select.default", 0, "no more defaults than max_values", docComponents + "string-select"}
	ruleDefaultKind  = rule{"select.default_values.type", 0, "default values are of what the select holds", docComponents + "user-select-select-default-value-structure"}
	ruleDefaultCount = rule{"select.default_values.count", 0, "as many default values as can be chosen", docComponents + "user-select"}
	ruleEmbed        = rule{"embed.empty", 0, "an embed has something to show", docMessages + "embed-object-embed-structure"}
	ruleEmbedURL     = rule{"embed.url", 0, "an address in an embed begins with http:// or https://; a picture may be a file of the message, attachment://", docMessages + "embed-object-embed-structure"}
	ruleLegacy       = rule{"v2.legacy", 0, "content, embeds, stickers and polls do not go with the V2 flag", docComponents + "component-reference"}
	ruleV2Flag       = rule{"v2.flag", 0, "components V2 come with their flag, which stays for ever", docMessages + "message-object-message-flags"}
	ruleDeferFlags   = rule{"defer.flags", 0, "a promised reply is ephemeral or not; the V2 flag comes with the edit", docIssues + "7515"}
	ruleFlags        = rule{"flags", 0, "only flags that an app can set", docMessages + "message-object-message-flags"}

	ruleRowLabel   = rule{"text_input.label", 0, "a text input has a label in a row and none in a Label", docComponents + "text-input"}
	ruleOptional   = rule{"modal.optional", 0, "an optional choice in a modal has required:false and min_values:0", docIssues + "8272"}
	ruleModalAlive = rule{"modal.disabled", 0, "nothing in a modal is disabled", docComponents + "string-select"}
	ruleModalFresh = rule{"modal.custom_id.fresh", 0, "the custom_id of a modal is never used again: phones show the old contents", docIssues + "7554"}
	ruleModalFirst = rule{"modal.first", 0, "a modal is the first response to an interaction", docInteract + "interaction-response-object-interaction-callback-type"}

	ruleMentions      = rule{"allowed_mentions", 0, `whatever shows text says allowed_mentions {"parse":[]}, or whom it may notify`, docMessages + "allowed-mentions-object"}
	ruleMentionTwice  = rule{"allowed_mentions.unique", 0, "nobody is named twice", docMessages + "allowed-mentions-object"}
	ruleMentionEither = rule{"allowed_mentions.either", 0, "parse and a list of ids exclude each other", docMessages + "allowed-mentions-object"}

	ruleCommandName  = rule{"command.name", 0, "a chat command, and an option of one, has a name in lower case, without spaces", docCommands + "application-command-object-application-command-naming"}
	ruleCommandOrder = rule{"command.options.order", 0, "options that are required stand before those that are not", docCommands + "application-command-object"}
	ruleCommandTwice = rule{"command.unique", 0, "a name stands once for each type of commands", docCommands + "registering-a-command"}

	ruleParts      = rule{"request.parts", 0, "files come as files[n] with a filename, beside payload_json", docReference + "uploading-files"}
	ruleAttachment = rule{"attachments", 0, "attachments name files that come along by their number, and those that stay by their id", docMessages + "attachment-object"}
	ruleMedia      = rule{"media.reference", 0, "attachment:// names a file of the message, and a file component nothing else", docComponents + "unfurled-media-item"}
	ruleFileType   = rule{"file_upload.type", 0, "a type of files is image, video, audio or an extension with its dot", docReference + "file-type-filtering"}

	ruleArchive = rule{"thread.auto_archive_duration", 0, "a thread archives itself after 60, 1440, 4320 or 10080 minutes", docChannel + "start-thread-from-message"}

	ruleJSON      = rule{"request.json", 0, "a body is a JSON object", docReference + "error-messages"}
	ruleRoute     = rule{"request.route", 0, "only routes this double knows", docReference + "http-api"}
	ruleAgent     = rule{"request.user_agent", 0, "a request has a User-Agent such as DiscordBot (url, version)", docReference + "user-agent"}
	ruleInvalid   = rule{"requests.invalid", 0, "a program that is told 401, 403 or 429 stops instead of asking again", docLimits + "invalid-request-limit-aka-cloudflare-bans"}
	ruleAck       = rule{"ack.in_time", 0, "an interaction is answered within three seconds", docInteract + "responding-to-an-interaction"}
	ruleAckOnce   = rule{"ack.once", 0, "an interaction is answered once", docInteract + "responding-to-an-interaction"}
	ruleCallback  = rule{"callback.type", 0, "a response of a type that fits the interaction", docInteract + "interaction-response-object-interaction-callback-type"}
	ruleEarly     = rule{"webhook.early", 0, "an interaction's webhook is used after its first response", docInteract + "followup-messages"}
	ruleStatus    = rule{"endpoint.status", 0, "an interaction over HTTP is answered with 200, or 202 and the callback route", docOverview + "preparing-for-interactions"}
	ruleSignature = rule{"endpoint.signature", 0, "a request with a bad signature is answered with 401", docOverview + "validating-security-request-headers"}
	rulePing      = rule{"endpoint.ping", 0, `a PING is answered with {"type":1} as JSON`, docOverview + "acknowledging-ping-requests"}

	ruleIdentify  = rule{"gateway.identify", 0, "one session in five seconds for each concurrency slot, 1,000 in a day", docGateway + "rate-limiting"}
	ruleHeartbeat = rule{"gateway.heartbeat", 0, "a heartbeat in every interval, and at once when asked for", docGateway + "sending-heartbeats"}
	ruleSends     = rule{"gateway.sends", 0, "at most 120 events from a client in a minute", docGateway + "rate-limiting"}
	rulePayload   = rule{"gateway.payload", 0, "events a client may send, in an order that makes sense", docGateway + "sending-events"}
	ruleIntents   = rule{"gateway.intents", 0, "intents that exist and were granted", docGateway + "privileged-intents"}
	ruleShard     = rule{"gateway.shard", 0, "a shard that exists", docGateway + "sharding"}

	noteField      = rule{"note.field", 0, "a field Discord does not know", docReference + "http-api"}
	noteNonce      = rule{"note.nonce", 0, "a message is posted with a nonce and enforce_nonce, so that it can be posted again", docMessages + "create-message"}
	noteUnshown    = rule{"note.file", 0, "a file of a V2 message that no component names is shown to nobody", docComponents + "file"}
	noteParse      = rule{"note.parse", 0, "parse is null and not an empty list", docMessages + "allowed-mentions-object"}
	noteLink       = rule{"note.link", 0, "a link whose label hides its address", "https://support.discord.com/hc/en-us/articles/210298617"}
	noteLate       = rule{"note.late", 0, "a token was used too late", docInteract + "followup-messages"}
	noteTwice      = rule{"note.ack_twice", 0, "an interaction that was delivered twice was answered twice", docReference + "consistency"}
	noteText       = rule{"note.text", 0, "over 4,000 characters with labels and options", docIssues + "8562"}
	noteRow        = rule{"note.modal_row", 0, "an action row in a modal is deprecated; a Label takes its place", docComponents + "action-row"}
	noteResumeURL  = rule{"note.resume_url", 0, "a session is resumed at another address than resume_gateway_url", docGateway + "resuming"}
	noteCompressed = rule{"note.compress", 0, "compression was asked for; this double sends plain text", docGateway + "encoding-and-compression"}
)

// kindUpTo is ruleKind for a number with an end.
func kindUpTo(most int) rule { return rule{name: ruleKind.name, max: most, doc: ruleKind.doc} }

// allRules is the whole table, in the order in which COVERAGE.md shows it.
func allRules() []rule {
	return []rule{
		maxContent, maxNonce, maxEmbeds, maxEmbedTitle, maxEmbedDesc, maxEmbedFields, maxEmbedFieldName, maxEmbedFieldValue, maxEmbedFooter,
		maxEmbedAuthor, maxEmbedText, maxMentionIDs, maxRows, maxComponents, maxDisplayText, maxDisplayBytes,
		maxThreadName, maxTags, maxPollQuestion, maxPollAnswer, maxPollAnswers, maxPollHours, maxBulk, maxFiles, maxFileBytes, maxListedMessages, maxButtons, maxCustomID, maxButtonLabel, maxButtonURL, maxPlaceholder, maxSelectOptions,
		maxSelectValues, maxDefaultValues, maxOptionLabel, maxOptionValue, maxOptionDesc, maxSectionTexts, maxTextDisplay, maxMediaDesc, maxMediaURL, maxGallery,
		maxAccent, maxModalTitle, maxModalParts, maxLabel, maxLabelDesc, maxInputLength, maxInputValue, maxInputHint,
		maxRadioOptions, maxCheckboxOptions, maxCheckboxValues, maxUploads, maxFileTypes, maxCommands, maxCommandName, maxCommandDesc, maxChoiceName, maxCommandOptions,

		ruleType, ruleRequired, ruleKind, ruleEmpty, ruleUnique, ruleUniqueID, ruleRowWidth, ruleStyle, ruleButton,
		ruleButtonURL, ruleButtonFace, ruleEmoji, ruleValues, ruleRange, ruleDefaults, ruleDefaultKind, ruleDefaultCount, ruleEmbed, ruleEmbedURL, ruleLegacy, ruleV2Flag, ruleDeferFlags, ruleFlags,
		ruleRowLabel, ruleOptional, ruleModalAlive, ruleModalFresh, ruleModalFirst, ruleMentions, ruleMentionTwice, ruleMentionEither, ruleArchive, ruleCommandName, ruleCommandOrder, ruleCommandTwice,
		ruleParts, ruleAttachment, ruleMedia, ruleFileType,

		ruleJSON, ruleRoute, ruleAgent, ruleInvalid, ruleAck, ruleAckOnce, ruleCallback, ruleEarly,
		ruleStatus, ruleSignature, rulePing, ruleIdentify, ruleHeartbeat, ruleSends, rulePayload, ruleIntents,
		ruleShard,

		noteField, noteNonce, noteUnshown, noteParse, noteLink, noteLate, noteTwice, noteText, noteRow, noteResumeURL, noteCompressed,
	}
}
