package dialect

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
	c.form = "rpc"
	if id := f["id"]; id != nil {
		c.id = token{json: js(id)}
	}
	return inner
}

// rpcResult wraps a result the way the input was wrapped.
func (c *call) rpcResult(result js) js {
	if c.form != "rpc" || c.id.empty() {
		return result
	}
	return object(at("jsonrpc", `"2.0"`), at("id", c.id.json), at("result", result))
}

// rpcRefusal says that the parameters of a request were wrong.
func (c *call) rpcRefusal(text string) Result {
	// https://www.jsonrpc.org/specification#error_object
	const invalidParams js = "-32602"
	refusal := object(at("code", invalidParams), at("message", str(text)))
	if c.form == "rpc" && !c.id.empty() {
		refusal = object(at("jsonrpc", `"2.0"`), at("id", c.id.json), at("error", refusal))
	}
	return asJSON(refusal).asError()
}
