// Package claude answers the hooks of a coding agent's host from chat: JSON in on
// standard input, JSON out on standard output, with a running bridge in between.
//
//	PreToolUse, AskUserQuestion      answered through updatedInput, or denied with the reason
//	PermissionRequest                allowed or denied; typed text denies and tells the agent why
//	ExitPlanMode, by either hook     the same, with the plan on the card
//	Elicitation                      the form of another MCP server, answered as it asks
//
// A hook must never stand in its host's way, and must never make an answer up.
// Whatever goes wrong it says nothing, which every host takes as "no decision":
// the host shows its own picker. The card in chat is then closed with the reason,
// so that nobody answers into the void; should the bridge be away at that
// moment, the request's own deadline closes it.
//
// The hook waits in short calls and lasts through restarts of the bridge. The
// same tool call finds the same question again, so a host that was ended and
// resumed gets the answer that came meanwhile, and nobody is asked twice.
//
// With [Options.Beside] the host's own screen asks too, and whoever is first
// counts:
//
//	chat first        the hook answers, and the host closes its dialog
//	terminal first    the next hook of the session closes the card, with that as the reason
//	nobody            the hook ends without a word; the dialog stands as before
//
// Hosts without hooks, but with a protocol of their own, are answered by package
// connect.
//
// The shapes are those of https://code.claude.com/docs/en/hooks.
package claude
