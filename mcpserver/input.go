package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/internal/spelling"
	"github.com/askbridge/askbridge/internal/textinput"
)

// Where a client says which call this is, so that a repeated one is known.
const (
	// claudeToolUse is sent by Claude Code with every call, also of sub-agents.
	// It is not documented; several independent projects rely on it.
	claudeToolUse = "claudecode/toolUseId"
	// ownKey is for clients that keep a key of their own.
	ownKey = "askbridge/idempotencyKey"
	// traceParent and traceState are where the agent is in its own trace,
	// https://modelcontextprotocol.io/seps/414-request-meta.md.
	traceParent, traceState = "traceparent", "tracestate"
)

// metaText returns a member of the call's _meta.
func metaText(req *mcp.CallToolRequest, name string) string {
	s, _ := req.Params.Meta[name].(string)
	return s
}

// header is that of the HTTP request that brought the call, nil where none did.
func (c *call) header() http.Header {
	if c.req.Extra == nil {
		return nil
	}
	return c.req.Extra.Header
}

func (c *call) toolUse() string { return metaText(c.req, claudeToolUse) }

// agent is the name of whoever asks, empty where the agent says it itself.
func (c *call) agent() string {
	if who := c.caller(); who != nil && who.Name != "" {
		return who.Name
	}
	return c.s.opts.Agent
}

// request reads the arguments of ask_user. Its error is an [*ask.InvalidError]
// naming everything wrong with them that can be told without the bridge.
func (c *call) request() (ask.Request, []string, error) {
	data := arguments(c.req)
	if len(data) > dialect.MaxInput {
		return ask.Request{}, nil, invalid("arguments", ask.ErrTooLong, "have %d bytes; at most %d are read, so shorten descriptions and previews", len(data), dialect.MaxInput)
	}
	if err := ask.CheckMembers(data); err != nil {
		return ask.Request{}, nil, err // Lifting would hide it.
	}
	data, key := lift(data)
	r, ignored, err := ask.DecodeRequest(data)
	wrong, _ := errors.AsType[*ask.InvalidError](err)
	if err != nil && wrong == nil {
		return r, nil, err
	}
	if r.Key == "" {
		r.Key = key
	}
	if own := metaText(c.req, ownKey); own != "" {
		r.Key = own
	}
	if id := c.toolUse(); id != "" {
		r.ToolCallID = id
	}
	c.trace(&r)
	ignored = append(ignored, c.identify(&r)...)
	ignored = append(ignored, withhold(&r)...)
	r.Deaf = true // A call of a tool hears nothing before its end.
	var problems []ask.Problem
	if wrong != nil {
		problems = wrong.Problems
	}
	problems = append(problems, c.place(&r)...)
	if len(problems) > 0 {
		return r, ignored, c.s.opts.refusal(&r, problems)
	}
	return r, ignored, nil
}

// trace sets where the agent is in its own trace: as the call says, or what brought it.
func (c *call) trace(r *ask.Request) {
	r.TraceParent, r.TraceState = metaText(c.req, traceParent), metaText(c.req, traceState)
	if sent := c.header()["Traceparent"]; r.TraceParent == "" && len(sent) == 1 {
		r.TraceParent, r.TraceState = sent[0], ask.TraceState(c.header()["Tracestate"]...)
	}
}

// identify sets who asks, and returns the member that says otherwise.
func (c *call) identify(r *ask.Request) (ignored []string) {
	if r.Session == "" {
		r.Session = c.s.opts.Session
	}
	if name := c.agent(); name != "" {
		if r.Agent != "" && r.Agent != name {
			ignored = []string{"agent"}
		}
		r.Agent = name
	}
	return ignored
}

// withhold clears what is not the model's to say, and returns the members that said it.
func withhold(r *ask.Request) (ignored []string) {
	for _, m := range []struct {
		name  string
		said  bool
		clear func()
	}{
		{"policy", !r.Voting.IsZero(), func() { r.Voting = ask.Voting{} }},         // How many have to agree with it.
		{"notify", r.Notify != nil, func() { r.Notify = nil }},                     // Whom the bridge rings in its name.
		{"replies", !r.Replies.IsZero(), func() { r.Replies = ask.Replies{} }},     // What counts as consent.
		{"hold", r.Hold != 0, func() { r.Hold = 0 }},                               // How long people can change their minds.
		{"ask_back", r.AskBack != "", func() { r.AskBack = "" }},                   // Whether they can ask back.
		{"language", r.Language != "", func() { r.Language = "" }},                 // What they read the card in.
		{"receipts", r.Receipts, func() { r.Receipts = false }},                    // What the card says of the agent.
		{"schedule", !r.Schedule.IsZero(), func() { r.Schedule = ask.Schedule{} }}, // Whom they turn to while those stay silent.
		{"webhook", r.Webhook != "", func() { r.Webhook = "" }},                    // The agent waits here; an address it was talked into would be told too.
	} {
		if m.said {
			m.clear()
			ignored = append(ignored, m.name)
		}
	}
	return ignored
}

