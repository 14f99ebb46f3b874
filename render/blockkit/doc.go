// Package blockkit turns cards and forms into Slack's Block Kit.
//
// The layout is decided in package render; here each section becomes a block
// or, if its text is long, a few:
//
//	Frame   context block                    small grey text of the bridge
//	Body    rich text, or plain text         cut into 3,000 characters at line ends
//	Row     actions block with buttons
//	Choice  radio buttons or checkboxes, in an actions block (input block in a modal)
//	Picker  input block with a menu of people, modals only
//	Entry   input block with a text input, modals only
//	Rule    divider, dropped first when a modal has too many blocks
//
// Only section, context, actions, input, divider and rich text are used: blocks
// which every phone shows, since people's own messages are rich text.
//
// # What the connector can rely on
//
// Every control's action_id is a [render.Token]. Options have their index as
// value. In a modal private_metadata is the form's token, callback_id is
// [CallbackID], and question q's first input has the block_id "q0", "q1" and so on.
// Block ids are the same each time a request is laid out.
//
// # Escaping
//
// What an agent or a person wrote stands in rich text and plain text, where Slack
// formats, links and mentions nothing and draws no emoji: it is shown, and can be
// copied, byte for byte as it was cleaned. Only the bridge's own lines are mrkdwn,
// and the text for notifications, where look-alikes stand for what would format.
// The only live things are those the bridge makes: single people who were asked or
// who acted, and times. User groups are named and never rung.
// Right-to-left text beside other text is isolated.
package blockkit
