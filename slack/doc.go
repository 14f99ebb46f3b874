// Package slack connects the bridge to one Slack workspace.
//
// A [Connector] posts and updates cards through the Web API and receives what
// people do with them in one of two ways:
//
//	HTTP          Slack posts signed requests to POST /slack/interactions
//	Socket Mode   the connector opens a websocket; no public address is needed
//
// [Connector.Handler] takes those requests; a program serves it at its public address.
//
// # Five minutes to set up
//
//  1. Create an app at https://api.slack.com/apps and switch Interactivity on.
//  2. Grant the bot what [Scopes] lists. Only chat:write is needed by all;
//     chat:write.public lets it post in public channels without being invited.
//  3. HTTP: set the Request URL to https://<your bridge>/slack/interactions and
//     configure bot_token and signing_secret. Socket Mode: switch it on, create
//     an app-level token with connections:write and configure bot_token and
//     app_token.
//  4. For questions in direct messages allow the Messages tab under App Home.
//  5. Install the app, and invite its bot to the channels where it asks.
//
// # What it guarantees
//
// An interaction reaches the bridge only after its signature was checked over
// the raw body (HTTP) or through a connection opened with the app's own token
// (Socket Mode), and only if it belongs to our app and workspace. It is
// acknowledged inside Slack's three seconds, however slow the bridge is. It
// survives whatever else stands in the message, since only the few fields that
// matter are decoded. No call is repeated by the connector and none is made
// before the time Slack asked to wait for. Tokens, signatures and reply URLs are
// never in an error or a log line.
//
// Nothing comes before a click whose person is named: the names that people see
// and the members of user groups are looked up in the background, as soon as a
// rule names them. A member list older than a minute is never used, and a group
// that cannot be looked up lets nobody in. The same goes for how somebody belongs
// to the workspace, where the click does not say so: guests with
// [Config.Guests], people from another workspace of the organisation, and everybody
// until auth.test has succeeded.
//
// # What it does not
//
// Slack has no idempotency key for new messages, so a post whose reply was lost
// is reported as [bridge.Ambiguous]; [Connector.Find] looks for it. Slack delivers
// an interaction once; when nobody acknowledges it, the person sees a warning
// and presses again. Somebody whom no rule names is called by the user name at
// the first click and by the name others see from the second on.
package slack
