package blockkit

import (
	"strings"

	"github.com/askbridge/askbridge/render"
)

// The limits of Slack's messages and modals. Slack does not document whether it counts code points or UTF-16
// units, nor whether an escaped "&lt;" is one character or four. All lengths are UTF-16 units of the
// string as sent, the strictest interpretation.
const (
	// MaxMessageBlocks is the maximum number of blocks of a message.
	// https://docs.slack.dev/reference/block-kit/blocks
	MaxMessageBlocks = 50
	// MaxModalBlocks is the maximum number of blocks of a modal.
	// https://docs.slack.dev/reference/block-kit/blocks
	MaxModalBlocks = 100
	// MaxMessage is the maximum number of characters of all blocks of a message. It is undocumented;
	// msg_blocks_too_long was seen at about 13,200.
	// https://github.com/slackapi/bolt-js/issues/2509
	MaxMessage = 13_000
	// MaxText is the length of one text object, a section's text included.
	// https://docs.slack.dev/reference/block-kit/composition-objects/text-object
	MaxText = 3000
	// MaxContext is the maximum number of elements of a context block.
	// https://docs.slack.dev/reference/block-kit/blocks/context-block
	MaxContext = 10
	// MaxButton is the maximum length of a button's text, and ButtonShown the length that phones show.
	// https://docs.slack.dev/reference/block-kit/block-elements/button-element
	MaxButton   = 75
	ButtonShown = 30
	// MaxOption is the length of an option's text and of its description.
	// https://docs.slack.dev/reference/block-kit/composition-objects/option-object
	MaxOption = 75
	// MaxOptions is the maximum number of radio buttons or checkboxes.
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
	// MaxUpdateText is the maximum length of chat.update's text (msg_too_long); that of
	// chat.postMessage is 40,000.
	// https://docs.slack.dev/reference/methods/chat.update
	MaxUpdateText = 4000
)

// questions is the maximum number of questions shown in the message itself. With more, people on phones
// scroll too far to Submit.
const questions = 5

// buttons is the maximum number of options shown as buttons: more would fill a phone's screen.
const buttons = MaxOptions

// Limits returns the limits of a Slack message for the layout.
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

// direct reports whether a channel is a direct message with the app; only their IDs begin with D
// (https://docs.slack.dev/apis/web-api/using-the-conversations-api).
func direct(channel string) bool { return strings.HasPrefix(channel, "D") }
