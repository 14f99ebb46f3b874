// Package mcpserver is the MCP server: any MCP client gets the tools ask_user and
// wait_for_answer, over stdio ([Server.Serve]) and over streamable HTTP
// ([Server.Handler]).
//
//	ask_user ──▶ people are asked ──▶ answered within the budget: the answer
//	                              └─▶ not yet: state pending and an id
//	wait_for_answer {id} ──▶ the same, for as long as it takes
//
// # Waiting
//
// MCP clients give a tool call between a minute and a day. A call therefore
// waits for a budget, and then returns pending, which is a normal result with
// the id and the next step. A client that sends a progress token hears
// something at once and then every [DefaultProgress], which keeps its timers
// and every proxy on the way patient, so its budget is longer; see [Options].
//
// # Coming back
//
// A call with the tool-use id of Claude Code (_meta["claudecode/toolUseId"]),
// or with a key of the client's own (_meta["askbridge/idempotencyKey"], or the
// argument idempotency_key or request_id), attaches to the request that the
// same id and session made before, whatever its state and through restarts of
// client and bridge: people are asked once. JSON-RPC ids are not used for this:
// they begin again at one with every connection, so a later question could be
// handed an earlier one's answer. A call without any of these is always a
// request of its own; wait_for_answer is its way back.
//
// A client that cancels a call, or goes away, leaves the question open, since
// the agent may come back for the answer; [Options.CancelWithdraws] changes
// that for clients on stdio, where a cancellation can be told from a broken
// line.
//
// # What the agent reads
//
// Every result says the same twice: as text, and as structured content with the
// state. Only the state answered carries answers. Cancelled, expired,
// superseded and failed are error results with a sentence of their own, so that
// nothing but an answer looks like one. Input is read liberally; what cannot be
// read is named all at once, with paths, in words a model can act on.
//
// # Permission prompts
//
// With [Options.Permitters] there is a third tool, approve. Claude Code calls it for the permission prompts and questions
// of a run without a terminal (claude -p --permission-prompt-tool), and reads the decision in its own form. A call that a
// model makes itself asks no one and allows nothing.
//
// # Versions
//
// Both transports serve every revision of the protocol up to 2026-07-28. The
// HTTP handler keeps no sessions, so any replica can serve any call.
package mcpserver
