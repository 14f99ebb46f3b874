// Package connect answers the questions of agent hosts that have their own protocol,
// over a running bridge.
//
//   - [NewOpenCode]: OpenCode, by its server's events and its routes for replies
//   - [NewCrush]: Crush, likewise
//   - [NewCodex]: the app-server of Codex, as an additional client of its WebSocket
//   - [NewCodexPipe]: the same, between it and its client
//   - [NewACPPipe]: any agent of the Agent Client Protocol, between it and its
//     editor
//
// Two rules apply to all of them, as to hooks. A question always has a place where it
// can be answered: without an answer from chat, the host's own screen still shows it,
// or gets it then. And answers are never invented: only what a person chose is sent,
// at most once for each question.
//
// The first answer counts. A question that is answered on the host's own screen, or
// cancelled by the host, is closed in chat with the reason.
//
// Bridge and host may be restarted at any time. Questions are identified by the
// host's IDs, so a repeated one attaches to its request, and people are asked once.
//
// Each file names the version of the documentation or source that it follows. Package
// test/hosts runs the clients with live hosts.
package connect
