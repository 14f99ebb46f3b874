// Package blockkit turns cards and forms into Slack's Block Kit.
//
// The layout is decided in package render; here each section becomes a block
// or, if its text is long, a few:
//
//	Frame   context block, mrkdwn            small grey text of the bridge
//	Body    section blocks, mrkdwn           cut into 3,000 characters at line ends
//	Row     actions block with buttons
//	Choice  radio buttons or checkboxes, in an actions block (input block in a modal)
//	Entry   input block with a text input, modals only
//	Rule    divider, dropped first when a modal has too many blocks
//
// Only section, context, actions, input and divider are used: the oldest
// blocks, which every phone shows.
//
// # What the connector can rely on
//
// Every control's action_id is a [render.Token]. Options have their index as
// value. In a modal private_metadata is the form's token, callback_id is
// [CallbackID], and question q's first input has the block_id [FieldBlock](q).
// Block ids are the same each time a request is laid out.
//
// # Escaping
//
// In mrkdwn & < > are escaped once, and characters that would format give way
// to look-alikes; plain_text is sent as it is. So the only live tokens are
// those the bridge makes: <@U…> and <!subteam^S…> for who may answer and who
// did, and <!date^…>.
// Samples stand in preformatted blocks that they cannot end. Right-to-left
// text beside other text is isolated.
package blockkit
