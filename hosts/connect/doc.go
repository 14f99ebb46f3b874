// Package connect answers the questions of agent hosts that ask over a protocol
// of their own, with a running bridge in between.
//
//   - [NewOpenCode]: OpenCode, by its server's events and its routes for replies
//   - [NewCrush]: Crush, by the same of its server
//   - [NewCodex]: the app-server of Codex, as one more client of its WebSocket
//   - [NewCodexPipe]: the same, between it and the client it serves
//   - [NewACPPipe]: any agent of the Agent Client Protocol, between it and the
//     editor it serves
//
// Two rules hold for all of them, as they do for hooks. A host is never left
// without somebody to ask: where chat gives no answer, the host's own screen
// still has the question, or gets it then. And an answer is never made up: only
// what a person chose is sent, at most once for each question.
//
// Whoever is first counts. What is answered on the host's own screen, or taken
// back by the host, is closed in chat with the reason.
//
// Bridge and host may be restarted at any time. A question is named by the
// host's own ids, so that one that comes again finds the card that stands and
// nobody is asked twice.
//
// Every protocol was read in its host's documentation or source, at the version
// that its file names. Package test/hosts runs them with live hosts.
package connect
