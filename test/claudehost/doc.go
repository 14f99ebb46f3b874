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
// The host does not end a hook whose dialog was answered, and takes no word from it
// afterwards.
//
// The rules are those of https://code.claude.com/docs/en/hooks; what is not said
// there was reported of running builds (2.1.221 to 2.1.246).
package claudehost
