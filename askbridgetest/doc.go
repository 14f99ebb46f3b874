// Package askbridgetest runs a whole askbridge inside a test: the bridge, a memory store, a strict mock Slack and the
// HTTP API, all in this process and in memory. Use it to test an agent that asks people, without a workspace, a token or
// a port.
//
//	w := askbridgetest.Start(t, nil)
//	go myAgent(w.URL, w.HTTP)                        the agent, or a library call: w.Bridge.Ask
//	dana := w.Slack.Seat("U0000001")                 a person in front of Slack
//	err := dana.AwaitText(ctx, "Which database?")
//	err = dana.Press(ctx, "Postgres")                travels as Slack's own signed request
//
// Everything waits in select statements and in-memory pipes, so the test may run in a testing/synctest bubble, where
// hours until a deadline pass at once. The test fails when the bridge breaks a rule of Slack.
//
// The mock workspace has the people U0000001 (Dana), U0000002 (Sam) and U0000003 (Kim) and the channels C0000001
// (#deploys) and C0000002 (#general); requests that name no place go to #deploys. Package slacksim tells the rest.
package askbridgetest
