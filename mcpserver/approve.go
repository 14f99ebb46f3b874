package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
)

// approveName is the tool for "claude -p --permission-prompt-tool mcp__askbridge__approve". Claude Code itself calls it
// for each permission prompt and question, and expects {"behavior":"allow","updatedInput":…} or
// {"behavior":"deny","message":…} as text. Every end without a person's decision is a denial, since such a run has no
// other screen. https://code.claude.com/docs/en/cli-reference
const approveName = "approve"

// respondersQuery is the query parameter in which a client over HTTP names [Options.Permitters].
const respondersQuery = "responders"

func approveTool() *mcp.Tool {
	return &mcp.Tool{
		Name: approveName, Description: "For claude --permission-prompt-tool. Do not call it yourself: that allows nothing.",
		InputSchema: needs(object("", member{"tool_name", text("")}, member{"input", object("")}, member{"tool_use_id", text("")}), "tool_name", "input", "tool_use_id"),
	}
}

// modelCall is the result for a model that calls the tool.
const modelCall = "No one was asked. This call allows nothing: only Claude Code itself calls this tool, with the id of the tool call that needs a decision."

// approve returns the tool, with the people who may allow something.
func approve(permitters []string) func(*call, context.Context) (*result, error) {
	return func(c *call, ctx context.Context) (*result, error) {
		input := arguments(c.req)
		// Claude Code puts the ID of the call that needs a decision into both places. A call by a model has a separate ID,
		// which the model does not know.
		if id := c.toolUse(); id == "" || id != toolUseIn(input) {
			return &result{State: refused, Message: modelCall}, nil
		}
		o := &c.s.opts
		r := ask.Request{Session: o.Session, Agent: c.agent(), Origin: o.Origin, Responders: permitters}
		c.usual(&r)
		c.trace(&r)
		ended, err := c.decide(ctx, client.ToolCall{Dialect: "claude", Input: input, Request: r})
		if err != nil {
			res := c.trouble(err)
			if res.Errors != nil {
				res.refuse("", res.Errors) // The model can correct none of them.
			}
			return &result{ID: c.about, State: res.State, Message: denied(res.Message), verdict: true}, nil
		}
		res := &result{ID: c.about, State: state(ended.State), Message: string(ended.Body), verdict: true}
		if res.State == state(ask.Open) || res.Message == "" {
			res.State, res.Message = pending, denied("No one decided, so it was not allowed.")
		}
		return res, nil
	}
}

// toolUseIn returns the tool-use id in the arguments, empty if there is none.
func toolUseIn(input json.RawMessage) string {
	var sent struct {
		ID string `json:"tool_use_id"`
	}
	_ = json.Unmarshal(input, &sent) // Without an id the call is refused.
	return sent.ID
}

// denied is the result that denies a call.
func denied(why string) string {
	data, err := json.Marshal(map[string]string{"behavior": "deny", "message": why})
	if err != nil {
		panic("mcpserver: a map of strings always encodes: " + err.Error())
	}
	return string(data)
}

// hostCalls submits a host's tool call and returns the result in the host's format. A [*client.Client] lets the bridge
// behind the API do both.
type hostCalls interface {
	SubmitTool(ctx context.Context, t client.ToolCall) (*client.ToolResult, error)
	WaitTool(ctx context.Context, id, dialect string, input []byte, variants ...string) (*client.ToolResult, error)
	ToolResult(ctx context.Context, id, dialect string, input []byte, variants ...string) (*client.ToolResult, error)
}

// hostCalls returns the bridge of the call as hostCalls.
func (c *call) hostCalls() hostCalls {
	if far, ok := c.line.bridge.(remote); ok {
		return far.client
	}
	return inProcess{c}
}

// decide asks people about a tool call of the host, and closes the card when the wait ends without an answer: no later
// call comes back for it.
func (c *call) decide(ctx context.Context, t client.ToolCall) (*client.ToolResult, error) {
	asks := c.hostCalls()
	now, err := asks.SubmitTool(ctx, t)
	if err != nil {
		return nil, err
	}
	if c.about = now.RequestID; now.State != ask.Open {
		return now, nil
	}
	c.beat.say(ctx, "Waiting for a person to decide request "+now.RequestID)
	last, err := asks.WaitTool(ctx, now.RequestID, t.Dialect, t.Input)
	if err == nil {
		return last, nil
	}
	reason := "the agent has stopped waiting"
	if errors.Is(context.Cause(ctx), errBudget) {
		reason = "nobody answered in time"
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	if _, failed := c.line.bridge.Cancel(after, now.RequestID, reason); failed != nil {
		return nil, errors.Join(err, failed)
	}
	return asks.ToolResult(after, now.RequestID, t.Dialect, t.Input)
}

// inProcess asks over a bridge in this process.
type inProcess struct{ *call }

func (p inProcess) dialect(name string) (dialect.Dialect, *dialect.Options) {
	d, _ := dialect.Get(name)
	opts := &dialect.Options{}
	if who := p.caller(); who != nil {
		opts.Persist, opts.Grants = dialect.Persist(who.Persist), who.Grants
	}
	return d, opts
}

func (p inProcess) SubmitTool(ctx context.Context, t client.ToolCall) (*client.ToolResult, error) {
	d, opts := p.dialect(t.Dialect)
	got, err := d.Decode(t.Input, opts)
	if err != nil {
		return &client.ToolResult{State: client.StateRefused, Body: d.Refuse(t.Input, err).Body}, nil
	}
	r := got.Request
	r.Session, r.Agent, r.To, r.Route, r.Origin, r.Responders, r.Deaf = t.Session, t.Agent, t.To, t.Route, t.Origin, t.Responders, true
	r.TraceParent, r.TraceState = t.TraceParent, t.TraceState
	made, err := p.line.bridge.Submit(ctx, r)
	if err != nil {
		p.about = made.Record.ID
		return nil, err
	}
	return p.result(&made.Record, t.Dialect, t.Input), nil
}

func (p inProcess) WaitTool(ctx context.Context, id, dialect string, input []byte, _ ...string) (*client.ToolResult, error) {
	r, err := p.line.bridge.Wait(ctx, id)
	if err != nil {
		return nil, err
	}
	return p.result(r, dialect, input), nil
}

func (p inProcess) ToolResult(ctx context.Context, id, dialect string, input []byte, _ ...string) (*client.ToolResult, error) {
	r, err := p.line.bridge.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	return p.result(&r, dialect, input), nil
}

// result returns the request in the host's format. An answer to revised questions does not answer the call.
func (p inProcess) result(r *bridge.Record, name string, input []byte) *client.ToolResult {
	d, opts := p.dialect(name)
	out := r.Outcome
	if r.Revised > 0 && out.State == ask.Answered {
		out = ask.Outcome{State: ask.Failed, Reason: "the questions were revised", At: out.At}
	}
	p.handed(r)
	opts.RequestID = r.ID
	return &client.ToolResult{RequestID: r.ID, State: out.State, Body: d.Encode(input, out, opts).Body}
}
