package render

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Card is a plain picture of one message, laid out by [Layout]. Its texts are
// cleaned and cut, and not yet escaped: that is the platform renderer's part.
type Card struct {
	// Request is the request's id.
	Request string    `json:"request"`
	State   ask.State `json:"state"`
	// Language is that of [Subject.Language].
	Language string `json:"language,omitempty"`
	// Summary is the text for notifications and screen readers.
	Summary []Span `json:"summary"`
	// Tells are the people and groups that a new message with the card notifies; it notifies no one
	// else. On platforms where a live name notifies, an open card names no others live.
	Tells    []ask.Person `json:"tells,omitempty"`
	Sections []Section    `json:"sections"`
}

// Form is a platform-neutral dialog that asks for typed text or for every question. A form without
// inputs only shows something and has no Submit.
type Form struct {
	// Token comes back with what was filled in; its verb is [SubmitText] or
	// [AnsweredAll].
	Token    Token     `json:"token"`
	Title    string    `json:"title"`
	Submit   string    `json:"submit,omitempty"`
	Close    string    `json:"close"`
	Sections []Section `json:"sections"`
}

// Kind is the kind of a section.
type Kind string

// The kinds of sections.
const (
	// Frame is a line of the bridge's own, set apart from everything else:
	// agent text never enters one, apart from the agent's name.
	Frame Kind = "frame"
	// Body is text.
	Body Kind = "body"
	// Row is a row of buttons.
	Row Kind = "row"
	// Choice is a list to choose from: radio buttons, checkboxes or a menu.
	Choice Kind = "choice"
	// Entry is a field to type into; only forms have any.
	Entry Kind = "entry"
	// Picker is a menu of the people of the platform; only forms have any.
	Picker Kind = "picker"
	// Rule is a thin line between questions of a form. It may be left out.
	Rule Kind = "rule"
)

// Section is one part of a card or form. ID is unique in it and the same
// whenever the same request is laid out.
type Section struct {
	Kind    Kind     `json:"kind"`
	ID      string   `json:"id"`
	Text    []Span   `json:"text,omitempty"`
	Buttons []Button `json:"buttons,omitempty"`
	List    *List    `json:"list,omitempty"`
	Input   *Input   `json:"input,omitempty"`
}

// Style is the style of a span, or the kind of value it holds.
type Style string

// The styles of spans.
const (
	// Plain text may have several lines.
	Plain Style = ""
	// Bold text has one line.
	Bold Style = "bold"
	// Italic is text that its author emphasized, on one line.
	Italic Style = "italic"
	// Aside is a short remark of the bridge next to someone else's text.
	Aside Style = "aside"
	// Code is a preformatted block on its own lines.
	Code Style = "code"
	// Mono is code within a line.
	Mono Style = "mono"
	// Link is a live address, shown in full, or a text that leads to Span.URL.
	Link Style = "link"
	// Bullet begins a line that is an entry of a list: two spaces for each level of nesting, and the
	// mark, "- ", "* " or a number such as "1. ". Anywhere else it is plain text.
	Bullet Style = "bullet"
	// Quote begins a line of a quote: the mark "> ". Anywhere else it is plain text.
	Quote Style = "quote"
	// Mention renders Span.Person as the live name of a person or of a group; the platform of a group
	// is one of [Limits.Groups].
	Mention Style = "person"
	// Moment renders Span.Time in the reader's own time zone.
	Moment Style = "time"
)

// Span is a stretch of text in one style.
type Span struct {
	Style Style  `json:"style,omitempty"`
	Text  string `json:"text,omitempty"`
	// Person is the person of a Mention. In a Text it is a person named only by an ID, for platforms
	// that know a better name.
	Person ask.Person `json:"person,omitzero"`
	Time   time.Time  `json:"time,omitzero"`
	// When is how a Moment is best shown.
	When When `json:"when,omitempty"`
	// URL is where a Link leads; empty if Text is the address itself.
	URL string `json:"url,omitempty"`
	// Language is what a Code is written in, as its author calls it; it may be empty.
	Language string `json:"language,omitempty"`
}

// When is how a reader best understands a time, on platforms that have several ways to show it.
type When string

// The ways to show a time.
const (
	// Dated: with its date.
	Dated When = ""
	// Soon: the time of day is enough. It is within twelve hours of the request, whose date the platform shows above
	// the card, so the same card always shows it the same way.
	Soon When = "soon"
	// Due: a deadline, shown as the time that is left.
	Due When = "due"
)

// Button is one button of a row.
type Button struct {
	Token Token  `json:"token"`
	Label string `json:"label"`
	// Main marks the one button that most people want.
	Main bool `json:"main,omitempty"`
	// Danger marks a button that refuses a call, or whose effect is hard to undo.
	Danger bool `json:"danger,omitempty"`
	// Chosen marks an option of the shared draft.
	Chosen bool `json:"chosen,omitempty"`
	// URL is where a button leads that does nothing else.
	URL string `json:"url,omitempty"`
}

// List offers the options of one question, in their order: an item's position
// is the option's index.
type List struct {
	Token Token  `json:"token"`
	Label string `json:"label"`
	// Hint is shown next to the label in a form.
	Hint string `json:"hint,omitempty"`
	// Many allows any number of items, else one.
	Many bool `json:"many,omitempty"`
	// Required means that a form cannot be sent without a choice, because no typed text can replace
	// it.
	Required bool   `json:"required,omitempty"`
	Items    []Item `json:"items"`
}

// Item is one entry of a list. Neither text is longer than [MaxItem].
type Item struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Chosen      bool   `json:"chosen,omitempty"`
}

// Input is a field for the typed answer of one question.
type Input struct {
	Token Token  `json:"token"`
	Label string `json:"label"`
	Hint  string `json:"hint,omitempty"`
	// Empty is the placeholder of an empty field.
	Empty string `json:"empty,omitempty"`
	// Value is what was typed before.
	Value    string `json:"value,omitempty"`
	Required bool   `json:"required,omitempty"`
}

// linkSign is what the label of a link begins with, and none of the bridge's buttons: it leads elsewhere.
const linkSign = "⇗"

// IDs of sections: linksID of the row of links, and reachID of what is below the choices of a
// permission prompt.
const (
	linksID = "links"
	reachID = "reach"
)
