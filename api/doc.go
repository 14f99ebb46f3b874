// Package api is the HTTP API: an agent hands a question set in with one
// call and gets the answer with the same call or a later one.
//
//	POST /v1/requests?wait=30s            ask; 201, or 200 when it was asked before
//	GET  /v1/requests/{id}?wait=30s       200, at once when it is decided
//	GET  /v1/requests?state=open          list
//	PATCH /v1/requests/{id}               revise what is asked
//	POST /v1/requests/{id}/reply          reply to what a person asked the agent
//	POST /v1/requests/{id}/taken          say that the agent has the answer
//	POST /v1/requests/{id}/cancel         withdraw
//	POST /v1/requests/{id}/answer         decide in a person's place, by the person's own token
//	GET  /v1/requests/{id}/history        see what was done to it, and by whom
//	POST /v1/requests/{id}/resend         deliver again what was given up
//	POST /v1/ask/{dialect}?to=slack:C1    ask in the words of an agent host, and get its words back
//	GET  /v1/ask/{dialect}/schema         the tool that the host's model calls
//	POST /v1/requests/{id}/as/{dialect}   the same result, now or later
//	POST /v1/requests/{id}/replay         call a webhook again that was given up
//	GET  /v1/requests/{id}/events         server-sent events of one request
//	GET  /v1/events                       server-sent events of all
//	POST /v1/erase                        erase what a person wrote from what is stored
//	GET  /v1/tokens                       list the tokens that were made; POST makes one
//	POST /v1/tokens/{token}/rotate        replace one
//	POST /v1/tokens/{token}/revoke        end one at once
//	GET  /v1/audit                        read the audit trail
//	POST /v1/audit/erase                  erase what a person wrote from it
//	GET  /v1/grants                       list what is allowed for a time
//	POST /v1/grants/{grant}/revoke        ask again
//	GET  /v1/token                        the token that one calls with
//	POST /v1/reload                       take over the changed configuration
//	GET  /docs /openapi.json              what there is, for people and for machines
//	GET  /console                         what is going on, for people
//	GET  /livez /readyz                   for machines that look after machines
//
// A call with ?wait ends when the request is decided, else after the wait
// ([Options.MaxWait] caps it, 60 seconds unless set) with the request as it
// stands. The same goes for a bridge that shuts down: the call ends with 200,
// the open request and a Retry-After header, so that the client asks again and
// nothing is lost. package client does that by itself.
//
// A dialect's body is the host's tool input byte for byte, and the reply its tool
// result byte for byte (package dialect). Both come with 200 and the header
// [client.HeaderState]: also "refused", which tells the model in the host's own words
// what is wrong with its input, so that a shim need not look at the status. 202
// means that the wait ended first: repeat the call if it has a tool-call id, or
// POST the body to the Location. Whatever the model cannot mend (an unknown
// route, a token, an unreachable store) is a problem body. The record does not
// keep the input, since most results need its bytes only for the moment of
// replying; GET /v1/requests/{id}?as={dialect} makes one from the questions where
// that is enough, and says so where it is not.
//
// Errors are RFC 9457 problem bodies ([client.Problem]). A request of another tenant
// and one that never was get the same 404.
//
// Who calls is told by a bearer token in the Authorization header; see [access.Agent].
// A caller that cannot be sure who listens at the bridge's address sends the token
// sealed, and has every reply proved ([client.Options.Sealed], package
// internal/proof): so do the hook and the other commands.
// Without agents the API opens for loopback names only, and only when
// [access.Options.AllowAnonymous] says so.
//
// The OpenAPI 3.1 document is made by huma from the very types that are served.
// Serving itself is plain net/http: a parked call must hold no buffer and no
// second goroutine, and bodies are read liberally by [ask.DecodeRequest].
package api
