package dialect

import "encoding/json"

// readOne reads a tool input that is a single question, alone or in a JSON-RPC
// request. It returns what is left of the input.
func (c *call) readOne(data json.RawMessage, s shape, known ...string) {
	f, ok := c.fields("", data)
	if !ok {
		c.unread = true
		return
	}
	f = c.rpc(f)
	c.sent = 1
	c.ids(f, "sessionId", "toolCallId")
	f.take("requestId")
	c.question("", f, s)
	for _, name := range known {
		f.take(name)
	}
	c.rest("", f)
}
