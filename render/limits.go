package render

// Limits is what one platform allows and how it behaves, as far as the layout
// of a card depends on it. Every number is set beside its source in the
// platform's own renderer.
type Limits struct {
	// Platform is the platform's name, as in "slack".
	Platform string
	// Text is how much text one message may carry in all, in characters as
	// sent.
	Text int
	// Parts is how many blocks or components one message may carry.
	Parts int
	// Questions is how many questions are laid out in the message itself; a
	// longer set gets an Answer button and one form.
	Questions int
	// ButtonText is where a button's text is cut so that phones show it whole,
	// in characters.
	ButtonText int
	// Lists tells that the platform has radio buttons and checkboxes in
	// messages. Without them every option is a button.
	Lists bool
	// SharedDraft tells that everybody sees what is chosen so far, since the
	// message itself is repainted. Where it is false each person's choices stay
	// in their own client until they submit.
	SharedDraft bool
	// RedrawInReply tells that an interaction can be answered with the new
	// card, so that no further call is needed.
	RedrawInReply bool
}
