// Package doctor checks a configuration against the real world: addresses, the store, clocks, and what
// each platform's bundle adds about tokens, scopes and channels. [Examine] runs all checks.
//
// It changes nothing: it posts no message, opens no conversation and creates no file. What the bridge's
// own rights do not show is reported as not visible.
//
// Each finding has a stable ID such as "slack/channel", which docs/platforms explains. Findings contain
// no tokens.
package doctor
