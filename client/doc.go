// Package client asks people over a bridge's HTTP API, and waits for what they decide.
//
//	c, err := client.New("http://127.0.0.1:8080", nil)
//	r, err := c.Ask(ctx, ask.Request{Route: "deploys", Questions: []ask.Question{ask.YesNo("Deploy 4.2?")}})
//
// Waiting is done in short calls and lasts through restarts of the bridge, and a call whose
// reply was lost is repeated under the same key, so that people are asked once. What the
// bridge refuses is a [*Problem], which matches the errors of package ask that the library
// would have returned.
//
// The types of the API's bodies stand here too: whoever imports the package links neither
// the server, nor the bridge, nor a store.
package client
