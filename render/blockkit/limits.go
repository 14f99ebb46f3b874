package blockkit

import (
	"strings"

	"github.com/askbridge/askbridge/render"
)

// The numbers of Slack's messages and modals. Slack does not say whether it
// counts code points or UTF-16 units, nor whether an escaped "&lt;" is one
// character or four: all lengths here are UTF-16 units of the string as sent,
// the strictest reading.
const (
	// MaxMessageBlocks is how many blocks a message takes.
	// https://docs.slack.dev/reference/block-kit/blocks
	MaxMessageBlocks = 50
	// MaxModalBlocks is how many blocks a modal takes.
	// https://docs.slack.dev/reference/block-kit/blocks
	MaxModalBlocks = 100
	// MaxMessage is how many characters all blocks of a message may have
	// together. It is undocumented; msg_blocks_too_long was seen at about 13,200.
	// https://github.com/slackapi/bolt-js/issues/2509
	MaxMessage = 13_000
	// MaxText is the length of one text object, a section's text included.
	// https://docs.slack.dev/reference/block-kit/composition-objects/text-object
	MaxText = 3000
	// MaxContext is how many elements a context block takes.
	// https://docs.slack.dev/reference/block-kit/blocks/context-block
	MaxContext = 10
	// MaxButton is the length of a button's text, and ButtonShown what of it
	// phones show.
	// https://docs.slack.dev/reference/block-kit/block-elements/button-element
	MaxButton   = 75
	ButtonShown = 30
	// MaxOption is the length of an option's text and of its description.
	// https://docs.slack.dev/reference/block-kit/composition-objects/option-object
	MaxOption = 75
	// MaxOptions is how many options radio buttons or checkboxes take.
	// https://docs.slack.dev/reference/block-kit/block-elements/radio-button-group-element
	MaxOptions = 10
	// MaxPlaceholder is the length of a select's placeholder.
	// https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element
	MaxPlaceholder = 150
	// MaxLabel and MaxHint are the lengths of an input block's label and hint.
	// https://docs.slack.dev/reference/block-kit/blocks/input-block
	MaxLabel = 2000
	MaxHint  = 2000
	// MaxTyped is the length of what can be typed into a text input.
	// https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element
	MaxTyped = 3000
	// MaxTitle is the length of a modal's title, submit and close texts.
	// https://docs.slack.dev/reference/views/modal-views
	MaxTitle = 24
	// MaxView is the size of a view in bytes (view_too_large).
	// https://docs.slack.dev/reference/methods/views.open
	MaxView = 250_000
	// MaxUpdateText is the length of chat.update's text (msg_too_long);
	// chat.postMessage takes 40,000.
	// https://docs.slack.dev/reference/methods/chat.update
	MaxUpdateText = 4000
)

// questions is how many questions are shown in the message itself. More make a
// phone scroll for too long before Submit comes into sight.
const questions = 5

// buttons is how many options of a question are buttons: more would fill a
// phone's screen. It is also what radio buttons and checkboxes take.
const buttons = MaxOptions

// Limits tells the layout what a Slack message may hold.
func Limits() render.Limits {
	return render.Limits{
		Platform:   "slack",
		Typing:     render.TypedInThread,
		Text:       MaxMessage,
		Part:       MaxText,
		Parts:      MaxMessageBlocks,
		Questions:  questions,
		ButtonText: ButtonShown,
		Buttons:    buttons,
		Lists:      true,
		Width:      width,

		MentionsRing: true,
		Direct:       direct,
	}
}

// direct reports whether a channel is somebody's direct messages with the app,
// whose ids alone begin with D
// (https://docs.slack.dev/apis/web-api/using-the-conversations-api).
func direct(channel string) bool { return strings.HasPrefix(channel, "D") }
