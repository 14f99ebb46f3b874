package platform

import (
	"context"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// Interaction is one action of a person. The connector has verified it: signature,
// application and workspace.
type Interaction struct {
	// ID is unique per action and the same in every delivery of it.
	ID string
	// Order grows with the time of the action by the platform's clock: the time in the
	// signed payload or, without one, a time within the validity of the signature, or an
	// earlier action's time plus the time since. Every delivery of an action has the
	// same Order or a smaller one, so that a redelivery never looks newer than later
	// actions.
	Order  int64
	Person ask.Person
	// Language is the person's locale, such as "de" or "pt-BR", if the platform sends
	// it.
	Language string
	// Groups are the person's groups as far as the platform sends them, written as in
	// [ask.Request.Responders].
	Groups []string
	// Bot is true for accounts that may never answer.
	Bot bool
	// Membership is the person's membership of the installation as far as it is known
	// without a call. "anyone" admits only an [ask.Member]. [ask.Unknown] admits no one
	// except the addressee of a direct message. A platform that can look up more returns
	// [ask.Insider] and is a [MembershipFinder].
	Membership ask.Membership
	// Token identifies the control or form.
	Token render.Token
	// Message is the card with the control; zero if the platform does not send it. For a control on a
	// private message it is the card that the private message belongs to.
	Message MessageRef
	// Private is true if the control, or the one that opened the form, is on a private message as of
	// [Note.Card]. The reply replaces that message, so no reply can draw the card.
	Private bool
	// Inbox is true if the person opened their inbox ([render.OpenInbox]), or if the control or
	// the one that opened the form is in it. Message then has only the platform and the
	// installation, and the responder is an [InboxResponder].
	Inbox bool
	// Typed is a typed message; nil for a control. Token, Picks and Texts are empty then,
	// and Message is the typed message itself.
	Typed *TypedMessage
	// Picks holds the options that were selected on the surface when the person acted,
	// by question; nil if it had no lists.
	Picks map[int][]int
	// Texts holds the texts of a submitted form, by question.
	Texts map[int]string
	// Notes holds the notes of a submitted form, by question.
	Notes map[int]string
	// Chosen is the person selected in a submitted form, with what the platform sends
	// about them; nil for none.
	Chosen *ask.Responder
	// Opened is the Order of the action that opened the submitted form; zero if unknown.
	Opened int64
}

// TypedMessage is a message that a person typed, edited or deleted. The connector has
// verified that a person of a served installation wrote it, and has removed escapes
// and a leading mention of the bot.
type TypedMessage struct {
	// To is the message that it replies to, such as a card or the first message of a
	// thread; empty for none.
	To string
	// Text is the text of the message.
	Text string
	// At is when the person wrote that text, by the platform's clock; zero if unknown.
	At time.Time
	// Addressed is true if the message mentions the bot, replies to it or is a direct
	// message.
	Addressed bool
	// Edited is true if the message had another text before. Deleted is true if the
	// message was deleted or no longer addresses the bot; the person may be unknown
	// then.
	Edited, Deleted bool
	// Withheld is true if the platform does not send the text to the bot.
	Withheld bool
}

// Responder replies to one interaction. Its first call acknowledges the
// interaction, which every platform requires within three seconds. The bridge calls
// at most one of Ack, Redraw and OpenForm, then ReplyEphemeral any number of times.
type Responder interface {
	// Ack acknowledges without a visible change, or closes the form.
	Ack(ctx context.Context) error
	// Redraw acknowledges and replaces the card. It is called only if the platform's
	// Limits have RedrawInReply.
	Redraw(ctx context.Context, c render.Card) error
	// OpenForm acknowledges by opening a form. It must be the first call.
	OpenForm(ctx context.Context, f render.Form) error
	// ReplyEphemeral shows a note to this person only, and acknowledges if nothing has
	// yet. It replaces the private message of an [Interaction.Private]. A note with Fields keeps a submitted form open and shows an error next to
	// each question, if the platform can.
	ReplyEphemeral(ctx context.Context, n Note) error
}

// Announcer is a [Responder] that can post below a message, visible to everyone in
// the channel. The post notifies no one.
type Announcer interface {
	Announce(ctx context.Context, text string) error
}

// Note is a private message to one person. The bridge composes its text, including
// any text of agents or people; the platform escapes it.
type Note struct {
	Text string
	// Card is shown instead of Text, with its buttons. A platform without private messages that have
	// buttons shows Text.
	Card *render.Card
	// Language is the language of Text and of what the platform adds to it; English if
	// empty.
	Language string
	// Who are people to name after the text, as [render.Who] does; the zero value names
	// no one.
	Who ask.Eligible
	// Fields maps question indexes of a submitted form to errors.
	Fields map[int]string
	// Hint is true if the person's message answered nothing. A platform may drop hints
	// when it has too many to send.
	Hint bool
}
