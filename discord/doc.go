// Package discord connects the bridge to Discord servers through one bot.
//
// A [Connector] posts and updates cards through the REST API and receives what
// people do with them in one of two ways, never both:
//
//	HTTP      Discord posts signed requests to POST /discord/interactions
//	gateway   the connector keeps a websocket open; no public address is needed
//
// [Connector.Handler] takes those requests; a program serves it at its public address.
//
// # Five minutes to set up
//
//  1. Create an application at https://discord.com/developers/applications and
//     copy the token from its Bot page, the application id and the public key
//     from General Information. No privileged intent is needed; leave all three
//     switched off.
//  2. Invite it with the scope "bot" and the permissions View Channels, Send
//     Messages, Send Messages in Threads, Attach Files and Read Message History (the
//     last one finds a card whose reply was lost).
//  3. HTTP: configure bot_token and public_key, start the bridge, and then set the
//     Interactions Endpoint URL to https://<your bridge>/discord/interactions:
//     Discord tries it at once. Gateway: configure bot_token alone and leave that
//     URL empty, or Discord sends interactions there.
//
// Somebody who takes no direct messages is asked in the channel DMFallback, if
// there is one: the card stands there with their name below it.
//
// A bot in 2,500 servers or more has to split its gateway into shards: set
// ShardCount, and ShardIDs where several bridges share them
// (https://docs.discord.com/developers/events/gateway#sharding). HTTP needs none.
//
// # What it guarantees
//
// An interaction reaches the bridge only after its Ed25519 signature was checked
// over the raw body (HTTP) or through a connection opened with the bot's own
// token (gateway). It is acknowledged inside Discord's three seconds, however
// slow the bridge is, and survives whatever else stands in the message, since
// only the few fields that matter are decoded. A new message carries a nonce that
// Discord enforces, so a card whose reply was lost stands once. Nothing written
// can ping anybody. A call to post or update is never repeated by the connector, and
// none is made before the time Discord asked to wait for. Tokens, signatures and
// webhook addresses are never in an error or a log line.
//
// # The gateway
//
// Each shard is kept connected by a small client of its own: a connection that is
// greeted, asks for a session or for the one that there was, sends heartbeats and
// hears what happens, until something ends it (a cut, Discord's wish to reconnect,
// an invalid session, a heartbeat that nobody answers). Then the next one resumes
// the session, and Discord sends again what happened meanwhile:
//
//	shard  ->  connect  ->  HELLO  ->  RESUME   ->  what happened meanwhile  ->  interactions
//	             |                 ->  IDENTIFY ->  READY                    ->
//	             +--- pause with jitter <--- the end of the connection
//
// Sessions that begin are parted as Discord asks, and so few that it never takes
// the token away for them. One message that cannot be dealt with ends nothing.
//
// # What it does not
//
// Interactions that arrive while there is no connection are heard when the session
// is resumed; if that takes longer than three seconds the person reads that it
// failed, and sees the card change after all. Several bridges may run the same
// shard: then each gets every interaction, the store decides, and the second
// acknowledgement, which Discord refuses, counts as done.
package discord
