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

// Members of _meta that identify a call, so that a repeated one is recognized.
const (
	// claudeToolUse is sent by Claude Code with every call, also of sub-agents.
	// It is undocumented; several independent projects rely on it.
	claudeToolUse = "claudecode/toolUseId"
	// ownKey is for clients with their own idempotency keys.
	ownKey = "askbridge/idempotencyKey"
	// traceParent and traceState are the trace context of the agent,
	// https://modelcontextprotocol.io/seps/414-request-meta.md.
	traceParent, traceState = "traceparent", "tracestate"
)

// metaText returns a member of the call's _meta.
func metaText(req *mcp.CallToolRequest, name string) string {
	s, _ := req.Params.Meta[name].(string)
	return s
}

// header returns the header of the HTTP request with the call, or nil.
func (c *call) header() http.Header {
	if c.req.Extra == nil {
		return nil
	}
	return c.req.Extra.Header
}

func (c *call) toolUse() string { return metaText(c.req, claudeToolUse) }

// agent returns the name of the agent, or "" if the agent's own word counts.
func (c *call) agent() string {
	if who := c.caller(); who != nil && who.Name != "" {
		return who.Name
	}
	return c.s.opts.Agent
}

// request parses the arguments of ask_user. Its error is an [*ask.InvalidError] with every
// problem that can be found without the bridge.
func (c *call) request() (ask.Request, []string, error) {
	data := arguments(c.req)
	if len(data) > dialect.MaxInput {
		return ask.Request{}, nil, invalid("arguments", ask.ErrTooLong, "have %d bytes; at most %d are read, so shorten descriptions and previews", len(data), dialect.MaxInput)
	}
	if err := ask.CheckMembers(data); err != nil {
		return ask.Request{}, nil, err // lift would hide it.
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
	r.Deaf = true // A tool call gets nothing before its end.
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

// trace sets the trace context, from the call or its HTTP request.
func (c *call) trace(r *ask.Request) {
	r.TraceParent, r.TraceState = metaText(c.req, traceParent), metaText(c.req, traceState)
	if sent := c.header()["Traceparent"]; r.TraceParent == "" && len(sent) == 1 {
		r.TraceParent, r.TraceState = sent[0], ask.TraceState(c.header()["Tracestate"]...)
	}
}

// identify sets the session and the agent, and returns the member that contradicts.
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

// withhold clears members that a model may not set, and returns their names.
func withhold(r *ask.Request) (ignored []string) {
	for _, m := range []struct {
		name  string
		set   bool
		clear func()
	}{
		{"policy", !r.Voting.IsZero(), func() { r.Voting = ask.Voting{} }},         // How many people have to agree.
		{"notify", r.Notify != nil, func() { r.Notify = nil }},                     // Who is notified.
		{"replies", !r.Replies.IsZero(), func() { r.Replies = ask.Replies{} }},     // What typed text counts as consent.
		{"hold", r.Hold != 0, func() { r.Hold = 0 }},                               // How long people can undo.
		{"risk", r.Risk != "", func() { r.Risk = "" }},                             // What takes a second tap.
		{"ask_back", r.AskBack != "", func() { r.AskBack = "" }},                   // Whether people can ask back.
		{"language", r.Language != "", func() { r.Language = "" }},                 // The language of the card.
		{"source", !r.Source.IsZero(), func() { r.Source = ask.Source{} }},         // Where the card says the agent works.
		{"receipts", r.Receipts, func() { r.Receipts = false }},                    // What the card shows about the agent.
		{"schedule", !r.Schedule.IsZero(), func() { r.Schedule = ask.Schedule{} }}, // Escalation.
		{"webhook", r.Webhook != "", func() { r.Webhook = "" }},                    // The agent waits here, and prompt injection could choose the address.
	} {
		if m.set {
			m.clear()
			ignored = append(ignored, m.name)
		}
	}
	for n, q := range r.Questions {
		for o := range q.Options { // A model could make what it wants look harmless.
			if q.Options[o].Style != "" {
				q.Options[o].Style = ""
				ignored = append(ignored, fmt.Sprintf("questions[%d].options[%d].style", n, o))
			}
		}
	}
	return ignored
}

// refusal adds the problems that the bridge would find, since it does not get this request.
func (o *Options) refusal(r *ask.Request, problems []ask.Problem) *ask.InvalidError {
	wrong := ask.InvalidError{Problems: problems}
	return wrong.Merge(r.Validate(&ask.Rules{MaxQuestions: o.MaxQuestions, MaxOptions: o.MaxOptions}))
}

// may reports whether the model may set a member of a call.
func (o *Options) may(member string) bool { return slices.Contains(o.ModelMaySet, member) }

// within returns the options for a caller, whose token can allow the model to set more and can limit the routes.
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

// place sets where people are asked, and returns the problems of the places, the route and the responders that the model
// set.
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
		r.Responders = nil // Their other problems do not matter.
	}
	if !r.Origin.IsZero() && !o.may(access.ModelOrigin) {
		refuse(access.ModelOrigin, ask.ErrTarget)
		r.Origin = ask.Origin{}
	}
	if r.Origin.IsZero() {
		r.Origin = o.Origin
	}
	if r.To == nil && r.Route == "" {
		c.usual(r)
	}
	return problems
}

// usual sets the place or route for a request without one, from the options, else from the caller's token.
func (c *call) usual(r *ask.Request) {
	o := &c.s.opts
	r.To, r.Route = append([]ask.Place(nil), o.To...), o.Route
	if who := c.caller(); who != nil && r.To == nil && r.Route == "" {
		r.To, r.Route = who.Places.Default()
	}
}

// arguments returns the arguments of a call as an object, also if they are absent or
// an object encoded as a string.
func arguments(req *mcp.CallToolRequest) json.RawMessage {
	data, _ := textinput.Unwrap(req.Params.Arguments)
	if len(data) == 0 || string(data) == "null" {
		return json.RawMessage("{}")
	}
	return data
}

// questionMembers are members of a question that some models send outside of a list.
var questionMembers = []string{"question", "header", "options", "noOther", "no_other", "type"}

// lift moves a question's members, sent next to the others, into a list, and removes
// request_id, which clients send as an idempotency key.
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

// remarshal encodes what was decoded before.
func remarshal(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("mcpserver: JSON that was read can be written: " + err.Error())
	}
	return data
}

// requestID parses the arguments of wait_for_answer.
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
