// Package components turns cards and forms into Discord's Components V2.
//
// The layout is decided in package render; here a card becomes one container,
// with a colour that says how the request stands, and in it
//
//	Frame, Body  text displays; neighbours share one, which starts the
//	             message, so it is what a phone's notification can show
//	Row          action rows of five buttons; what is chosen is green
//	Choice       an action row with a string select; what is chosen is its
//	             default, since Discord forgets selections with each update
//	Rule         a separator
//
// and a form becomes a modal: the question as text, and a labelled text input.
//
// # What the connector can rely on
//
// Every control's custom_id is a [render.Token]. Options of a select have their
// index as value. A modal's custom_id is its form's token and something unique,
// since phones show an old modal again for an id they have seen
// (https://github.com/discord/discord-api-docs/issues/7554); [ModalToken] reads
// it. A text input's custom_id is a token too.
//
// # Escaping
//
// Markdown in other people's text is escaped with backslashes, so that it
// stands there as it was written: no mention, heading, list, link, spoiler,
// timestamp, emoji code, command or channel is live. Samples stand in fences
// that they cannot end. Labels and options are plain text to Discord and sent
// as they are. Right-to-left text beside other text is isolated. What keeps
// mentions from ringing is allowed_mentions, which is the connector's part.
package components
