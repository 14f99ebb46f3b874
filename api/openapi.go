package api

import (
	"maps"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
)

// of are the parameters of an operation on one request.
type of struct {
	ID string `path:"id" doc:"The request"`
}

// ofWith are those of an operation that also has a body.
type ofWith[Body any] struct {
	ID   string `path:"id" doc:"The request"`
	Body Body
}

// The parameters of the other operations, parsed by hand where they are used.
type (
	submitParams struct {
		Key   string `header:"Idempotency-Key" maxLength:"256" doc:"Names this submission; sent again it finds the same request"`
		Trace string `header:"traceparent" doc:"The agent's W3C trace context. A malformed one is ignored." example:"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"`
		State string `header:"tracestate" doc:"Vendor data for traceparent. A malformed one is ignored." example:"rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"`
		Wait  string `query:"wait" doc:"How long to wait for the end, as in 30s or 30. More than the bridge's cap, 60s unless set, means the cap." example:"30s"`
		Heard int    `query:"heard" minimum:"0" doc:"A person's question to the agent with a higher number also ends the wait"`
		Body  client.NewRequest
	}
	readyParams struct {
		Part string `query:"part" enum:"store" doc:"Checks only this part and that the bridge is not shutting down: for probes that remove a failing replica. By default all parts are checked, including platforms."`
	}
	getParams struct {
		ID    string `path:"id" doc:"The request"`
		Wait  string `query:"wait" doc:"How long to wait for the end, as in 30s or 30. More than the bridge's cap, 60s unless set, means the cap." example:"30s"`
		Heard int    `query:"heard" minimum:"0" doc:"A person's question to the agent with a higher number also ends the wait"`
		As    string `query:"as" doc:"A dialect, to get the tool result of an agent host. 409 where that needs the tool input: POST it to /v1/requests/{id}/as/{dialect}." example:"claude"`
	}
	askToolParams struct {
		Key        string   `header:"Idempotency-Key" maxLength:"256" doc:"Names this call; sent again it finds the same request"`
		KeyCounts  string   `header:"Askbridge-Key" enum:"fallback" doc:"Uses the Idempotency-Key only if the input and the query do not contain both the call and its session: for a client that does not parse the input"`
		Trace      string   `header:"traceparent" doc:"The agent's W3C trace context. A malformed one is ignored." example:"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"`
		State      string   `header:"tracestate" doc:"Vendor data for traceparent. A malformed one is ignored." example:"rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"`
		To         []string `query:"to,explode" maxItems:"10" doc:"Where to ask: slack:C0000001, slack:C0000001/<thread>, slack:U0000001 for a person, discord:<channel>, discord:@<user>. Repeat it for several; the first complete answer wins everywhere." example:"slack:C0000001"`
		Route      string   `query:"route" doc:"A configured destination, in place of to"`
		Responders []string `query:"responders,explode" doc:"Who may answer: anyone, or <platform>:<id>. Absent: as configured."`
		Hold       string   `query:"hold" doc:"How long a decision can be undone. Never read from the tool input." example:"10s"`
		Risk       string   `query:"risk" enum:"high" doc:"high: people confirm what they choose. Never read from the tool input."`
		Policy     string   `query:"policy" doc:"How many people decide, as the JSON of the member policy of a request. Never read from the tool input." example:"{\"mode\":\"quorum\",\"need\":2}"`
		Notify     []string `query:"notify,explode" maxItems:"20" doc:"Who is notified, as in a request, or nobody. Never read from the tool input." example:"slack-group:S0000001"`
		Replies    string   `query:"replies" doc:"Which messages next to the card answer it: off, labels or text, or the JSON of the member replies of a request. Never read from the tool input." example:"labels"`
		AskBack    string   `query:"ask_back" enum:"off,end" doc:"Whether people can ask the agent something instead of answering, which ends the request because the host receives nothing before the end. Never read from the tool input." example:"end"`
		Receipts   bool     `query:"receipts" doc:"Whether the card shows that the agent has received an answer"`
		Schedule   string   `query:"schedule" doc:"The escalation of an unanswered request, as the JSON of the member schedule of a request. Never read from the tool input." example:"{\"steps\":[{\"after\":\"30m\",\"do\":\"remind\"}]}"`
		ExpiresIn  string   `query:"expires_in" doc:"How long people have: 30m, 24h, 2d, never. Absent: as configured." example:"30m"`
		ToolCallID string   `query:"tool_call_id" maxLength:"256" doc:"The agent host's id of the tool call, where the input does not name it"`
		Session    string   `query:"session" maxLength:"256" doc:"Groups the requests of one agent run"`
		Agent      string   `query:"agent" maxLength:"256" doc:"The name shown, where tokens are not used"`
		Context    string   `query:"context" doc:"A line or two above the questions"`
		Language   string   `query:"language" doc:"The language of the card's own texts: de, en or es. Absent: as configured. Never read from the tool input." example:"de"`
		Origin     string   `query:"origin" doc:"The conversation in which the agent works, as the JSON of the member origin of a request. Never read from the tool input." example:"{\"platform\":\"slack\",\"channel\":\"C0000001\",\"thread\":\"1700000000.000100\",\"people\":[\"slack:U0000001\"]}"`
		Source     string   `query:"source" doc:"Where the agent works, as the JSON of the member source of a request. Never read from the tool input." example:"{\"title\":\"billing, run 42\",\"url\":\"https://ci.example.com/billing/runs/42\"}"`
		Webhook    string   `query:"webhook" doc:"A URL to call when the request ends"`
		Variant    []string `query:"variant,explode" enum:"strict,released,partial,notes" doc:"How the call differs from what its host documents: strict rejects input that is otherwise accepted with advice; released follows the host's released code; partial lets people skip questions, notes lets them add a note to an answer, both if the host's format supports it"`
		Subagent   string   `query:"subagent" doc:"true, or the sub-agent's name, when a sub-agent calls. The token must permit it." example:"explorer"`
		Within     string   `query:"within" doc:"As in a request, with same." example:"10m"`
		Same       string   `query:"same" enum:"session,agent,off" doc:"As in a request. Absent: session, where the call has neither a key nor an id and its session is known; off has it asked in any case."`
		Wait       string   `query:"wait" doc:"How long to wait for the end, as in 30s or 30. More than the bridge's cap, 60s unless set, means the cap." example:"30s"`
	}
	resultAsParams struct {
		ID      string   `path:"id" doc:"The request"`
		Variant []string `query:"variant,explode" enum:"strict,released,partial,notes" doc:"As it was asked with"`
		Wait    string   `query:"wait" doc:"How long to wait for the end, as in 30s or 30. More than the bridge's cap, 60s unless set, means the cap." example:"30s"`
	}
	listParams struct {
		State   string `query:"state" enum:"open,answered,cancelled,expired,superseded,failed,ended" default:"open" doc:"ended means all but open"`
		Webhook string `query:"webhook" enum:"due,taken,dead" doc:"Only requests whose webhook is in this state; lists ended ones unless state is given"`
		Since   string `query:"since" format:"date-time" doc:"Only requests that have ended then or later; not with state open" example:"2026-11-24T09:30:00Z"`
		Mine    bool   `query:"mine" doc:"Only open requests that wait for the person who holds the token: they may answer, and have not voted. Needs the scope answer"`
		Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"The most requests of one page"`
		Cursor  string `query:"cursor" doc:"The next of the page before"`
	}
	answerParams struct {
		ID   string `path:"id" doc:"The request"`
		Key  string `header:"Idempotency-Key" maxLength:"256" doc:"Names this answer; sent again it is the same one"`
		Body client.AnswerBody
	}
	createTokenParams struct {
		Body client.NewToken
	}
	rotateTokenParams struct {
		Token string `path:"token" doc:"The token's id, or its agent's name"`
		Body  *client.RotateToken
	}
	revokeTokenParams struct {
		Token string `path:"token" doc:"The token's id, or its agent's name"`
	}
	auditParams struct {
		Tenant string `query:"tenant" doc:"Whose chain; absent for all"`
		Texts  bool   `query:"texts" doc:"Whether to bring what people wrote and the names they go by"`
		Cursor string `query:"cursor" doc:"The next of the page before"`
	}
	statsParams struct {
		Since  string `query:"since" format:"date-time" doc:"Count requests that were asked then or later; seven days ago if absent" example:"2026-11-24T09:30:00Z"`
		Until  string `query:"until" format:"date-time" doc:"Count those that were asked before; now if absent" example:"2026-11-25T09:30:00Z"`
		Tenant string `query:"tenant" doc:"Whose requests; absent for all"`
	}
	eraseAuditParams struct {
		Body client.AuditErase
	}
	eraseParams struct {
		Body client.Erase
	}
	revokeGrantParams struct {
		Grant string `path:"grant" doc:"The grant's id"`
	}
	followParams struct {
		ID   string `path:"id" doc:"The request"`
		Last string `header:"Last-Event-ID" doc:"The id of the last event seen"`
	}
	followAllParams struct {
		Last string `header:"Last-Event-ID" doc:"The id of the last event seen"`
	}
)

// shows describes an operation that responds with 200 and a body.
func shows[In, Out any](api huma.API, op huma.Operation) {
	huma.Register[In, struct{ Body Out }](api, op, nil)
}

func asks(api huma.API, op huma.Operation) {
	op.DefaultStatus = http.StatusCreated
	op.Responses["201"] = &huma.Response{
		Description: "Asked", Headers: located(),
		Content: content(api, client.Request{}, "application/json", openExample, answeredExample),
	}
	op.Responses["200"] = &huma.Response{
		Description: "Asked before; its current state", Headers: located(),
		Content: content(api, client.Request{}, "application/json", answeredExample),
	}
	op.RequestBody = &huma.RequestBody{Required: true, Content: content(api, client.NewRequest{}, "application/json", askExamples()...)}
	shows[submitParams, client.Request](api, op)
}

func gets(api huma.API, op huma.Operation) {
	own := content(api, client.Request{}, "application/json", openExample, answeredExample, expiredExample)
	maps.Copy(own, map[string]*huma.MediaType{textKind: {Schema: &huma.Schema{Type: huma.TypeString}}})
	op.Responses["200"] = &huma.Response{Description: "The request, or with as its tool result", Content: own, Headers: toolHeaders()}
	op.Responses["202"] = &huma.Response{Description: "With as: open still", Content: toolContent(), Headers: toolHeaders()}
	shows[getParams, client.Request](api, op)
}

// textKind is the content type of results that are plain text.
const textKind = "text/plain; charset=utf-8"

// toolContent is the host's own format, which is not described here.
func toolContent() map[string]*huma.MediaType {
	return map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{}}, textKind: {Schema: &huma.Schema{Type: huma.TypeString}},
	}
}

func toolHeaders() map[string]*huma.Param {
	all := located()
	for name, about := range map[string]string{
		client.HeaderRequestID: "The request; absent if none was created",
		client.HeaderState:     "A state of the request, or refused: the input was not accepted and no question was asked",
		client.HeaderIsError:   "Whether the model or its host will see an error",
		client.HeaderStopTurn:  "true: the host should end the agent's turn",
		client.HeaderProblems:  "What was wrong with a refused tool input, as a JSON list of path and detail",
		client.HeaderSend:      "The host's own endpoint for the body, if the host expects the answer in a separate call",
	} {
		all[name] = &huma.Param{Description: about, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return all
}

// speaks describes an operation in an agent host's format.
func speaks(asks bool) describer {
	return func(api huma.API, op huma.Operation) {
		headers := toolHeaders()
		if asks {
			headers[client.HeaderAdvice] = &huma.Param{
				Description: "What was ignored or read otherwise than it was sent in an accepted tool input: a JSON list of path and detail in printable ASCII, of at most 4096 bytes. " +
					"If not everything fits, the last entry counts the rest. Absent if there are none.",
				Schema: &huma.Schema{Type: huma.TypeString}, Example: `[{"path":"questions[0].multiple","detail":"was read as multiSelect"}]`,
			}
		}
		op.Responses["200"] = &huma.Response{Description: "The tool result", Content: toolContent(), Headers: headers}
		op.Responses["202"] = &huma.Response{Description: "Open still; the body is what the host expects then, and may be empty", Content: toolContent(), Headers: headers}
		op.RequestBody = &huma.RequestBody{Required: true, Description: "The tool input, byte for byte", Content: toolContent()}
		var names []any
		for _, name := range dialectNames() {
			names = append(names, name)
		}
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "dialect", In: "path", Required: true, Description: "The agent host's form",
			Schema: &huma.Schema{Type: huma.TypeString, Enum: names},
		})
		if asks {
			huma.Register[askToolParams, struct{}](api, op, nil)
			return
		}
		huma.Register[resultAsParams, struct{}](api, op, nil)
	}
}

// describesTool describes the schema of a host's tool.
func describesTool(api huma.API, op huma.Operation) {
	var names []any
	for _, d := range dialect.All() {
		if _, ok := d.ToolSchema(); ok {
			names = append(names, d.Name)
		}
	}
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "dialect", In: "path", Required: true, Description: "The agent host's form",
		Schema: &huma.Schema{Type: huma.TypeString, Enum: names},
	})
	shows[struct{}, dialect.ToolSchema](api, op)
}

func cancels(api huma.API, op huma.Operation) {
	op.RequestBody = &huma.RequestBody{Content: content(api, client.CancelBody{}, "application/json", cancelExample)}
	op.Responses["200"] = &huma.Response{
		Description: "The request, which has ended", Content: content(api, client.Request{}, "application/json", cancelledExample),
	}
	shows[ofWith[*client.CancelBody], client.Request](api, op)
}

func answers(api huma.API, op huma.Operation) {
	op.RequestBody = &huma.RequestBody{Required: true, Content: content(api, client.AnswerBody{}, "application/json", givenExample)}
	op.Responses["200"] = &huma.Response{
		Description: "The request with the answer", Content: content(api, client.Request{}, "application/json", overAPIExample),
	}
	shows[answerParams, client.Request](api, op)
}

// makes describes an operation that issues a token.
func makes[In any](api huma.API, op huma.Operation) {
	op.DefaultStatus = http.StatusCreated
	op.Responses["201"] = &huma.Response{Description: "Made", Content: content(api, client.MadeToken{}, "application/json", madeExample)}
	shows[In, client.MadeToken](api, op)
}

func probes(api huma.API, op huma.Operation) {
	op.Responses["503"] = &huma.Response{Description: "Something is out of order", Content: content(api, Health{}, "application/json")}
	shows[readyParams, Health](api, op)
}

// streams describes server-sent events.
func streams[In any](api huma.API, op huma.Operation) {
	op.Responses["200"] = &huma.Response{
		Description: "Events whose data is a Request",
		Content: map[string]*huma.MediaType{"text/event-stream": {
			Schema:   &huma.Schema{Type: huma.TypeString, Description: "Server-sent events; the data of each is a Request as JSON"},
			Examples: map[string]*huma.Example{"answered": {Summary: "One event", Value: eventExample()}},
		}},
	}
	if op.OperationID == "requestEvents" {
		op.Responses["204"] = &huma.Response{Description: "No new events, and there never will be any"}
	}
	huma.Register[In, struct{}](api, op, nil)
}

func itself(api huma.API, op huma.Operation) {
	op.Responses["200"] = &huma.Response{
		Description: "This document",
		Content:     map[string]*huma.MediaType{"application/openapi+json": {Schema: &huma.Schema{Type: huma.TypeObject}}},
	}
	huma.Register[struct{}, struct{}](api, op, nil)
}

func retryAfter() map[string]*huma.Param {
	return map[string]*huma.Param{"Retry-After": {
		Description: "Seconds until the call should be repeated", Schema: &huma.Schema{Type: huma.TypeInteger},
	}}
}

// located are the headers of a response with the location of the request.
func located() map[string]*huma.Param {
	all := retryAfter()
	all["Location"] = &huma.Param{
		Description: "The URL of the request's state", Schema: &huma.Schema{Type: huma.TypeString, Format: "uri-reference"},
	}
	return all
}

// content describes bodies of a type.
func content(api huma.API, v any, kind string, examples ...example) map[string]*huma.MediaType {
	t := reflect.TypeOf(v)
	media := &huma.MediaType{Schema: api.OpenAPI().Components.Schemas.Schema(t, true, t.Name())}
	illustrate(media, examples...)
	return map[string]*huma.MediaType{kind: media}
}

func illustrate(media *huma.MediaType, examples ...example) {
	for _, e := range examples {
		if media.Examples == nil {
			media.Examples = map[string]*huma.Example{}
		}
		media.Examples[e.name] = &huma.Example{Summary: e.about, Value: e.value()}
	}
}
