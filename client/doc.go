// Package client asks people over a bridge's HTTP API, and waits for their decision.
//
//	c, err := client.New("http://127.0.0.1:8080", nil)
//	r, err := c.Ask(ctx, ask.Request{Route: "deploys", Questions: []ask.Question{ask.YesNo("Deploy 4.2?")}})
//
// The client waits in short calls and survives restarts of the bridge. It repeats a call
// whose reply was lost with the same idempotency key, so that people are asked once. Errors
// of the bridge are of type [*Problem], which matches the same errors of package ask as those
// of the library.
//
// The package also has the types of the API's bodies. It links neither the server, nor the
// bridge, nor a store.
package client
