// Package peers runs bots that are written with other people's libraries against the doubles: Bolt over HTTP and over
// Socket Mode, discord.js, and the Chat SDK. They are pointed there by options that the libraries document, and press
// through a question without breaking a rule; others make a mistake each, and the doubles have to name it.
//
// The bots are in bots, their libraries in package.json at versions that the lockfile pins. "make peers" installs them
// and runs the tests. Those in bots/bench stand beside the bridge in test/bench, which measures what they cost.
//
// The Chat SDK is run on Slack only. Its adapter for Discord cannot be pointed at a double as a whole: in
// @chat-adapter/discord 4.41.0 the option apiUrl counts for most calls, but answers to interactions
// (discordInteractionFetch) and uploads of files go to the constant https://discord.com/api/v10, and the client it makes
// for the gateway is given no address at all.
package peers
