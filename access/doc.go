// Package access says who may call a bridge, and what each caller may do: agents
// with their tokens, scopes, places, quotas and tenants.
//
//	token ── Gate.Identify ──▶ Caller ── Enter(scope) ──▶ Submit, Load, List, Cancel, … ──▶ bridge
//
// A [Caller] is the bridge as one agent sees it: its own tenant's requests, the
// places its token allows, as much of it as its limits leave. The HTTP API, the
// MCP server and programs that use the library all go through here, so that none
// of them can forget a rule. Whoever serves a call identifies the caller, has it
// [Caller.Enter] with the scope the call needs, and uses the caller's methods in
// place of the bridge's.
//
// The limits of a token hold in each process for itself; replicas do not share
// them. They keep one agent from taking the bridge from the others, and are no
// exact count.
//
// The package knows no HTTP: a [RefusedError] says what is wrong, and the server what
// status that is.
package access
