// Package components turns cards and forms into Discord's Components V2.
//
// Package render decides the layout. A card becomes one container whose color shows the state of the
// request, with
//
//	Frame, Body  text displays; neighbours share one, which starts the
//	             message, so it is what a phone's notification can show
//	Row          action rows of five buttons; what is chosen is green
//	Choice       an action row with a string select; what is chosen is its
//	             default, since Discord forgets selections with each update
//	Rule         a separator
//
// and a form becomes a modal: the question as text, and labelled inputs.
//
// # Guarantees for the connector
//
// The custom_id of every control is a [render.Token]. The value of an option is its index. A modal's
// custom_id is its form's token and a unique suffix, since phones show an old modal again for a known ID
// (https://github.com/discord/discord-api-docs/issues/7554); [ModalToken] reads
// it. A text input's custom_id is a token too.
//
// # Escaping
//
// Markdown in texts of agents and people is escaped with backslashes, so that it is shown as written:
// mentions, headings, lists, links, spoilers, timestamps, emoji codes, commands and channels have no
// effect. Code samples are in fences that they cannot end. Labels and options are plain text on Discord.
// Right-to-left text next to other text is isolated. The connector suppresses notifications with
// allowed_mentions.
package components
