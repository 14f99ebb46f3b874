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
// MCP clients time out tool calls after between a minute and a day. A call therefore
// waits for a budget, and then returns pending, which is a normal result with
// the ID and the next step. A client that sends a progress token gets a
// notification immediately and then every [DefaultProgress], which prevents
// timeouts of clients and proxies, so its budget is longer; see [Options].
//
// # Coming back
//
// A call with the tool-use ID of Claude Code (_meta["claudecode/toolUseId"]),
// or with an idempotency key (_meta["askbridge/idempotencyKey"], or the
// argument idempotency_key or request_id), attaches to the existing request with
// the same ID and session, whatever its state and through restarts of client and
// bridge: people are asked once. JSON-RPC IDs are not used for this: they
// restart at one with every connection, so a later question could get an earlier
// answer. A call without any of these always creates a request;
// wait_for_answer returns to it.
//
// When a client cancels a call or disconnects, the question remains open, since
// the agent may come back for the answer; [Options.CancelWithdraws] changes
// that for clients on stdio, where a cancellation differs from a lost connection.
//
// # Results
//
// Every result has the same content twice: as text, and as structured content with the
// state. Only the state answered has answers. Cancelled, expired, superseded and
// failed are error results with a specific text, so that nothing but an answer
// looks like one. Input is read liberally; all problems are reported at once, with
// paths, so that a model can correct them.
//
// # Permission prompts
//
// With [Options.Permitters] there is a third tool, approve. Claude Code calls it for the permission prompts and questions
// of a run without a terminal (claude -p --permission-prompt-tool), and gets the decision in its own format. A call by a
// model asks no one and allows nothing.
//
// # Versions
//
// Both transports serve every revision of the protocol up to 2026-07-28. The
// HTTP handler keeps no sessions, so any replica can serve any call.
package mcpserver
