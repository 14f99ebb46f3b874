package discordsim

// The rules without numbers.
var (
	ruleType         = rule{"component.type", 0, "only known components, each in an allowed parent", docComponents + "component-object-component-types"}
	ruleRequired     = rule{"field.required", 0, "required fields are present", docReference + "error-messages"}
	ruleKind         = rule{"field.kind", 0, "fields have the expected type", docReference + "error-messages"}
	ruleEmpty        = rule{"field.empty", 0, "no empty text or list", docReference + "error-messages"}
	ruleUnique       = rule{"custom_id.unique", 0, "a custom_id is unique in a message or modal", docComponents + "anatomy-of-a-component"}
	ruleUniqueID     = rule{"component.id.unique", 0, "an id is unique in a message or modal", docComponents + "anatomy-of-a-component"}
	ruleRowWidth     = rule{"row.width", 0, "an action row holds buttons or one select", docComponents + "action-row"}
	ruleStyle        = rule{"style", 0, "only documented styles", docComponents + "button-button-styles"}
	ruleButton       = rule{"button.either", 0, "a button has a custom_id or a url, by its style", docComponents + "button"}
	ruleButtonURL    = rule{"button.url.scheme", 0, "button links use http://, https:// or discord://", docComponents + "button"}
	ruleButtonFace   = rule{"button.face", 0, "a button has a label or an emoji", docComponents + "button"}
	ruleEmoji        = rule{"emoji", 0, "an emoji is Unicode or belongs to the guild", "https://docs.discord.com/developers/resources/emoji#emoji-object"}
	ruleValues       = rule{"option.value.unique", 0, "option values are unique", docComponents + "string-select"}
	ruleRange        = rule{"range", 0, "minimum ≤ maximum", docComponents + "string-select"}
	ruleDefaults     = rule{"select.default", 0, "no more defaults than max_values", docComponents + "string-select"}
	ruleDefaultKind  = rule{"select.default_values.type", 0, "default values have the select's type", docComponents + "user-select-select-default-value-structure"}
	ruleDefaultCount = rule{"select.default_values.count", 0, "default values within min_values and max_values", docComponents + "user-select"}
	ruleEmbed        = rule{"embed.empty", 0, "an embed is not empty", docMessages + "embed-object-embed-structure"}
	ruleEmbedURL     = rule{"embed.url", 0, "embed URLs use http:// or https://; images may use attachment://", docMessages + "embed-object-embed-structure"}
	ruleLegacy       = rule{"v2.legacy", 0, "no content, embeds, stickers or polls with the V2 flag", docComponents + "component-reference"}
	ruleV2Flag       = rule{"v2.flag", 0, "V2 components need the V2 flag, which cannot be removed", docMessages + "message-object-message-flags"}
	ruleDeferFlags   = rule{"defer.flags", 0, "a deferred reply takes only the ephemeral flag; the edit sets V2", docIssues + "7515"}
	ruleFlags        = rule{"flags", 0, "only flags that an app can set", docMessages + "message-object-message-flags"}

	ruleRowLabel   = rule{"text_input.label", 0, "a text input has its own label only in a row", docComponents + "text-input"}
	ruleOptional   = rule{"modal.optional", 0, "optional choices in modals need required:false and min_values:0", docIssues + "8272"}
	ruleModalAlive = rule{"modal.disabled", 0, "no disabled components in modals", docComponents + "string-select"}
	ruleModalFresh = rule{"modal.custom_id.fresh", 0, "modal custom_ids are not reused: phones show the old contents", docIssues + "7554"}
	ruleModalFirst = rule{"modal.first", 0, "a modal is the first response to an interaction", docInteract + "interaction-response-object-interaction-callback-type"}

	ruleMentions      = rule{"allowed_mentions", 0, `text needs allowed_mentions: {"parse":[]} or a list`, docMessages + "allowed-mentions-object"}
	ruleMentionTwice  = rule{"allowed_mentions.unique", 0, "no duplicate IDs", docMessages + "allowed-mentions-object"}
	ruleMentionEither = rule{"allowed_mentions.either", 0, "parse and a list of ids exclude each other", docMessages + "allowed-mentions-object"}

	ruleCommandName  = rule{"command.name", 0, "names of chat commands and options are lower case without spaces", docCommands + "application-command-object-application-command-naming"}
	ruleCommandOrder = rule{"command.options.order", 0, "required options come first", docCommands + "application-command-object"}
	ruleCommandTwice = rule{"command.unique", 0, "names are unique per command type", docCommands + "registering-a-command"}

	ruleParts      = rule{"request.parts", 0, "files are sent as files[n] with a filename, next to payload_json", docReference + "uploading-files"}
	ruleAttachment = rule{"attachments", 0, "attachments refer to new files by number and to old ones by ID", docMessages + "attachment-object"}
	ruleMedia      = rule{"media.reference", 0, "attachment:// refers to an uploaded file; file components allow nothing else", docComponents + "unfurled-media-item"}
	ruleFileType   = rule{"file_upload.type", 0, "image, video, audio or an extension with its dot", docReference + "file-type-filtering"}

	ruleArchive = rule{"thread.auto_archive_duration", 0, "60, 1440, 4320 or 10080 minutes", docChannel + "start-thread-from-message"}

	ruleJSON      = rule{"request.json", 0, "a body is a JSON object", docReference + "error-messages"}
	ruleRoute     = rule{"request.route", 0, "only routes this double knows", docReference + "http-api"}
	ruleAgent     = rule{"request.user_agent", 0, "the User-Agent is DiscordBot (url, version)", docReference + "user-agent"}
	ruleInvalid   = rule{"requests.invalid", 0, "after 401, 403 or 429 a client stops retrying", docLimits + "invalid-request-limit-aka-cloudflare-bans"}
	ruleAck       = rule{"ack.in_time", 0, "an interaction is answered within three seconds", docInteract + "responding-to-an-interaction"}
	ruleAckOnce   = rule{"ack.once", 0, "an interaction is answered once", docInteract + "responding-to-an-interaction"}
	ruleCallback  = rule{"callback.type", 0, "the response type fits the interaction", docInteract + "interaction-response-object-interaction-callback-type"}
	ruleEarly     = rule{"webhook.early", 0, "follow-ups come after the first response", docInteract + "followup-messages"}
	ruleStatus    = rule{"endpoint.status", 0, "HTTP interactions get 200, or 202 and a callback", docOverview + "preparing-for-interactions"}
	ruleSignature = rule{"endpoint.signature", 0, "a bad signature gets 401", docOverview + "validating-security-request-headers"}
	rulePing      = rule{"endpoint.ping", 0, `a PING gets {"type":1} as JSON`, docOverview + "acknowledging-ping-requests"}

	ruleIdentify  = rule{"gateway.identify", 0, "one session per five seconds and slot, 1,000 per day", docGateway + "rate-limiting"}
	ruleHeartbeat = rule{"gateway.heartbeat", 0, "a heartbeat per interval, and on request", docGateway + "sending-heartbeats"}
	ruleSends     = rule{"gateway.sends", 0, "at most 120 client events per minute", docGateway + "rate-limiting"}
	rulePayload   = rule{"gateway.payload", 0, "client events in a valid order", docGateway + "sending-events"}
	ruleIntents   = rule{"gateway.intents", 0, "existing, granted intents", docGateway + "privileged-intents"}
	ruleShard     = rule{"gateway.shard", 0, "an existing shard", docGateway + "sharding"}

	noteField      = rule{"note.field", 0, "an undocumented field", docReference + "http-api"}
	noteNonce      = rule{"note.nonce", 0, "posts should carry a nonce and enforce_nonce", docMessages + "create-message"}
	noteUnshown    = rule{"note.file", 0, "a V2 file without a component is invisible", docComponents + "file"}
	noteParse      = rule{"note.parse", 0, "parse is null and not an empty list", docMessages + "allowed-mentions-object"}
	noteLink       = rule{"note.link", 0, "a link whose label does not name the host of its URL", "https://support.discord.com/hc/en-us/articles/210298617"}
	noteLate       = rule{"note.late", 0, "a token was used too late", docInteract + "followup-messages"}
	noteTwice      = rule{"note.ack_twice", 0, "a redelivered interaction was answered twice", docReference + "consistency"}
	noteText       = rule{"note.text", 0, "over 4,000 characters with labels and options", docIssues + "8562"}
	noteRow        = rule{"note.modal_row", 0, "action rows in modals are deprecated; use Label", docComponents + "action-row"}
	noteResumeURL  = rule{"note.resume_url", 0, "resumed at another URL than resume_gateway_url", docGateway + "resuming"}
	noteCompressed = rule{"note.compress", 0, "compression requested; this double sends plain text", docGateway + "encoding-and-compression"}
)

// kindUpTo is ruleKind with a maximum.
func kindUpTo(most int) rule { return rule{name: ruleKind.name, max: most, doc: ruleKind.doc} }

// allRules is the complete table, in the order of COVERAGE.md.
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
