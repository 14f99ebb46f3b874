package api

import (
	"net/http"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
)

// route is one operation: how it is served, and in openapi.go how it is
// documented.
type route struct {
	method, path string
	// scope is what a token needs; open routes need none.
	scope access.Scope
	open  bool
	// quiet calls are logged at debug level.
	quiet bool
	serve func(*exchange) error
	// query are the parameters that it knows in a query.
	query []string

	// What follows is for the OpenAPI document.
	id, tag, summary, about string
	describe                describer
	errors                  []int
}

// routes is everything served.
func routes() []route {
	const (
		bad      = http.StatusBadRequest
		unknown  = http.StatusNotFound
		slow     = http.StatusRequestTimeout
		conflict = http.StatusConflict
		large    = http.StatusRequestEntityTooLarge
	)
	return []route{
		{
			method: "POST", path: "/v1/requests", scope: access.Ask, serve: (*exchange).submit, query: queryOf[submitParams](),
			id: "submit", tag: tagRequests, summary: "Ask people",
			about: "Puts a question set in front of people. The same Idempotency-Key, or the same tool_call_id within a session, " +
				"with the same content finds the request made before, whatever its state, and asks nobody twice. " +
				"With wait the call ends when the request is decided, else after the wait. " +
				"404 tells that supersedes names no request of the session.",
			describe: asks, errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "POST", path: "/v1/ask/{dialect}", scope: access.Ask, serve: (*exchange).askTool, query: queryOf[askToolParams](),
			id: "askTool", tag: tagHosts, summary: "Ask people in the words of an agent host",
			about: "The body is the input of the host's question tool, byte for byte, and the reply is that tool's result, byte for byte. " +
				"200 is a result, also where it tells the model that its input was wrong or that nobody answered: the headers tell which. " +
				"202 comes when the wait ends first. The same call, told by tool_call_id or Idempotency-Key, then goes on; " +
				"so does a POST of the same body to the Location.",
			describe: speaks(true), errors: []int{unknown, slow, conflict, large},
		},
		{
			method: "GET", path: "/v1/ask/{dialect}/schema", scope: access.Ask, quiet: true, serve: (*exchange).toolSchema,
			id: "toolSchema", tag: tagHosts, summary: "Get the tool that a host's model calls",
			about:    "Name, description and input schema, to register with a host that has no question tool of its own.",
			describe: tells, errors: []int{unknown},
		},
		{
			method: "POST", path: "/v1/requests/{id}/as/{dialect}", scope: access.Read, serve: (*exchange).resultAs, query: queryOf[resultAsParams](),
			id: "resultAs", tag: tagHosts, summary: "See how a request stands in the words of an agent host",
			about: "The body is the tool input that was asked with, since results echo its very bytes. " +
				"With wait the call ends when the request is decided, else after the wait with 202.",
			describe: speaks(false), errors: []int{unknown, slow, conflict, large},
		},
		{
			method: "GET", path: "/v1/requests/{id}", scope: access.Read, serve: (*exchange).get, query: queryOf[getParams](),
			id: "get", tag: tagRequests, summary: "See how a request stands",
			about: "With wait the call ends at once when the request is decided, else after the wait with the request as it stands. " +
				"A Retry-After header on a request that is still open means that the bridge is restarting: call again then. " +
				"With as the reply is the result of an agent host's question tool, where the questions alone are enough to make one.",
			describe: gets, errors: []int{unknown, conflict},
		},
		{
			method: "GET", path: "/v1/requests", scope: access.Read, serve: (*exchange).list, query: queryOf[listParams](),
			id: "list", tag: tagRequests, summary: "List requests",
			about:    "Open requests come by deadline, ended ones oldest first. A page may hold fewer than limit and still have a next one.",
			describe: shows[listParams, client.Page],
		},
		{
			method: "PATCH", path: "/v1/requests/{id}", scope: access.Ask, serve: (*exchange).revise,
			id: "revise", tag: tagRequests, summary: "Revise a request",
			about: "Puts other questions, another context, or both in the place of what an open request asks. What people have chosen for a question that stays as it is " +
				"is kept, votes are not, and a press on the card as it was before counts for nothing. Who may answer, how many decide and until when does not change. " +
				"The same revision again changes nothing. 409 tells that another one came first, or that the request has ended.",
			describe: shows[reviseParams, client.Request], errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "POST", path: "/v1/requests/{id}/reply", scope: access.Ask, serve: (*exchange).replyTo,
			id: "reply", tag: tagRequests, summary: "Reply to what a person asked",
			about: "With ask_back, people ask the agent something and the request stays open. The reply stands on the card, and is said below it once. " +
				"The same reply again changes nothing. 409 tells that there is another one already, or that the request has ended.",
			describe: shows[replyParams, client.Request], errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "POST", path: "/v1/requests/{id}/taken", scope: access.Ask, serve: (*exchange).taken,
			id: "taken", tag: tagRequests, summary: "Say that the agent has the answer",
			about: "For agents that learn of it by an event stream alone: with receipts, the card says so. A call that waited, one that reads the request afterwards with the token that has asked, " +
				"and a webhook that is taken say it by themselves. Any other request is returned as it is. " +
				"With instead, the agent went by something else than what people answered: the card says so, receipts or not, and the answer stays as it was given.",
			describe: shows[takenParams, client.Request], errors: []int{bad, unknown, slow, large},
		},
		{
			method: "POST", path: "/v1/requests/{id}/cancel", scope: access.Cancel, serve: (*exchange).cancel,
			id: "cancel", tag: tagRequests, summary: "Withdraw a request",
			about:    "Ends an open request as cancelled and takes the controls off its cards. One that has ended is returned as it is.",
			describe: cancels, errors: []int{bad, unknown, slow, large},
		},
		{
			method: "POST", path: "/v1/requests/{id}/answer", scope: access.Answer, serve: (*exchange).answer,
			id: "answer", tag: tagRequests, summary: "Answer in a person's place",
			about: "Decides an open request as the person who holds the token: for people at a shell, never for an agent. " +
				"Whoever may answer on the card may answer here, where the token names who they are on the platforms; anyone lets every such token pass. " +
				"The cards say who decided, and that it was over the API. The same Idempotency-Key again is the same answer. " +
				"The scope cannot stand beside ask, and admin does not include it.",
			describe: answers, errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "GET", path: "/v1/requests/{id}/history", scope: access.Admin, serve: (*exchange).history,
			id: "history", tag: tagRequests, summary: "See what was done to a request",
			about: "Who did what and when, refusals too, as the request itself tells: the last 64 events, at the same cost however long the audit trail is. " +
				"404 tells that there is no such request, or that the bridge keeps no trail.",
			describe: shows[historyParams, client.History], errors: []int{unknown},
		},
		{
			method: "POST", path: "/v1/requests/{id}/resend", scope: access.Cancel, serve: (*exchange).resend,
			id: "resend", tag: tagRequests, summary: "Deliver a request again",
			about: "Tries again now what was given up or put off: posts a copy that could not be posted, while the request is open; draws a card anew where it stands, " +
				"and puts it back where it was deleted; calls the webhook. Nobody is asked twice, and a request that wants nothing is returned as it is.",
			describe: shows[resendParams, client.Request], errors: []int{unknown, slow},
		},
		{
			method: "POST", path: "/v1/requests/{id}/replay", scope: access.Ask, serve: (*exchange).replay,
			id: "replay", tag: tagWebhooks, summary: "Call a webhook again",
			about:    "Starts over with the webhook of a request whose calls were given up. Any other is returned as it is.",
			describe: shows[replayParams, client.Request], errors: []int{unknown, slow},
		},
		{
			method: "GET", path: "/v1/requests/{id}/events", scope: access.Read, serve: (*exchange).follow,
			id: "requestEvents", tag: tagEvents, summary: "Follow a request",
			about:    followAbout + " The stream ends behind the end of the request; 204 means that there is nothing new behind Last-Event-ID and never will be.",
			describe: streams[followParams], errors: []int{unknown},
		},
		{
			method: "GET", path: "/v1/events", scope: access.Read, serve: (*exchange).followAll,
			id: "events", tag: tagEvents, summary: "Follow all requests",
			about:    followAbout + " Without Last-Event-ID it begins with every open request.",
			describe: streams[followAllParams],
		},
		{
			method: "POST", path: "/v1/reload", scope: access.Admin, serve: (*exchange).reload,
			id: "reload", tag: tagHealth, summary: "Take over the changed configuration",
			about: "Reads the configuration of the bridge again, with what it refers to, and takes over what has changed, as SIGHUP does: all of it, or nothing. " +
				"422 names what is wrong, or what takes a restart.",
			describe: shows[struct{}, client.Reloaded], errors: []int{unknown},
		},
		{
			method: "GET", path: "/v1/token", scope: access.Anything, serve: (*exchange).self,
			id: "self", tag: tagTokens, summary: "See what your token may do",
			about:    "The token that the call was made with. Without tokens it has no name.",
			describe: shows[struct{}, client.Token],
		},
		{
			method: "GET", path: "/v1/tokens", scope: access.ManageTokens, serve: (*exchange).listTokens,
			id: "listTokens", tag: tagTokens, summary: "List tokens",
			about:    "Tokens that were made while the bridge runs: those that hold, and those that have ended in the last thirty days. Nothing tells what a token is.",
			describe: shows[struct{}, client.Tokens], errors: []int{unknown},
		},
		{
			method: "POST", path: "/v1/tokens", scope: access.ManageTokens, serve: (*exchange).createToken,
			id: "createToken", tag: tagTokens, summary: "Make a token",
			about: "The token is told once, and holds at once on every replica. Do not repeat a call whose reply was lost: " +
				"the name is taken then; rotate that token, or revoke it.",
			describe: makes[createTokenParams], errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "POST", path: "/v1/tokens/{token}/rotate", scope: access.ManageTokens, serve: (*exchange).rotateToken,
			id: "rotateToken", tag: tagTokens, summary: "Replace a token",
			about: "Makes a token with the same settings. The old one holds until its grace is over, so whoever uses it has that long to change. " +
				"409 tells that it has ended, or was replaced already.",
			describe: makes[rotateTokenParams], errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "POST", path: "/v1/tokens/{token}/revoke", scope: access.ManageTokens, serve: (*exchange).revokeToken,
			id: "revokeToken", tag: tagTokens, summary: "Revoke a token",
			about: "By its id, or by an agent's name all that the agent has. From the reply on no replica takes it: calls that wait and event streams end without an answer. " +
				"One that was revoked before stays as it is.",
			describe: shows[revokeTokenParams, client.Tokens], errors: []int{unknown, conflict},
		},
		{
			method: "GET", path: "/v1/audit", scope: access.Admin, serve: (*exchange).audit, query: queryOf[auditParams](),
			id: "audit", tag: tagAudit, summary: "Read the audit trail",
			about: "JSON lines of all tenants or one, with signed heads between them. Put the pages together and askbridge audit verify finds any byte that was changed. " +
				"404 tells that the bridge keeps no trail.",
			describe: shows[auditParams, client.AuditPage], errors: []int{unknown},
		},
		{
			method: "POST", path: "/v1/audit/erase", scope: access.Admin, serve: (*exchange).eraseAudit,
			id: "eraseAudit", tag: tagAudit, summary: "Erase what a person wrote from the audit trail",
			about: "Takes out what was typed and the names that people went by: of a person, of a request, or of a person in a request. What was chosen stays, and so does the platform's id of who did. " +
				"The chain holds as before and tells of the erasure. Long trails take several calls: repeat it with the next as cursor until there is none.",
			describe: shows[eraseAuditParams, client.AuditErased], errors: []int{bad, unknown, slow, large},
		},
		{
			method: "POST", path: "/v1/erase", scope: access.Admin, serve: (*exchange).erase,
			id: "erase", tag: tagRequests, summary: "Erase what people wrote",
			about: "Takes what was typed, and the names that people went by, out of requests that have ended: of a person, or of everybody, the agent's own texts too, where person is absent. " +
				"Of one request, of those that ended before a moment, or of all. A person's or a request's texts are taken out of the audit trail as well. What was chosen stays, and so does the platform's id of who did. " +
				"Each call does a share: repeat it with the next as cursor until there is none. It can be begun anew at any time. 409 tells that the request is still open.",
			describe: shows[eraseParams, client.Erased], errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "GET", path: "/v1/grants", scope: access.Read, serve: (*exchange).listGrants,
			id: "listGrants", tag: tagGrants, summary: "List what is allowed for a time",
			about: "Calls that somebody has allowed on a card for a time, so that nobody is asked about them, as far as that holds. " +
				"Nothing but a person's act on a card makes a grant.",
			describe: shows[struct{}, client.Grants],
		},
		{
			method: "POST", path: "/v1/grants/{grant}/revoke", scope: access.Cancel, serve: (*exchange).revokeGrant,
			id: "revokeGrant", tag: tagGrants, summary: "Ask again",
			about:    "Ends a grant. From the reply on it meets no request, on any replica; what it has met stays as it is.",
			describe: shows[revokeGrantParams, client.Grant], errors: []int{unknown},
		},
		{
			method: "GET", path: "/livez", open: true, quiet: true, serve: (*exchange).live,
			id: "live", tag: tagHealth, summary: "Whether the process runs",
			about:    "200 as long as the process serves at all. Restart it when this stops.",
			describe: shows[struct{}, Health],
		},
		{
			method: "GET", path: "/readyz", open: true, quiet: true, serve: (*exchange).ready, query: queryOf[readyParams](),
			id: "ready", tag: tagHealth, summary: "Whether calls should come here",
			about: "503 says which platform, or the store, is out of order and why.", describe: probes, errors: []int{http.StatusUnprocessableEntity},
		},
		{
			method: "GET", path: "/openapi.json", open: true, quiet: true, serve: (*exchange).openAPI,
			id: "openapi", tag: tagDocs, summary: "This document",
			about:    "The OpenAPI 3.1 document of this bridge. /docs shows it as a page.",
			describe: itself,
		},
	}
}

const followAbout = "Server-sent events, one for each change, named for the state; the data is the whole request. " +
	"Quick changes may fold into the newest. Send Last-Event-ID to go on behind an event; the same one may come twice."
