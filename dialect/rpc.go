package dialect

import "encoding/json"

// enveloped reads an input that may have a JSON-RPC request around it. It reports
// whether there is anything to read.
func (c *call) enveloped(data json.RawMessage) (fields, bool) {
	f, ok := c.fields("", data)
	if !ok {
		c.unread = true
		return nil, false
	}
	return c.rpc(f), true
}

// rpc opens a JSON-RPC request around the input and remembers its id, so that
// the result goes back as a JSON-RPC response. Without one it returns f.
func (c *call) rpc(f fields) fields {
	params, ok := f["params"]
	if _, method := f["method"]; !ok || !method {
		return f
	}
	inner, ok := c.fields("params", params)
	if !ok {
		return f
	}
	if id := f["id"]; id != nil {
		c.rpcID = token{json: js(id)}
	}
	return inner
}

// rpcResult wraps a result the way the input was wrapped.
func (c *call) rpcResult(result js) js {
	if c.rpcID.empty() {
		return result
	}
	return object(at("jsonrpc", `"2.0"`), at("id", c.rpcID.json), at("result", result))
}

// The codes of https://www.jsonrpc.org/specification#error_object: the input
// was wrong, and any failure of ours.
const (
	rpcInvalidParams js = "-32602"
	rpcServerError   js = "-32000"
)

// rpcError says in the host's envelope that there is no answer.
func (c *call) rpcError(e Ending, text string) Result {
	code := rpcServerError
	if e == Refused {
		code = rpcInvalidParams
	}
	failure := object(at("code", code), at("message", str(text)))
	if !c.rpcID.empty() {
		failure = object(at("jsonrpc", `"2.0"`), at("id", c.rpcID.json), at("error", failure))
	}
	return asJSON(failure).asError()
}
