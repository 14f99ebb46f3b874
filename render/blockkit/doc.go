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
// These are the only block types used. Every phone shows them, since people's own messages are rich text.
//
// # Guarantees for the connector
//
// The action_id of every control is a [render.Token]. The value of an option is its index. In a modal
// private_metadata is the form's token, callback_id is [CallbackID], and the first inputs of questions
// have the block_id "q0", "q1" and so on. Block IDs are the same each time a request is laid out.
//
// # Escaping
//
// Texts of agents and people are rich text or plain text, where Slack formats, links and mentions nothing
// and shows no emoji: after sanitizing they are shown, and can be copied, byte for byte. Only the
// bridge's own lines are mrkdwn, and the text for notifications, which uses look-alikes for formatting
// characters. Only the bridge creates mentions, of people who are asked or who acted, and times.
// Right-to-left text next to other text is isolated.
package blockkit
