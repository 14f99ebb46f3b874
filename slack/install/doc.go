// Package install lets workspaces and organizations install the Slack app themselves, and keeps their
// tokens.
//
//	GET /slack/install           signs a state, sets a cookie ──▶ Slack's authorize page
//	GET /slack/oauth/callback    checks both, trades the code for a token ──▶ key-value store
//
// [Service] implements [github.com/askbridge/askbridge/slack.Installations] on the key-value store, in
// which one value is one installation:
//
//	(none) ──install──▶ token ──refresh──▶ token' ──removed──▶ leaving ──requests ended──▶ (none)
//
// Every arrow is one conditional write of that value, so a process that is killed leaves the state
// before or after it. The removal deletes the token first; [Service.Run] then ends the open requests
// and deletes the value, on any replica and after any crash.
//
// # Guarantees
//
// A state is signed, lives ten minutes, works once and only in the browser that started. Only workspaces
// and organizations on the list or with an invitation may install; the token of another is revoked at
// once. An invitation is signed, expires, and is used up by the first workspace. Tokens are never
// logged and not part of any error. A token that expires is refreshed by one replica at a time, while the
// others use the current one. If the process is killed after Slack has issued the next token and before
// it is stored, the previous token works until it expires, and Slack accepts the old refresh token for a
// while.
package install
