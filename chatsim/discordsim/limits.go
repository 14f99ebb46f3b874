package discordsim

import (
	"time"
)

// rule is one entry of the table of Discord's rules.
type rule struct {
	name string // stable identifier for tests and findings
	max  int    // the limit; 0 for a rule without a number
	text string
	doc  string // Discord's page, or a report where Discord documents nothing
}

const (
	docComponents = "https://docs.discord.com/developers/components/reference#"
	docMessages   = "https://docs.discord.com/developers/resources/message#"
	docInteract   = "https://docs.discord.com/developers/interactions/receiving-and-responding#"
	docOverview   = "https://docs.discord.com/developers/interactions/overview#"
	docGateway    = "https://docs.discord.com/developers/events/gateway#"
	docCommands   = "https://docs.discord.com/developers/interactions/application-commands#"
	docEvents     = "https://docs.discord.com/developers/events/gateway-events#"
	docLimits     = "https://docs.discord.com/developers/topics/rate-limits#"
	docPoll       = "https://docs.discord.com/developers/resources/poll#"
	docReference  = "https://docs.discord.com/developers/reference#"
	docIssues     = "https://github.com/discord/discord-api-docs/issues/"
	docUser       = "https://docs.discord.com/developers/resources/user#"
	docChannel    = "https://docs.discord.com/developers/resources/channel#"
	docGuild      = "https://docs.discord.com/developers/resources/guild#"
	docApp        = "https://docs.discord.com/developers/resources/application#"
)

// The limits of messages.
var (
	maxContent         = rule{"content", 2000, "characters in the content of a message", docMessages + "create-message"}
	maxNonce           = rule{"nonce", 25, "characters in a nonce", docMessages + "create-message"}
	maxEmbeds          = rule{"embeds", 10, "embeds of a message", docMessages + "embed-object-embed-limits"}
	maxEmbedTitle      = rule{"embed.title", 256, "characters in the title of an embed", docMessages + "embed-object-embed-limits"}
	maxEmbedDesc       = rule{"embed.description", 4096, "characters in the description of an embed", docMessages + "embed-object-embed-limits"}
	maxEmbedFields     = rule{"embed.fields", 25, "fields of an embed", docMessages + "embed-object-embed-limits"}
	maxEmbedFieldName  = rule{"embed.field.name", 256, "characters in the name of a field of an embed", docMessages + "embed-object-embed-limits"}
	maxEmbedFieldValue = rule{"embed.field.value", 1024, "characters in the value of a field of an embed", docMessages + "embed-object-embed-limits"}
	maxEmbedFooter     = rule{"embed.footer", 2048, "characters in the footer of an embed", docMessages + "embed-object-embed-limits"}
	maxEmbedAuthor     = rule{"embed.author", 256, "characters in the name of the author of an embed", docMessages + "embed-object-embed-limits"}
	maxEmbedText       = rule{"embeds.text", 6000, "characters in all embeds of a message", docMessages + "embed-object-embed-limits"}
	maxMentionIDs      = rule{"allowed_mentions.ids", 100, "users or roles that may be mentioned", docMessages + "allowed-mentions-object"}
	maxRows            = rule{"message.rows", 5, "action rows in a message without the V2 flag", docComponents + "legacy-message-component-behavior"}
	maxComponents      = rule{"message.components", 40, "components in a message, nested ones counted", docComponents + "component-reference"}
	maxDisplayText     = rule{"message.text", 4000, "characters in all text displays of a message", docIssues + "8562"}
	maxDisplayBytes    = rule{"message.bytes", 10170, "bytes in all text displays of a message, with 12 for each", docIssues + "8554"}
	maxThreadName      = rule{"thread.name", 100, "characters in the name of a thread", docChannel + "start-thread-from-message"}
	maxTags            = rule{"thread.tags", 5, "tags of a post in a forum", docChannel + "start-thread-in-forum-or-media-channel"}
	maxPollQuestion    = rule{"poll.question", 300, "characters in the question of a poll", docPoll + "poll-media-object"}
	maxPollAnswer      = rule{"poll.answer", 55, "characters in an answer of a poll", docPoll + "poll-media-object"}
	maxPollAnswers     = rule{"poll.answers", 10, "answers of a poll", docPoll + "poll-create-request-object"}
	maxPollHours       = rule{"poll.duration", 768, "hours that a poll stays open", docPoll + "poll-create-request-object"}
	maxBulk            = rule{"messages.bulk", 100, "messages that are deleted at once, and at least 2", docMessages + "bulk-delete-messages"}
	maxFiles           = rule{"message.files", 10, "files of a message", "https://docs.discord.com/developers/topics/opcodes-and-status-codes#json"}
	maxFileBytes       = rule{"file.bytes", 10 << 20, "bytes in a file, where the server has no boosts", docReference + "uploading-files"}
	maxListedMessages  = rule{"messages.limit", 100, "messages in one page", docMessages + "get-channel-messages"}
)

