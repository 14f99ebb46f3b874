// Package discordsim is a strict double of Discord: one guild with one app installed in it, inside the process.
//
// It answers the REST API (versions 9 and 10), delivers what people do to the app as Discord would (over the gateway, or
// as signed HTTP requests), and shows what each person sees. It shares no code with any Discord library: it reads raw
// JSON and keeps its own table of Discord's rules, so that it can judge the libraries and the apps built on them.
//
// # Five minutes
//
// Start a guild in a test, point your app at it, and be somebody:
//
//	sim := discordsim.Start(t, nil)
//	// REST at sim.APIURL() + "/v10" with sim.Client() and the token "discord-sim-token".
//	sim.DeliverToHandler("/discord/interactions", myHandler) // or connect to the gateway through sim.Dialer()
//
//	dana := sim.Seat("300000000000000001")
//	err := dana.AwaitText(ctx, "Which database?")
//	err = dana.Press(ctx, "Postgres")
//	err = dana.AwaitText(ctx, "Postgres, decided by Dana")
//
// Everything goes through memory, so the test can run in a testing/synctest bubble and needs no sleeps. Listen opens a
// TCP port too, for programs in another process.
//
// # What is strict
//
// Messages and modals are checked against the table in limits.go and rules.go, and refused as Discord refuses them:
// error 50035 with what is wrong nested under each field. An interaction has to be answered within three seconds, once,
// and its token works for fifteen minutes; a modal is the first answer or none. Every request counts in a bucket, and
// the answer says how much is left. Signed requests come with forged ones in between, and an endpoint that accepts one
// is removed. A broken rule is a chatsim.Violation, and a guild made with Start fails its test for it unless the test
// called Expect: also where Discord says nothing, as with a message that may notify the whole guild. What Discord would
// accept and a careful app would not send is in the timeline: live mentions as chatsim.Pinged, or as chatsim.Mentioned
// where they notify nobody, the rest as chatsim.Warned.
//
// # What is not known
//
// Discord does not publish how many requests a bucket takes, how often an old message can be edited and how long a
// session can be resumed; the double takes numbers of that size, see limits.go and Options. It counts UTF-16 units where
// Discord says characters. The words under a 50035 are Discord's where they are known from reports, and of that kind
// where not. Which events are sent over the gateway stands in COVERAGE.md.
package discordsim
