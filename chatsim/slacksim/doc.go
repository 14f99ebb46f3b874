// Package slacksim is a strict double of Slack: one workspace with one app installed in it, inside the process.
//
// It answers the Web API, delivers what people do to the app as Slack would (signed HTTP or Socket Mode), and shows
// what each person sees. It shares no code with any Slack library: it reads raw JSON and keeps its own table of Slack's
// rules, so that it can judge the libraries and the apps built on them.
//
// # Five minutes
//
// Start a workspace in a test, point your app at it, and be somebody:
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
// Everything goes through memory, so the test can run in a testing/synctest bubble and needs no sleeps. Listen opens a
// TCP port too, for programs in another process.
//
// # What is strict
//
// Blocks and views are checked against the table in limits.go and rules.go, and refused with Slack's own error words and
// JSON pointers. An interaction has to be acknowledged within three seconds; a trigger_id works once and for three
// seconds; a response_url five times and for thirty minutes. A broken rule is a chatsim.Violation, and a workspace made
// with Start fails its test for it unless the test called Expect. What Slack would accept and a careful app would not
// send is in the timeline: live mentions as chatsim.Pinged, or as chatsim.Mentioned where they notify nobody, the rest as
// chatsim.Warned.
//
// # What is not known
//
// Slack does not document whether it counts code points or UTF-16 units; the double counts UTF-16 units. It does not
// document how large metadata may be, nor what becomes of choices in a message that is updated; the double draws a line
// at 16 kB, and keeps the choices whose block_id, action_id and option are still there.
package slacksim
