// Package doctor looks whether a configuration holds in the real world: addresses, the store, clocks, and what each
// platform's bundle adds of tokens, scopes and channels. [Examine] does it all.
//
// It changes nothing that it looks at: no message is posted, no conversation opened, no file made. What cannot be seen
// with the rights that the bridge itself needs is said to be unseen.
//
// Every finding has an ID such as "slack/channel", which stays the same from version to version; docs/platforms explains
// each. Tokens are in none.
package doctor
