// Package claude answers the hooks of a coding agent's host from chat: JSON in on
// standard input, JSON out on standard output, with a running bridge in between.
//
//	PreToolUse, AskUserQuestion      answered through updatedInput, or denied with the reason
//	PermissionRequest                allowed or denied; typed text denies with that reason
//	ExitPlanMode, by either hook     the same, with the plan on the card
//	Elicitation                      the form of another MCP server, answered as it asks
//
// A hook never blocks its host and never invents an answer. After any failure it outputs
// nothing, which every host takes as "no decision": the host shows its own picker. The card
// in chat is then closed with the reason; if the bridge is unavailable at that moment, the
// request expires.
//
// The hook waits in short calls and survives restarts of the bridge. A repeated tool call
// attaches to the same request, so a host that was ended and resumed gets an answer that was
// given meanwhile, and people are asked once.
//
// With [Options.Beside] the host's own screen asks too, and the first answer counts:
//
//	chat first        the hook answers, and the host closes its dialog
//	terminal first    the next hook of the session closes the card, with that as the reason
//	neither           the hook ends without output; the dialog remains open
//
// Package connect answers hosts that have a protocol instead of hooks.
//
// The formats are documented at https://code.claude.com/docs/en/hooks.
package claude
