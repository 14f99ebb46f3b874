// Package slacksim is a strict in-process double of Slack: one workspace with one app installed,
// or one app and the many workspaces and organizations that install it.
//
// It answers the Web API, delivers people's interactions to the app as Slack would (signed HTTP
// or Socket Mode), and shows what each person sees. It shares no code with any Slack library:
// it parses raw JSON and has its own table of Slack's rules, so it can test the libraries and
// the apps built on them.
//
// # Quick start
//
// Start a workspace in a test, point your app at it, and act as a person:
//
//	sim := slacksim.Start(t, nil)
//	app := slackapi.New("xoxb-sim", slackapi.OptionAPIURL(sim.APIURL()), slackapi.OptionHTTPClient(sim.Client()))
//	sim.DeliverToHandler("/slack/interactions", myHandler) // or connect with Socket Mode through sim.Dialer()
//
//	dana := sim.Seat("U0000001")
//	err := dana.AwaitText(ctx, "Which database?")
//	err = dana.Press(ctx, "Postgres")
//	err = dana.AwaitText(ctx, "Postgres, decided by Dana")
//
// All traffic stays in memory, so the test can run in a testing/synctest bubble and needs no
// sleeps. Listen also opens a TCP port, for programs in another process.
//
// # Many workspaces
//
// An [App] has one API address, one set of credentials and one Socket Mode app token for all of
// its workspaces. People install it on the page at /oauth/v2/authorize, which a browser can click
// through; a test can also skip the page:
//
//	app := slacksim.StartApp(t, nil)
//	acme, globex := app.AddWorkspace(slacksim.Workspace{}), app.AddWorkspace(slacksim.Workspace{})
//	code := acme.Authorize("U0000001", "https://app.example/back", "chat:write") // for oauth.v2.access
//	acme.Uninstall()
//
// A call acts in the workspace of its token. The ids of people and channels are the same in every
// workspace by default, so an app that mixes up workspaces fails its tests. AddOrganization,
// AuthorizeOrganization and GrantAccess do the same for Enterprise Grid. An idle workspace costs
// a few kilobytes and no goroutine.
//
// # Strictness
//
// Blocks and views are checked against the tables in limits.go and rules.go, and rejected with
// Slack's own error codes and JSON pointers. An interaction must be acknowledged within three
// seconds; a trigger_id works once and for three seconds; a response_url works five times and
// for thirty minutes. A broken rule is a chatsim.Violation, and a workspace created with Start
// fails its test for it unless the test called Expect. Content that Slack accepts but a careful
// app would not send is recorded in the timeline: live mentions as chatsim.Pinged, or as
// chatsim.Mentioned if they notify no one, everything else as chatsim.Warned.
//
// # Undocumented behavior
//
// Slack does not document whether it counts code points or UTF-16 units; the double counts
// UTF-16 units. It does not document the maximum size of metadata, or what happens to
// selections in a message that is updated; the double limits metadata to 16 kB, and keeps
// selections whose block_id, action_id and option still exist.
package slacksim