// The limits of commands.
var (
	maxCommands       = rule{"command.count", 100, "chat commands of an app in one scope, and 15 of each other type", docCommands + "registering-a-command"}
	maxCommandName    = rule{"command.name.length", 32, "characters in the name of a command or an option", docCommands + "application-command-object"}
	maxCommandDesc    = rule{"command.description", 100, "characters in the description of a command or an option", docCommands + "application-command-object"}
	maxChoiceName     = rule{"command.choice.name", 100, "characters in the name of a choice", docCommands + "application-command-object-application-command-option-choice-structure"}
	maxCommandOptions = rule{"command.options", 25, "options of a command, and choices of an option", docCommands + "application-command-object"}
)

// The limits of components.
var (
	maxButtons         = rule{"row.buttons", 5, "buttons in an action row", docComponents + "action-row"}
	maxCustomID        = rule{"custom_id", 100, "characters in a custom_id", docComponents + "anatomy-of-a-component"}
	maxButtonLabel     = rule{"button.label", 80, "characters in the label of a button", docComponents + "button"}
	maxButtonURL       = rule{"button.url", 512, "characters in the link of a button", docComponents + "button"}
	maxPlaceholder     = rule{"select.placeholder", 150, "characters in the placeholder of a select", docComponents + "string-select"}
	maxSelectOptions   = rule{"select.options", 25, "options of a select", docComponents + "string-select"}
	maxDefaultValues   = rule{"select.default_values", 25, "default values of a select", docComponents + "user-select"}
	maxSelectValues    = rule{"select.values", 25, "for min_values and max_values, and no more than there are options", docComponents + "string-select"}
	maxOptionLabel     = rule{"option.label", 100, "characters in the label of an option", docComponents + "string-select-select-option-structure"}
	maxOptionValue     = rule{"option.value", 100, "characters in the value of an option", docComponents + "string-select-select-option-structure"}
	maxOptionDesc      = rule{"option.description", 100, "characters in the description of an option", docComponents + "string-select-select-option-structure"}
	maxSectionTexts    = rule{"section.components", 3, "text displays in a section", docComponents + "section"}
	maxTextDisplay     = rule{"text_display.content", 4000, "characters in a text display", docComponents + "text-display"}
	maxMediaDesc       = rule{"media.description", 1024, "characters in the description of a picture or file", docComponents + "thumbnail"}
	maxMediaURL        = rule{"media.url", 2048, "characters in the address of a picture", docComponents + "unfurled-media-item"}
	maxGallery         = rule{"media_gallery.items", 10, "pictures of a gallery", docComponents + "media-gallery"}
	maxAccent          = rule{"container.accent_color", 0xFFFFFF, "for the colour of a container", docComponents + "container"}
	maxModalTitle      = rule{"modal.title", 45, "characters in the title of a modal", docInteract + "interaction-response-object-modal"}
	maxModalParts      = rule{"modal.components", 5, "components of a modal", docInteract + "interaction-response-object-modal"}
	maxLabel           = rule{"label.label", 45, "characters in the label of a field", docComponents + "label"}
	maxLabelDesc       = rule{"label.description", 100, "characters in the description of a field", docComponents + "label"}
	maxInputLength     = rule{"text_input.length", 4000, "for min_length and max_length", docComponents + "text-input"}
	maxInputValue      = rule{"text_input.value", 4000, "characters in the value of a text input", docComponents + "text-input"}
	maxInputHint       = rule{"text_input.placeholder", 100, "characters in the placeholder of a text input", docComponents + "text-input"}
	maxRadioOptions    = rule{"radio_group.options", 10, "options of a radio group, and at least 2", docComponents + "radio-group"}
	maxCheckboxOptions = rule{"checkbox_group.options", 10, "options of a checkbox group", docComponents + "checkbox-group"}
	maxUploads         = rule{"file_upload.values", 10, "for min_values and max_values of a file upload", docComponents + "file-upload"}
	maxFileTypes       = rule{"file_upload.file_types", 10, "types of files that an upload takes", docReference + "file-type-filtering"}
	maxCheckboxValues  = rule{"checkbox_group.values", 10, "for min_values and max_values of a checkbox group", docComponents + "checkbox-group"}
)

