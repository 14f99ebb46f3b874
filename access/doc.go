// Package access controls who may call a bridge and what each caller may do: agents, and their tokens, scopes, places,
// quotas and tenants.
//
//	token ── Gate.Identify ──▶ Caller ── Enter(scope) ──▶ Submit, Load, List, Cancel, … ──▶ bridge
//
// A [Caller] is the bridge as one agent sees it: the requests of its tenant, within the scopes, places and limits of its
// token. The HTTP API, the MCP server and programs that use the library all go through it, so that the rules are in one
// place: a server identifies the caller, calls [Caller.Enter] with the scope of the operation, and then uses the methods of
// the caller instead of the bridge's. [Caller.Change] checks and applies every operation that changes one request.
//
// Each process counts the limits of a token by itself; replicas do not share them. They prevent one agent from starving the
// others, and are not exact.
//
// The package does not depend on HTTP: the server maps a [RefusedError] to a status.
package access
