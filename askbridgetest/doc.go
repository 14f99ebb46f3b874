// Package askbridgetest runs a whole askbridge inside a test: the bridge, a memory store, a strict mock Slack, a strict
// mock Discord and the HTTP API, all in this process and in memory. Use it to test an agent that asks people, without a
// workspace, a token or a port.
//
//	w := askbridgetest.Start(t, nil)
//	go myAgent(w.URL, w.HTTP)                        the agent, or a library call: w.Bridge.Ask
//	dana := w.Discord.Seat("300000000000000001")     a person using Discord, or
//	dana := w.Slack.Seat("U0000001")                 using Slack
//	err := dana.AwaitText(ctx, "Which database?")
//	err = dana.Press(ctx, "Postgres")                sent as the platform's own signed request
//
// All waiting uses select statements and in-memory pipes, so the test can run in a testing/synctest bubble, where
// the hours until a deadline pass immediately. The test fails if the bridge violates a rule of a platform.
//
// Both mocks have the same people and channels. Requests without a place go to #deploys of both:
//
//	           Slack      Discord
//	Dana       U0000001   300000000000000001
//	Sam        U0000002   300000000000000002
//	Kim        U0000003   300000000000000003   (has the role 400000000000000001, @deployers)
//	#deploys   C0000001   200000000000000001
//	#general   C0000002   200000000000000002
//
// See packages slacksim and discordsim for everything else that people can do. [Play] runs a scene, a script that works
// on any platform; see chatsim.Scene.
package askbridgetest