// The timeouts of interactions.
const (
	// patience is the deadline of the first response.
	// https://docs.discord.com/developers/interactions/receiving-and-responding#responding-to-an-interaction
	patience = 3 * time.Second
	// tokenLife is the lifetime of an interaction token.
	// https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages
	tokenLife = 15 * time.Minute
	// nonceLife is how long a nonce is remembered; Discord documents "the past few minutes".
	// https://docs.discord.com/developers/resources/message#create-message
	nonceLife = 5 * time.Minute
	// oldAge is the age from which edits of a message are limited, error 30046.
	// https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
	oldAge = time.Hour
	// oldWindow is the reported period of that limit.
	// https://github.com/discord-userdoccers/discord-userdoccers/blob/master/pages/resources/message.mdx
	oldWindow = 6 * time.Second
)

// The rate limits.
const (
	// globalPerSecond is the global rate limit of a bot.
	// https://docs.discord.com/developers/topics/rate-limits#global-rate-limit
	globalPerSecond = 50
	// invalidWindow is the period over which responses 401, 403 and 429 are counted. Discord
	// blocks an IP address after 10,000 of them; the double warns much earlier, so that a
	// looping program is noticed.
	// https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
	invalidWindow = 10 * time.Minute
	invalidAlarm  = 100
	// dmWindow is the period in which at most newDMs direct messages may be opened for the
	// first time. Discord publishes no numbers, and disables direct messages of bots that open
	// too many. https://docs.discord.com/developers/resources/user#create-dm
	dmWindow = time.Minute
	newDMs   = 30
	// burstsForgiven is the number of warnings before a bot can open no more direct messages
	// until its owner appeals. https://github.com/discord/discord-api-docs/issues/2669
	burstsForgiven = 3
	// newCommands is the number of new commands per day and scope.
	// https://docs.discord.com/developers/interactions/application-commands#registering-a-command
	newCommands = 200
	// userFollowUps is the number of follow-ups of a user-installed app.
	// https://docs.discord.com/developers/interactions/receiving-and-responding#create-followup-message
	userFollowUps = 5
)

// The limits of the gateway.
const (
	// heartbeatEvery is the heartbeat interval in HELLO.
	// https://docs.discord.com/developers/events/gateway#hello-event
	heartbeatEvery = 41250 * time.Millisecond
	// beatWhenAsked is the deadline for a requested heartbeat, which must be sent immediately:
	// https://docs.discord.com/developers/events/gateway#heartbeat-requests
	beatWhenAsked = 5 * time.Second
	// identifyWindow is the period in which each concurrency slot accepts one session.
	// https://docs.discord.com/developers/events/gateway#rate-limiting
	identifyWindow = 5 * time.Second
	// startsPerDay is the number of sessions a bot may start per day.
	// https://docs.discord.com/developers/events/gateway#session-start-limit-object
	startsPerDay = 1000
	// sendsPerMinute is the number of events a client may send per minute.
	// https://docs.discord.com/developers/events/gateway#rate-limiting
	sendsPerMinute = 120
	// resumeTime is how long a disconnected session can be resumed. Discord does not publish
	// its number.
	resumeTime = 3 * time.Minute
)