// refusal adds whatever else is wrong, as the bridge will not see this request.
func (o *Options) refusal(r *ask.Request, problems []ask.Problem) *ask.InvalidError {
	wrong := ask.InvalidError{Problems: problems}
	return wrong.Merge(r.Validate(&ask.Rules{MaxQuestions: o.MaxQuestions, MaxOptions: o.MaxOptions}))
}

// may reports whether the model may set a member of a call.
func (o *Options) may(member string) bool { return slices.Contains(o.ModelMaySet, member) }

// within returns the options of one caller, whose token can let the model set more and has the routes to choose from.
func (o *Options) within(who *access.Caller) Options {
	own := *o
	if who == nil {
		return own
	}
	own.ModelMaySet = slices.Concat(o.ModelMaySet, who.ModelMaySet)
	if isRoute := func(member string) bool { return member == access.ModelRoute }; own.may(access.ModelRoute) && len(who.Routes) > 0 {
		own.Routes, own.ModelMaySet = who.Routes, slices.DeleteFunc(own.ModelMaySet, isRoute)
	}
	return own
}

// place settles where people are asked, and returns what is wrong with what the model says about it and about who may
// answer.
func (c *call) place(r *ask.Request) []ask.Problem {
	who := c.caller()
	o := c.s.opts.within(who)
	var problems []ask.Problem
	refuse := func(member string, kind error) {
		detail := "the model may not set this; leave it out"
		if who != nil {
			detail += " (the operator can allow it with model_may_set of the token)"
		}
		problems = append(problems, problem(member, kind, "%s", detail))
	}
	if r.To != nil && !o.may(access.ModelTo) {
		refuse(access.ModelTo, ask.ErrTarget)
	}
	switch {
	case r.Route == "" || o.may(access.ModelRoute) || slices.Contains(o.Routes, r.Route):
	case len(o.Routes) > 0:
		problems = append(problems, problem(access.ModelRoute, ask.ErrTarget, "%q is not one of %s", r.Route, strings.Join(o.Routes, ", ")))
	default:
		refuse(access.ModelRoute, ask.ErrTarget)
	}
	if r.Responders != nil && !o.may(access.ModelResponders) {
		refuse(access.ModelResponders, ask.ErrResponders)
		r.Responders = nil // What else is wrong with them does not matter.
	}
	if r.To == nil && r.Route == "" {
		c.usual(r)
	}
	return problems
}

// usual sends a request where questions go that name no place: as the options say, or else the caller's token.
func (c *call) usual(r *ask.Request) {
	o := &c.s.opts
	r.To, r.Route = append([]ask.Place(nil), o.To...), o.Route
	if who := c.caller(); who != nil && r.To == nil && r.Route == "" {
		r.To, r.Route = who.Places.Default()
	}
}

// arguments returns the arguments of a call as an object, also when they were
// left out or sent as a string that holds one.
func arguments(req *mcp.CallToolRequest) json.RawMessage {
	data, _ := textinput.Unwrap(req.Params.Arguments)
	if len(data) == 0 || string(data) == "null" {
		return json.RawMessage("{}")
	}
	return data
}

// questionMembers are those of a question that some models send without the
// list around it.
var questionMembers = []string{"question", "header", "options", "noOther", "no_other", "type"}

// lift puts a question that stands beside the other members into a list of one,
// and takes out request_id, which clients send as their own key for the call.
func lift(data json.RawMessage) (json.RawMessage, string) {
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil || all == nil {
		return data, ""
	}
	var key string
	if json.Unmarshal(all["request_id"], &key) == nil {
		delete(all, "request_id")
	}
	if all["questions"] == nil && all["question"] != nil {
		one := map[string]json.RawMessage{}
		for name, v := range all {
			if slices.Contains(questionMembers, name) || spelling.Several(name) {
				one[name] = v
				delete(all, name)
			}
		}
		all["questions"] = remarshal([]any{one})
	}
	return remarshal(all), key
}

// remarshal writes what has just been read.
func remarshal(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("mcpserver: JSON that was read can be written: " + err.Error())
	}
	return data
}

// requestID reads the arguments of wait_for_answer.
func (c *call) requestID() (string, error) {
	var all map[string]json.RawMessage
	data := arguments(c.req)
	if err := json.Unmarshal(data, &all); err != nil {
		return "", invalid("arguments", ask.ErrSyntax, `must be an object such as {"id":"…"}`)
	}
	for _, name := range []string{"id", "request_id", "requestId"} {
		var id string
		if json.Unmarshal(all[name], &id) != nil {
			continue
		}
		if id = strings.TrimSpace(id); id != "" && len(id) <= ask.MaxName {
			return id, nil
		}
	}
	return "", invalid("id", ask.ErrSyntax, `give the id from a result with the state "pending"`)
}

func problem(path string, kind error, format string, args ...any) ask.Problem {
	return ask.Problem{Path: path, Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

func invalid(path string, kind error, format string, args ...any) *ask.InvalidError {
	return &ask.InvalidError{Problems: []ask.Problem{problem(path, kind, format, args...)}}
}
