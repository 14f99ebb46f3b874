// Package discord connects the bridge to Discord servers through one bot.
//
// A [Connector] posts and updates cards through the REST API and receives interactions in one
// of two ways, never both:
//
//	HTTP      Discord posts signed requests to POST /discord/interactions
//	gateway   the connector keeps a WebSocket open; no public address is needed
//
// [Connector.Handler] serves those requests; mount it at the program's public address.
//
// # Setup
//
//  1. Create an application at https://discord.com/developers/applications and
//     copy the token from its Bot page, the application id and the public key
//     from General Information. No privileged intent is needed; leave all three
//     disabled.
//  2. Invite it with the scope "bot" and the permissions View Channels, Send
//     Messages, Send Messages in Threads, Attach Files and Read Message History (the
//     last one finds a card whose response was lost).
//  3. HTTP: configure bot_token and public_key, start the bridge, and then set the
//     Interactions Endpoint URL to https://<your bridge>/discord/interactions;
//     Discord verifies it immediately. Gateway: configure only bot_token and leave
//     that URL empty, or Discord sends interactions there.
//
// A person who accepts no direct messages is asked in the channel DMFallback, if it is set: the
// card is posted there, followed by a message that mentions them.
//
// A bot in 2,500 servers or more must shard its gateway: set ShardCount, and ShardIDs if
// several bridges share the shards
// (https://docs.discord.com/developers/events/gateway#sharding). HTTP needs no shards.
//
// # Guarantees
//
// An interaction reaches the bridge only after its Ed25519 signature was verified over the raw
// body (HTTP) or through a connection opened with the bot token (gateway). It is acknowledged
// within Discord's three seconds, however slow the bridge is. Unknown content in the message
// cannot break it, since only the needed members are decoded. A new message carries a nonce
// that Discord enforces, so a card whose response was lost is not posted twice. Written text
// cannot mention anyone. The connector does not retry calls to post or update and makes none
// before the time in Retry-After. Tokens, signatures and webhook URLs never appear in errors or
// logs.
//
// # The gateway
//
// Each shard has its own small client. A connection waits for HELLO, starts or resumes a
// session, sends heartbeats and receives events until it ends: a lost connection, a reconnect
// request, an invalid session, or an unanswered heartbeat. The next connection resumes the
// session, and Discord replays the missed events:
//
//	shard  ->  connect  ->  HELLO  ->  RESUME   ->  missed events  ->  interactions
//	             |                 ->  IDENTIFY ->  READY          ->
//	             +--- backoff with jitter <--- the connection ends
//
// Session starts are rate limited as Discord requires, and stay far below the number at which
// it resets the token. A message that cannot be handled does not end the connection.
//
// # Non-guarantees
//
// Interactions sent while there is no connection arrive when the session is resumed. After more
// than three seconds the person sees a failure, and then the card changes after all. Several
// bridges may run the same shard: each receives every interaction, the store decides, and the
// second acknowledgement, which Discord rejects, is treated as success.
package discord

// Name is the platform's name in targets and people's ids.
const Name = "discord"

// RolePrefix is the prefix of a responder that is a role: "discord-role:400000000000000001".
const RolePrefix = "discord-role"
