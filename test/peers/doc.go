// Package peers runs bots written with other libraries against the doubles: Bolt over HTTP and over
// Socket Mode, discord.js, and the Chat SDK. Documented options of the libraries point them at the doubles. Some bots ask
// a question and must violate no rule; others make one mistake each, which the doubles must report.
//
// A provider with node-oidc-provider signs people in at the console.
//
// The bots are in bots, and their libraries in package.json at the versions of the lockfile. "make peers" installs them
// and runs the tests. Package test/bench compares the bots in bots/bench with the bridge.
//
// The Chat SDK runs on Slack only, because its Discord adapter cannot be pointed at a double completely: in
// @chat-adapter/discord 4.41.0 the option apiUrl applies to most calls, but responses to interactions
// (discordInteractionFetch) and file uploads go to the constant https://discord.com/api/v10, and its gateway client has
// no option for the address.
package peers
