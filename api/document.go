package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// The tags that group the operations.
const (
	tagRequests = "Requests"
	tagHosts    = "Agent hosts"
	tagEvents   = "Events"
	tagWebhooks = "Webhooks"
	tagTokens   = "Tokens"
	tagAudit    = "Audit"
	tagGrants   = "Grants"
	tagHealth   = "Health"
	tagDocs     = "Reference"
)

func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: tagRequests, Description: "Ask people, wait for what they choose, list and withdraw."},
		{Name: tagHosts, Description: "The same in the words of an agent host: its tool input in, its tool result out, byte for byte."},
		{Name: tagEvents, Description: "Follow requests as they change, over server-sent events that resume."},
		{Name: tagWebhooks, Description: "Signed calls to agents that do not wait, in the format of Standard Webhooks 1.0 (https://www.standardwebhooks.com)."},
		{Name: tagGrants, Description: "What people have allowed for a time on the card of a permission prompt, where the agent's grants let them."},
		{Name: tagTokens, Description: "Make, replace and revoke tokens while the bridge runs; each call takes the scope tokens."},
		{Name: tagAudit, Description: "What people, agents and operators decided, in a tamper-evident chain; each call needs the scope admin."},
		{Name: tagHealth, Description: "Probes for load balancers and orchestrators."},
		{Name: tagDocs, Description: "What this API offers."},
	}
}

const aboutAPI = "Puts an agent's questions in front of people and gives back exactly what a person chose.\n\n" +
	"**Asking twice.** A request is known by its Idempotency-Key, or by its tool_call_id within a session. Sent again with the same " +
	"content it is found, not asked again, so every call may be repeated after a lost reply. The same key with other content is a 409.\n\n" +
	"**Waiting.** A call with wait ends when the request is decided, or else after the wait with its current state. " +
	"Repeat it until state is no longer open. Server-sent events and webhooks report the same without a waiting call.\n\n" +
	"**Ends.** A request ends once, as answered, cancelled, expired, superseded or failed. Only answered carries answers.\n\n" +
	"**Bodies** are JSON in UTF-8. A byte order mark, UTF-16 with one, and an object inside a JSON string are read too. A Content-Encoding is a 415.\n\n" +
	"**Errors** are RFC 9457 problem bodies that list every error; an unknown query parameter is a 422. " +
	"Retry 429, 500, 502, 503 and 504, after Retry-After if it is given. Every response has an Askbridge-Call-Id that identifies the call in the bridge's log."

// paper is a huma adapter that only documents: huma generates the document from the types,
// net/http serves.
type paper struct{}

func (paper) Handle(*huma.Operation, func(huma.Context))   {}
func (paper) ServeHTTP(http.ResponseWriter, *http.Request) {}

// newDocument describes every route.
func newDocument(version string, routes []route) *huma.OpenAPI {
	config := huma.Config{OpenAPI: &huma.OpenAPI{
		Info: &huma.Info{
			Title: "askbridge", Version: cmp.Or(version, "dev"), Description: aboutAPI,
			License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Servers: []*huma.Server{{URL: "/", Description: "The bridge that serves this document, usually http://127.0.0.1:8080"}},
		Tags:    tags(),
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"token": {Type: "http", Scheme: "bearer", Description: "The agent's token. A bridge without agents serves loopback only and needs none."},
			},
		},
	}}
	config.AllowAdditionalPropertiesByDefault = true
	api := huma.NewAPI(config, paper{})
	for _, rt := range routes {
		rt.describe(api, common(api, &rt))
	}
	doc := api.OpenAPI()
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Patch} {
			if op != nil {
				illustrateOperation(op)
			}
		}
	}
	doc.Webhooks = map[string]*huma.PathItem{"requestEnded": endedCall(api)}
	correct(doc.Components.Schemas.Map())
	return doc
}

// illustrateOperation adds examples to an operation's bodies.
func illustrateOperation(op *huma.Operation) {
	if e, ok := bodyExamples[op.OperationID]; ok {
		illustrate(op.RequestBody.Content["application/json"], e)
	}
	illustrateReplies(op)
}

