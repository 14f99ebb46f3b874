// Package slack connects the bridge to one Slack workspace.
//
// A [Connector] posts and repaints cards through the Web API and receives what
// people do with them in one of two ways:
//
//	HTTP          Slack posts signed requests to POST /slack/interactions, see [Connector.Handler]
//	Socket Mode   the connector opens a websocket; no public address is needed
//
// # Five minutes to set up
//
//  1. Create an app at https://api.slack.com/apps and switch Interactivity on.
//  2. Bot token scopes: chat:write to post, im:write to ask people directly.
//     Optional: chat:write.public to post in public channels without being
//     invited; channels:history, groups:history, im:history and
//     metadata.message:read so that a card whose reply was lost is found again
//     instead of being posted twice.
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
// # What it does not
//
// Slack has no idempotency key for new messages, so a post whose reply was lost
// is reported as [bridge.Unclear]; [Connector.Find] looks for it. Slack delivers
// an interaction once; when nobody acknowledges it, the person sees a warning
// and presses again.
package slack
