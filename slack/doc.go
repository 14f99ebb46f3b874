// Package slack connects the bridge to one Slack workspace or, with [Config.Installations], to any number
// of workspaces and organizations that have installed one app.
//
// A [Connector] posts and updates cards through the Web API and receives interactions in one of
// two ways:
//
//	HTTP          Slack posts signed requests to POST /slack/interactions
//	Socket Mode   the connector opens a WebSocket; no public address is needed
//
// [Connector.Handler] serves those requests; mount it at the program's public address.
//
// # Setup
//
//  1. Create an app at https://api.slack.com/apps and enable Interactivity.
//  2. Grant the bot the scopes in [Scopes]. Only chat:write is required;
//     chat:write.public lets it post in public channels without being invited.
//  3. HTTP: set the Request URL to https://<your bridge>/slack/interactions and
//     configure bot_token and signing_secret. Socket Mode: enable it, create
//     an app-level token with connections:write, and configure bot_token and
//     app_token.
//  4. For questions in direct messages enable the Messages tab under App Home.
//  5. Install the app, and invite its bot to the channels where it asks.
//
// # Several installations
//
// Package slack/install lets workspaces install the app and keeps their tokens. Each installation has
// its own token, rate limits and caches, which are dropped when it was not used for long. Places,
// messages and people name theirs, because the ids of one workspace mean something else in another.
// A payload is for the installation that it names: view.app_installed_team_id, else team.id, or
// enterprise.id if the app is installed organization-wide. One that names none, another app or
// another organization is ignored.
//
// # Guarantees
//
// An interaction reaches the bridge only after its signature was verified over the raw body
// (HTTP) or through a connection opened with the app-level token (Socket Mode), and only if it
// belongs to this app and workspace. It is acknowledged within Slack's three seconds, however
// slow the bridge is. Unknown content in the message cannot break it, since only the needed
// members are decoded. The connector does not retry calls and makes none before the time in
// Retry-After. Tokens, signatures and reply URLs never appear in errors or logs.
//
// Handling a click by a named person needs no lookup: display names and user group members are
// looked up in the background as soon as a rule names them. A member list older than a minute
// is never used, and a failed group lookup denies access. The same applies to a person's
// membership where the click does not contain it: guests with [Config.Guests], people from
// another workspace of the organization, and everyone until auth.test has succeeded.
//
// # Non-guarantees
//
// Slack has no idempotency key for new messages, so a post whose response was lost is reported
// as [platform.Ambiguous]; [Connector.Find] searches for it. Slack delivers an interaction once;
// if it is not acknowledged, the person sees a warning and presses again. People that no rule
// names are shown by user name at the first click and by display name from the second on.
package slack

// Name is the platform's name in targets and people's ids.
const Name = "slack"
