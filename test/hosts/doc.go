// Package hosts runs real agent hosts against askbridge: Claude Code, Codex, OpenCode and others, installed from npm at
// the versions in versions.txt. "make hosts" installs and runs them, "make hosts-latest" does the same with
// the newest versions and prints which those are, and in which scenarios they differ.
//
//	scripted model  <->  host  <->  askbridge hook | mcp | connect  <->  askbridge serve  <->  strict Slack
//
// The model is a script (package model), so a scenario decides which tool the agent calls and asserts the text that the
// model reads afterward. A scripted person presses the buttons of the cards, or answers in the host's own terminal. Slack
// is the strict double of chatsim, and a broken rule of Slack fails the scenario.
//
// Each scenario has its own home folder. All scenarios share the installed hosts from a cache outside the
// repository. Telemetry and updates are off, and on Linux everything runs in a network namespace with only loopback.
package hosts
