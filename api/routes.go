package api

import (
	"net/http"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
)

// routes returns all routes.
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
			method: "POST", path: "/v1/requests", scope: access.Ask, serve: submitRequest, query: queryOf[submitParams](),
			id: "submit", tag: tagRequests, summary: "Ask people",
			about: "Puts a question set in front of people. The same Idempotency-Key, or the same tool_call_id within a session, " +
				"with the same content returns the request created before, whatever its state, and asks no one twice. " +
				"With wait the call ends when the request is decided, else after the wait. " +
				"404 means that supersedes names no request of the session.",
			describe: asks, errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "POST", path: "/v1/ask/{dialect}", scope: access.Ask, serve: askTool, query: queryOf[askToolParams](),
			id: "askTool", tag: tagHosts, summary: "Ask people in the words of an agent host",
			about: "The body is the input of the host's question tool, byte for byte, and the reply is that tool's result, byte for byte. " +
				"200 is a result, including one that reports invalid input or a missing answer to the model: the headers distinguish them. " +
				"202 means that the wait ended first. Repeating the call, identified by tool_call_id or Idempotency-Key, continues it; " +
				"so does a POST of the same body to the Location.",
			describe: speaks(true), errors: []int{unknown, slow, conflict, large},
		},
		{
			method: "GET", path: "/v1/ask/{dialect}/schema", scope: access.Ask, quiet: true, serve: toolSchema,
			id: "toolSchema", tag: tagHosts, summary: "Get the tool that a host's model calls",
			about:    "Name, description and input schema, to register with a host that has no question tool.",
			describe: describesTool, errors: []int{unknown},
		},
		{
			method: "POST", path: "/v1/requests/{id}/as/{dialect}", scope: access.Read, poll: true, serve: resultAs, query: queryOf[resultAsParams](),
			id: "resultAs", tag: tagHosts, summary: "Get the state of a request in an agent host's format",
			about: "The body is the tool input that was asked with, since results echo its very bytes. " +
				"With wait the call ends when the request is decided, else after the wait with 202.",
			describe: speaks(false), errors: []int{unknown, slow, conflict, large},
		},
		{
			method: "GET", path: "/v1/requests/{id}", scope: access.Read, serve: getRequest, console: true, query: queryOf[getParams](),
			id: "get", tag: tagRequests, summary: "Get the state of a request",
			about: "With wait the call ends when the request is decided, or else after the wait with its current state. " +
				"A Retry-After header on a request that is still open means that the bridge is restarting: call again then. " +
				"With as the reply is the result of an agent host's question tool, where the questions alone are enough to make one.",
			describe: gets, errors: []int{unknown, conflict},
		},
		{
			method: "GET", path: "/v1/requests", scope: access.Read, serve: listRequests, console: true, query: queryOf[listParams](),
			id: "list", tag: tagRequests, summary: "List requests",
			about:    "Open requests come by deadline, ended ones oldest first. A page may hold fewer than limit and still have a next one.",
			describe: shows[listParams, client.Page],
		},
		{
			method: "PATCH", path: "/v1/requests/{id}", scope: access.Ask, whose: access.OfCaller, serve: reviseRequest,
			id: "revise", tag: tagRequests, summary: "Revise a request",
			about: "Puts other questions, another context, or both in the place of what an open request asks. What people have chosen for a question that stays as it is " +
				"is kept, votes are not, and a press on the previous version of the card is ignored. Responders, policy and deadline do not change. " +
				"Repeating the same revision changes nothing. 409 means that another one came first, or that the request has ended.",
			describe: shows[ofWith[client.Revision], client.Request], errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "POST", path: "/v1/requests/{id}/reply", scope: access.Ask, whose: access.OfCaller, serve: replyTo,
			id: "reply", tag: tagRequests, summary: "Reply to what a person asked",
			about: "With ask_back, people ask the agent something and the request stays open. The reply appears on the card and, once, below it. " +
				"Repeating the same reply changes nothing. 409 means that there is another one already, or that the request has ended.",
			describe: shows[ofWith[client.ReplyBody], client.Request], errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "POST", path: "/v1/requests/{id}/taken", scope: access.Ask, whose: access.OfCaller, serve: markTaken,
			id: "taken", tag: tagRequests, summary: "Acknowledge the answer",
			about: "For agents that learn the answer only from an event stream: with receipts, the card shows the acknowledgement. A call that waited, one that reads the request afterwards with the asking token, " +
				"and an accepted webhook acknowledge it automatically. Any other request is returned unchanged. " +
				"With instead, the agent used something other than the given answer: the card shows that, with or without receipts, and the answer itself is unchanged.",
			describe: shows[ofWith[*client.TakenBody], client.Request], errors: []int{bad, unknown, slow, large},
		},
		{
			method: "POST", path: "/v1/requests/{id}/cancel", scope: access.Cancel, serve: cancelRequest, console: true,
			id: "cancel", tag: tagRequests, summary: "Withdraw a request",
			about:    "Ends an open request as cancelled and takes the controls off its cards. One that has ended is returned as it is.",
			describe: cancels, errors: []int{bad, unknown, slow, large},
		},
		{
			method: "POST", path: "/v1/requests/{id}/answer", scope: access.Answer, serve: answerRequest, console: true,
			id: "answer", tag: tagRequests, summary: "Answer in a person's place",
			about: "Decides an open request as the person who holds the token: for people at a shell, never for an agent. " +
				"A person who may answer on the card may answer here, if the token names their accounts on the platforms; anyone allows every such token. " +
				"The cards show who decided, and that it was over the API. Repeating a call with the same Idempotency-Key records one answer. " +
				"The scope cannot be combined with ask, and admin does not include it.",
			describe: answers, errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "GET", path: "/v1/requests/{id}/history", scope: access.Admin, serve: showHistory, console: true,
			id: "history", tag: tagRequests, summary: "See what was done to a request",
			about: "Who did what and when, including rejected actions, from the request's record: the last 64 events, at a cost independent of the length of the audit trail. " +
				"404 means that there is no such request, or that the bridge keeps no trail.",
			describe: shows[of, client.History], errors: []int{unknown},
		},
		{
			method: "POST", path: "/v1/requests/{id}/resend", scope: access.Cancel, serve: changes((*bridge.Bridge).Resend), console: true,
			id: "resend", tag: tagRequests, summary: "Deliver a request again",
			about: "Retries abandoned and delayed deliveries: posts a copy that could not be posted while the request is open; redraws existing cards, " +
				"and reposts deleted ones; calls the webhook. No one is asked twice, and a request without pending deliveries is returned unchanged.",
			describe: shows[of, client.Request], errors: []int{unknown, slow},
		},
		{
			method: "POST", path: "/v1/requests/{id}/replay", scope: access.Ask, serve: changes((*bridge.Bridge).Replay), console: true,
			id: "replay", tag: tagWebhooks, summary: "Call a webhook again",
			about:    "Starts over with the webhook of a request whose calls were given up. Any other is returned as it is.",
			describe: shows[of, client.Request], errors: []int{unknown, slow},
		},
		{
			method: "GET", path: "/v1/requests/{id}/events", scope: access.Read, serve: followRequest,
			id: "requestEvents", tag: tagEvents, summary: "Follow a request",
			about:    followAbout + " The stream closes after the end of the request; 204 means that there are no events after Last-Event-ID and never will be any.",
			describe: streams[followParams], errors: []int{unknown},
		},
		{
			method: "GET", path: "/v1/events", scope: access.Read, serve: followAll,
			id: "events", tag: tagEvents, summary: "Follow all requests",
			about:    followAbout + " Without Last-Event-ID it begins with every open request.",
			describe: streams[followAllParams],
		},
		{
			method: "POST", path: "/v1/reload", scope: access.Admin, serve: reloadConfig, console: true,
			id: "reload", tag: tagHealth, summary: "Take over the changed configuration",
			about: "Reloads the configuration of the bridge and the files it refers to, and applies the changes, as SIGHUP does: all of them, or none. " +
				"422 names what is wrong, or what takes a restart.",
			describe: shows[struct{}, client.Reloaded], errors: []int{unknown},
		},
		{
			method: "POST", path: "/v1/backup", scope: access.Admin, serve: backup,
			id: "backup", tag: tagHealth, summary: "Copy the store into a file",
			about: "Copies a store of type file, as it is at one moment, into the file that store.backup names on the machine of the bridge. " +
				"Nothing is sent, and calls go on meanwhile.",
			describe: shows[struct{}, client.Backup], errors: []int{unknown},
		},
		{
			method: "GET", path: "/v1/token", scope: access.Anything, serve: describeToken, console: true,
			id: "self", tag: tagTokens, summary: "See what your token may do",
			about:    "The token that the call was made with. Without tokens it has no name.",
			describe: shows[struct{}, client.Token],
		},
		{
			method: "GET", path: "/v1/tokens", scope: access.ManageTokens, serve: listTokens, console: true,
			id: "listTokens", tag: tagTokens, summary: "List tokens",
			about:    "Tokens issued by the running bridge: valid ones, and those that ended in the last thirty days. The secrets are not shown.",
			describe: shows[struct{}, client.Tokens], errors: []int{unknown},
		},
		{
			method: "POST", path: "/v1/tokens", scope: access.ManageTokens, serve: createToken, console: true,
			id: "createToken", tag: tagTokens, summary: "Make a token",
			about: "The token is shown once, and is valid on every replica immediately. Do not repeat a call whose response was lost: " +
				"the name is taken then; rotate that token, or revoke it.",
			describe: makes[createTokenParams], errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "POST", path: "/v1/tokens/{token}/rotate", scope: access.ManageTokens, serve: rotateToken, console: true,
			id: "rotateToken", tag: tagTokens, summary: "Replace a token",
			about: "Issues a token with the same settings. The old one stays valid for its grace period, so that its users can switch. " +
				"409 means that it has ended, or was already replaced.",
			describe: makes[rotateTokenParams], errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "POST", path: "/v1/tokens/{token}/revoke", scope: access.ManageTokens, serve: revokeToken, console: true,
			id: "revokeToken", tag: tagTokens, summary: "Revoke a token",
			about: "By its id, or by an agent's name all that the agent has. From the reply on no replica takes it: calls that wait and event streams end without an answer. " +
				"One that was revoked before stays as it is.",
			describe: shows[revokeTokenParams, client.Tokens], errors: []int{unknown, conflict},
		},
		{
			method: "GET", path: "/v1/audit", scope: access.Admin, serve: exportAudit, query: queryOf[auditParams](),
			id: "audit", tag: tagAudit, summary: "Read the audit trail",
			about: "JSON lines of all tenants or one, with signed heads between them. Put the pages together and askbridge audit verify finds any byte that was changed. " +
				"404 means that the bridge keeps no trail.",
			describe: shows[auditParams, client.AuditPage], errors: []int{unknown},
		},
		{
			method: "GET", path: "/v1/stats", scope: access.Admin, serve: showStats, console: true, query: queryOf[statsParams](),
			id: "stats", tag: tagAudit, summary: "Count requests",
			about: "How many requests were asked in a period of at most 366 days, how they ended, how long people took, and what grants saved: in total, by route and by agent. " +
				"The numbers come from the audit trail and follow a change within seconds. 404 means that the bridge keeps no trail.",
			describe: shows[statsParams, client.Stats], errors: []int{unknown},
		},
		{
			method: "POST", path: "/v1/audit/erase", scope: access.Admin, serve: eraseAudit,
			id: "eraseAudit", tag: tagAudit, summary: "Erase what a person wrote from the audit trail",
			about: "Redacts typed texts and display names: of a person, of a request, or of a person in a request. Choices and platform ids are kept. " +
				"The chain stays valid and records the erasure. Long trails take several calls: repeat it with next as cursor until there is none.",
			describe: shows[eraseAuditParams, client.AuditErased], errors: []int{bad, unknown, slow, large},
		},
		{
			method: "POST", path: "/v1/erase", scope: access.Admin, serve: eraseTexts, console: true,
			id: "erase", tag: tagRequests, summary: "Erase what people wrote",
			about: "Erases typed texts and display names from ended requests: of a person or, if person is absent, of everyone, including the agent's own texts. " +
				"Of one request, of those that ended before a moment, or of all. A person's or a request's texts are taken out of the audit trail as well. What was chosen stays, and so does the platform's id of who did. " +
				"Each call processes a batch: repeat it with next as cursor until there is none. It can be restarted at any time. 409 means that the request is still open.",
			describe: shows[eraseParams, client.Erased], errors: []int{bad, unknown, slow, conflict, large},
		},
		{
			method: "GET", path: "/v1/grants", scope: access.Read, serve: listGrants,
			id: "listGrants", tag: tagGrants, summary: "List what is allowed for a time",
			about: "Calls that a person has allowed on a card for a time, so that no one is asked about them. " +
				"Only a person's action on a card creates a grant.",
			describe: shows[struct{}, client.Grants],
		},
		{
			method: "POST", path: "/v1/grants/{grant}/revoke", scope: access.Cancel, serve: revokeGrant,
			id: "revokeGrant", tag: tagGrants, summary: "Ask again",
			about:    "Ends a grant. After the response it allows no further request on any replica; requests it has already allowed are unaffected.",
			describe: shows[revokeGrantParams, client.Grant], errors: []int{unknown},
		},
		{
			method: "GET", path: "/livez", open: true, quiet: true, serve: liveness,
			id: "live", tag: tagHealth, summary: "Whether the process runs",
			about:    "200 as long as the process serves at all. Restart it when this stops.",
			describe: shows[struct{}, Health],
		},
		{
			method: "GET", path: "/readyz", open: true, quiet: true, serve: readiness, query: queryOf[readyParams](),
			id: "ready", tag: tagHealth, summary: "Whether calls should come here",
			about: "503 lists the failing platforms or the store, with reasons.", describe: probes, errors: []int{http.StatusUnprocessableEntity},
		},
		{
			method: "GET", path: "/openapi.json", open: true, quiet: true, serve: openAPI,
			id: "openapi", tag: tagDocs, summary: "This document",
			about:    "The OpenAPI 3.1 document of this bridge. /docs shows it as a page.",
			describe: itself,
		},
	}
}

const followAbout = "Server-sent events, one for each change, named for the state; the data is the whole request. " +
	"Quick changes may fold into the newest. Send Last-Event-ID to go on behind an event; the same one may come twice."
