// Package claudehost is a strict double of Claude Code's permission flow: its hooks, its permission modes and the dialog
// of its terminal. It shares no code with the hook under test, reads the settings itself, and rejects output that the
// host rejects or would misinterpret.
//
//	PreToolUse          the terminal waits for it; it may allow, deny or leave the call undecided
//	the mode            runs the tool, refuses it, or lets the terminal ask
//	PermissionRequest   runs while the dialog is open, and the first decision counts;
//	                    for questions in every mode except "dontAsk"
//	PostToolUse         after the tool has run; PostToolUseFailure if it failed
//
// If the dialog is answered, the hook keeps running, and the host ignores its output. If the person denies or
// interrupts the call, the host stops the hook and sends no further event of the call.
//
// Each rule names the live scenario of test/hosts that confirms it ("live: …"), or is marked "from documents", which
// means https://code.claude.com/docs/en/hooks.
package claudehost
