package render

// Limits is what one platform allows and how it behaves, as far as the layout of a card depends on it.
// Every number is set next to its source in the platform's own renderer.
type Limits struct {
	// Platform is the platform's name, as in "slack".
	Platform string
	// Text is how much text one message may carry in all, in characters as
	// sent.
	Text int
	// Part is how much text one block or component may carry, in characters as
	// sent.
	Part int
	// Parts is how many blocks or components one message may carry.
	Parts int
	// Questions is how many questions are laid out in the message itself; a
	// longer set gets an Answer button and one form.
	Questions int
	// ButtonText is where a button's text is cut so that phones show it whole,
	// in characters.
	ButtonText int
	// Buttons is how many options of one question are offered as buttons; more
	// are a menu. Zero means that all are.
	Buttons int
	// Lists means that the platform has radio buttons and checkboxes in messages. Without them every
	// option is a button.
	Lists bool
	// Menus is from how many questions on each is offered as a menu in place of
	// a button per option; zero for never. It matters where Lists is false.
	Menus int
	// Pages means that no form holds all questions at once. A card that does not fit shows some of the
	// questions and buttons that turn to the others, and what still does not fit is truncated, with a
	// button to read it.
	Pages bool
	// FormFields is how many fields one form takes, where several questions are answered
	// in forms: a page holds as many questions as one form, and a button that opens
	// it. Zero where they are answered on the message.
	FormFields int
	// Groups lists what may stand before the id of a group of people that this
	// platform can name live without ringing them, such as "discord-role".
	Groups []string
	// ChannelGroups means that the platform reports the members of Groups in channels only, not in
	// direct messages.
	ChannelGroups bool
	// MentionsRing means that a live name in a new message notifies that person. If it is false, the
	// message lists its recipients, see [Card.Tells].
	MentionsRing bool
	// Direct reports whether a channel's ID is a conversation with one person; nil if IDs do not show
	// that.
	Direct func(channel string) bool
	// SharedDraft means that everyone sees the current choices, because the message itself is updated.
	// If it is false, each person's choices stay in their own client until they submit.
	SharedDraft bool
	// RedrawInReply means that an interaction can be answered with the new card, so that no further
	// call is needed.
	RedrawInReply bool
	// Typing is how people write a message that answers a card: [TypedInThread], [TypedAsReply], or
	// words such as "write below the card".
	Typing string
	// Width is the number of characters that a text takes when it is sent, escapes included. It must
	// be additive: the width of a text is the sum of the widths of its grapheme clusters. Nil counts
	// UTF-16 code units.
	Width func(text string) int
	// Fits reports whether one message can hold the card. Nil estimates it from the numbers above.
	Fits func(c Card) bool
}

// MaxItem is the longest label or description of a list entry that every
// platform shows whole: 75 characters on Slack
// (https://docs.slack.dev/reference/block-kit/composition-objects/option-object),
// 100 on Discord (https://docs.discord.com/developers/components/reference).
const MaxItem = 75

// MaxTyped is the longest text that a form's input takes: 3,000 characters on
// Slack
// (https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element),
// 4,000 on Discord (https://docs.discord.com/developers/components/reference).
const MaxTyped = 3000

// What a part or control of a message costs in addition to its text: ids, names and
// braces. Platforms that limit a message as a whole seem to count them
// (https://github.com/slackapi/bolt-js/issues/2509: an empty divider took 125
// characters off what fits).
const (
	partCost    = 120
	controlCost = 120
	spanCost    = 60
)

func (l Limits) width(text string) int {
	if l.Width != nil {
		return l.Width(text)
	}
	return Units(text)
}

func (l Limits) buttonText() int {
	if l.ButtonText > 0 {
		return l.ButtonText
	}
	return MaxItem
}

// fits reports whether the card stays within the limits, judged on the safe
// side.
func (l Limits) fits(c Card) bool {
	if l.Fits != nil {
		return l.Fits(c)
	}
	text, parts := 0, 0
	for _, sec := range c.Sections {
		size := 0
		for _, span := range sec.Text {
			size += l.width(span.Text)
			if span.Style != Plain {
				size += spanCost
			}
		}
		for _, b := range sec.Buttons {
			size += l.width(b.Label) + controlCost
		}
		if sec.List != nil {
			for _, item := range sec.List.Items {
				size += l.width(item.Label) + l.width(item.Description) + controlCost
			}
		}
		text += size + partCost
		parts++
		if l.Part > 0 {
			parts += size / (l.Part * fillPercent / 100)
		}
	}
	return (l.Text == 0 || text <= l.Text) && (l.Parts == 0 || parts <= l.Parts)
}

// fillPercent is how full a renderer must fill a part before it may start the
// next one at a line's end.
const fillPercent = 75
