// Package claudehost is a strict double of how Claude Code decides whether a tool
// may run: its hooks, its permission modes and the dialog of its terminal. It shares
// no code with the hook that it judges, reads the settings by itself, and refuses
// what the host refuses or takes for something else.
//
//	PreToolUse          the terminal waits for it; it may allow, deny or say nothing
//	the mode            runs the tool, refuses it, or has the terminal ask
//	PermissionRequest   runs beside the open dialog, whoever decides first counts;
//	                    for questions in every mode except "dontAsk"
//	PostToolUse         once the tool has run; PostToolUseFailure where it failed
//
// A hook runs on if the dialog was answered, and the host reads nothing from it afterwards. If somebody denies the call or
// interrupts it, the host ends the hook and sends no further event of the call.
//
// Each rule names the live scenario of test/hosts that confirms it ("live: …"), or says "from documents", which are
// those of https://code.claude.com/docs/en/hooks.
package claudehost
