package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// object reads an object. If it is none, the input counts as unread.
func (c *call) object(path string, data json.RawMessage) (js.Fields, bool) {
	f, ok := c.Fields(path, data)
	c.Unread = c.Unread || !ok
	return f, ok
}

// enveloped reads an input that may be the params of a JSON-RPC request.
func (c *call) enveloped(data json.RawMessage) (js.Fields, bool) {
	f, ok := c.object("", data)
	if !ok {
		return nil, false
	}
	return c.rpc(f), true
}

// readOne reads a tool input that is a single question, alone or in a JSON-RPC request.
func (c *call) readOne(data json.RawMessage, shape question.Shape) {
	f, ok := c.enveloped(data)
	if !ok {
		return
	}
	c.Sent = 1
	c.IDs(f, "sessionId", "toolCallId")
	f.Take("requestId")
	c.ReadQuestion("", f, shape)
	c.Rest("", f)
}

// rpc returns the params of a JSON-RPC request and remembers its ID for the response. It returns f if f is no such request.
func (c *call) rpc(f js.Fields) js.Fields {
	params, ok := f["params"]
	if _, method := f["method"]; !ok || !method {
		return f
	}
	inner, ok := c.Fields("params", params)
	if !ok {
		return f
	}
	if id := f["id"]; id != nil {
		c.rpcID = js.Token{JSON: js.Text(id)}
	}
	return inner
}

// rpcResult wraps a result as a JSON-RPC response if the input was a JSON-RPC request.
func (c *call) rpcResult(result js.Text) js.Text {
	if c.rpcID.Empty() {
		return result
	}
	return js.Object(js.At("jsonrpc", `"2.0"`), js.At("id", c.rpcID.JSON), js.At("result", result))
}

// Error codes of https://www.jsonrpc.org/specification#error_object.
const (
	rpcInvalidParams js.Text = "-32602"
	rpcServerError   js.Text = "-32000"
)

// rpcError is a JSON-RPC error, as a response if the input was a JSON-RPC request.
func (c *call) rpcError(e Ending, text string) Result {
	code := rpcServerError
	if e == Refused {
		code = rpcInvalidParams
	}
	failure := js.Object(js.At("code", code), js.At("message", js.String(text)))
	if !c.rpcID.Empty() {
		failure = js.Object(js.At("jsonrpc", `"2.0"`), js.At("id", c.rpcID.JSON), js.At("error", failure))
	}
	return asJSON(failure).asError()
}
