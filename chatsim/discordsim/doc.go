// Package discordsim is a strict in-process double of Discord: one guild with one app
// installed.
//
// It answers the REST API (versions 9 and 10), delivers people's interactions to the app as
// Discord would (over the gateway, or as signed HTTP requests), and shows what each person
// sees. It shares no code with any Discord library: it parses raw JSON and has its own table of
// Discord's rules, so it can test the libraries and the apps built on them.
//
// # Quick start
//
// Start a guild in a test, point your app at it, and act as a person:
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
// All traffic stays in memory, so the test can run in a testing/synctest bubble and needs no
// sleeps. Listen also opens a TCP port, for programs in another process.
//
// # Strictness
//
// Messages and modals are checked against the tables in limits.go and rules.go, and rejected as
// Discord rejects them: error 50035 with the problems nested under each field. An interaction
// must be answered within three seconds, once, and its token works for fifteen minutes; a modal
// is possible only as the first response. Every request counts against a rate-limit bucket, and
// the response headers report what is left. Some requests have forged signatures, and an
// endpoint that accepts one is removed. A broken rule is a chatsim.Violation, and a guild
// created with Start fails its test for it unless the test called Expect. Some rules go beyond
// Discord's, such as the one against messages that can notify the whole guild. Content that
// Discord accepts but a careful app would not send is recorded in the timeline: live mentions
// as chatsim.Pinged, or as chatsim.Mentioned if they notify no one, everything else as
// chatsim.Warned.
//
// # Undocumented behavior
//
// Discord does not publish the size of its rate-limit buckets, how often an old message can be
// edited, or how long a session can be resumed; the double uses plausible numbers, see
// limits.go and Options. It counts UTF-16 units where Discord specifies characters. The
// messages in a 50035 are Discord's where reports show them, and similar otherwise. COVERAGE.md
// lists the gateway events that are sent.
package discordsim
