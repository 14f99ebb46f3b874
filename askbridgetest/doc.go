// Package askbridgetest runs a whole askbridge inside a test: the bridge, a memory store, a strict mock Slack, a strict
// mock Discord and the HTTP API, all in this process and in memory. Use it to test an agent that asks people, without a
// workspace, a token or a port.
//
//	w := askbridgetest.Start(t, nil)
//	go myAgent(w.URL, w.HTTP)                        the agent, or a library call: w.Bridge.Ask
//	dana := w.Discord.Seat("300000000000000001")     a person in front of Discord, or
//	dana := w.Slack.Seat("U0000001")                 in front of Slack
//	err := dana.AwaitText(ctx, "Which database?")
//	err = dana.Press(ctx, "Postgres")                travels as the platform's own signed request
//
// Everything waits in select statements and in-memory pipes, so the test may run in a testing/synctest bubble, where
// hours until a deadline pass at once. The test fails when the bridge breaks a rule of a platform.
//
// Both mocks have the same people and channels, and requests that name no place go to #deploys of both:
//
//	           Slack      Discord
//	Dana       U0000001   300000000000000001
//	Sam        U0000002   300000000000000002
//	Kim        U0000003   300000000000000003   (has the role 400000000000000001, @deployers)
//	#deploys   C0000001   200000000000000001
//	#general   C0000002   200000000000000002
//
// Packages slacksim and discordsim tell the rest. What people do can also be written as a scene, which plays on any
// platform: see chatsim.Scene.
package askbridgetest