// correct describes the schemas that huma generated, and removes unused members.
func correct(schemas map[string]*huma.Schema) {
	for _, unused := range []string{"ErrorModel", "ErrorDetail"} {
		delete(schemas, unused) // Huma's own errors, which are never sent.
	}
	schemas["NewPolicy"].Properties["need"] = needSchema(schemas["NewPolicy"].Properties["need"])
	for name, s := range schemas {
		s.Description = aboutSchemas[name]
		for _, member := range s.Properties {
			if member.Items != nil {
				member.Items.Nullable = false // Lists contain values, never null.
			}
		}
		s.AdditionalProperties = nil // The default; stating it confuses type generators.
	}
}

// common returns the parts that all operations share.
func common(api huma.API, rt *route) huma.Operation {
	op := huma.Operation{
		OperationID: rt.id, Tags: []string{rt.tag}, Method: rt.method, Path: rt.path, Summary: rt.summary, Description: rt.about,
		Responses: map[string]*huma.Response{}, Security: []map[string][]string{},
	}
	codes := slices.Clone(rt.errors)
	if slices.Contains(codes, http.StatusRequestEntityTooLarge) {
		codes = append(codes, http.StatusUnsupportedMediaType) // The operation has a body.
	}
	if !rt.open {
		op.Security = []map[string][]string{{"token": {}}}
		if rt.scope != access.Anything {
			op.Description += " The token needs the scope " + string(rt.scope) + "."
		}
		codes = append(codes, http.StatusUnauthorized, http.StatusForbidden, http.StatusMisdirectedRequest, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusServiceUnavailable)
	}
	codes = append(codes, http.StatusInternalServerError)
	for _, code := range codes {
		r := &huma.Response{Description: http.StatusText(code), Content: content(api, client.Problem{}, "application/problem+json", problemExamples[code]...)}
		if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
			r.Headers = retryAfter()
		}
		op.Responses[strconv.Itoa(code)] = r
	}
	return op
}

// aboutSchemas are the descriptions of the types.
var aboutSchemas = map[string]string{ //nolint:gosec // These are words about tokens.
	"Ailing":        "A part of the bridge that is out of order.",
	"Answer":        "What a person chose for one question.",
	"AnswerBody":    "What a person decides: answers to all questions, a reply in place of them, that they dismiss the request, or that they take back what they decided; or that they are on it, or pass it on.",
	"Choice":        "One vote's choice for one question.",
	"Count":         "How many people made the same choice.",
	"Voter":         "A person who may vote.",
	"AuditErase":    "Whose texts to erase from the audit trail.",
	"AuditErased":   "What was erased.",
	"AuditPage":     "A share of the audit trail.",
	"Stats":         "The numbers of the requests that were asked in a period.",
	"Share":         "The numbers of one route or agent.",
	"Numbers":       "How many requests there were, how they ended, and how long people took.",
	"Times":         "A summary of durations.",
	"PersonNumbers": "What one person did.",
	"Erase":         "What to erase of requests that have ended, and whose texts.",
	"Erased":        "What a share of an erasure has come to.",
	"History":       "What was done to a request.",
	"HistoryEvent":  "One thing that was done to a request.",
	"AskedBack":     "What a person asked the agent, and its reply.",
	"Receipt":       "Whether the agent has taken what was decided.",
	"ReplyBody":     "What an agent replies to a person.",
	"Revision":      "What takes the place of what a request asks.",
	"TakenBody":     "Which answer the agent used.",
	"CancelBody":    "Why a request is withdrawn.",
	"Delivery":      "The state of one copy of the card.",
	"GivenAnswer":   "An answer to one question.",
	"Grant":         "A call that a person has allowed for a time.",
	"GrantCeiling":  "How far and how long people may allow a call again without being asked.",
	"Grants":        "A list of grants.",
	"Health":        "How the bridge is.",
	"Attachment":    "A file below a card.",
	"File":          "A text that is too long for a card.",
	"Link":          "A link button. The card shows its address next to it.",
	"Origin":        "The conversation in which the agent works. A route that allows it asks there.",
	"Source":        "Where the agent works, such as a run, a pull request or a session.",
	"MadeToken":     "A new token. It is shown only once.",
	"NewPolicy":     "How many people decide.",
	"NewReplies":    "Which messages next to the card count as answers.",
	"Replies":       "Which messages next to the card count as answers, as effective for the request.",
	"NewQuestion":   "A question to ask. Without options it is answered with text.",
	"NewRequest":    "A question set to put in front of people.",
	"NewToken":      "A token to be made.",
	"Option":        "One choice of a question.",
	"Page":          "One page of a list.",
	"Person":        "A user of a platform.",
	"Problem":       "What went wrong (RFC 9457).",
	"ToolSchema":    "A question tool for registration with a model.",
	"Question":      "A question that was asked. Without options it is answered with text.",
	"Reloaded":      "What a reload has taken over.",
	"Backup":        "A copy of the store.",
	"Remark":        "A remark about one member of the input.",
	"Request":       "A question set and its state.",
	"Place":         "One place where a request is shown: a channel, a thread of a channel, or a person's direct messages.",
	"RotateToken":   "How a token is replaced.",
	"Token":         "A token's owner, permissions and state, without the secret.",
	"Tokens":        "A list of tokens.",
	"Claim":         "Who is on it.",
	"NewHours":      "When steps happen.",
	"NewSchedule":   "The escalation of an unanswered request.",
	"NewStep":       "One step of an escalation.",
	"Step":          "One step of an escalation.",
	"Unnotified":    "A person who could not be notified.",
	"Unanswered":    "An optional question without an answer.",
	"Vote":          "What one person wants, where several decide.",
	"Voting":        "How many people decide.",
	"Webhook":       "The state of the call to the agent.",
	"WebhookEvent":  "The body of a webhook call.",
}

