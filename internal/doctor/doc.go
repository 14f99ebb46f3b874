// Package doctor knows how the platforms and the store have to be set up. It
// writes what they have to be told (a Slack manifest, a Discord invite link),
// and [Examine] looks whether a configuration holds in the real world: tokens,
// scopes, channels, how interactions arrive, Redis, clocks.
//
// It changes nothing that it looks at: no message is posted, no conversation
// opened, no file made. What cannot be seen with the rights that the bridge
// itself needs is said to be unseen.
//
// Every finding has an ID such as "slack/channel", which stays the same from
// version to version; docs/platforms explains each. Tokens are in none.
package doctor