// needSchema returns the schema of a number of people or a symbolic value.
func needSchema(s *huma.Schema) *huma.Schema {
	return &huma.Schema{Description: s.Description, OneOf: []*huma.Schema{
		{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(ask.MaxNeed))},
		{Type: huma.TypeString, Enum: []any{ask.All.String(), ask.Majority.String()}},
	}}
}

// webhookEvent is the body that package webhook sends.
type webhookEvent struct {
	Type      string         `json:"type" enum:"request.answered,request.cancelled,request.expired,request.superseded,request.failed,request.asked_back" doc:"How the request ended; or that it is open, and a person has asked its agent something"`
	Timestamp time.Time      `json:"timestamp" doc:"When the request ended, or the person asked"`
	Data      client.Request `json:"data" doc:"The request as GET /v1/requests/{id} shows it"`
}

// endedCall describes the webhook call to an agent.
func endedCall(api huma.API) *huma.PathItem {
	header := func(name, about string) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: about, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return &huma.PathItem{Post: &huma.Operation{
		OperationID: "requestEnded", Tags: []string{tagWebhooks}, Summary: "A request has ended, or a person asks its agent something",
		Description: "Sent to the webhook of a request when it ends and, with ask_back, when a person asks its agent something; signed as Standard Webhooks 1.0 specifies. " +
			"Look at the signature before anything else. Anything but 2xx and 410 is sent again for about three days.",
		Parameters: []*huma.Param{
			header("webhook-id", "The same in every attempt, to detect repetitions"),
			header("webhook-timestamp", "When this attempt was made, in seconds since 1970"),
			header("webhook-signature", "One or more of v1,<base64 of the HMAC-SHA256 of id.timestamp.body>, parted by spaces"),
		},
		RequestBody: &huma.RequestBody{Required: true, Content: content(api, webhookEvent{}, "application/json", webhookExample)},
		Responses: map[string]*huma.Response{
			"204": {Description: "Taken. Any 2xx will do."},
			"410": {Description: "Never again: the call is given up."},
		},
		Security: []map[string][]string{},
	}}
}

func document(version string, routes []route) ([]byte, error) {
	return json.Marshal(newDocument(version, routes))
}
