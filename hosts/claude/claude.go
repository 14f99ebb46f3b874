package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

const (
	// DefaultWait is how long a hook waits for people.
	DefaultWait = 12 * time.Hour
	// DefaultDeferWait is how long it waits before it defers.
	DefaultDeferWait = 10 * time.Second
	// DefaultAway is how long it bears a bridge that does not answer.
	DefaultAway = 2 * time.Minute
	// lastWord bounds what is still done once the host has stopped waiting: it
	// kills a hook that goes on.
	lastWord = 4 * time.Second
	// grace is how much longer than the hook the request stays open, should the
	// hook be killed before it can close the card.
	grace = time.Minute
)

// Options are the settings of a hook. Zero values mean the defaults.
type Options struct {
	// To, Route, Responders, Agent and Context are as in [ask.Request].
	To         []ask.Place
	Route      string
	Responders []string
	Agent      string
	// Wait is how long people have before the host's own picker takes over; zero
	// means [DefaultWait], or [DefaultDeferWait] with Defer.
	Wait time.Duration
	// Defer ends a headless run (claude -p) when nobody has answered within Wait;
	// resuming it runs the hook again, which finds the question as it stands. The
	// card stays open meanwhile.
	Defer bool
	// Deny tells the agent that nobody answered in time, in place of handing the
	// question back to the host's picker.
	Deny bool
}

// Claude answers the hooks of Claude Code.
type Claude struct {
	client *api.Client
	opts   Options
}

// NewClaude returns hooks that ask over a bridge. Give the client
// [api.ClientOptions.Away], such as [DefaultAway].
func NewClaude(c *api.Client, opts *Options) *Claude {
	h := &Claude{client: c}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.Wait <= 0 {
		h.opts.Wait = DefaultWait
		if h.opts.Defer {
			h.opts.Wait = DefaultDeferWait
		}
	}
	return h
}

// The hooks and tools that are known here.
const (
	preToolUse        = "PreToolUse"
	permissionRequest = "PermissionRequest"
	elicitation       = "Elicitation"
	askTool           = "AskUserQuestion"
	planTool          = "ExitPlanMode"
)

// event is what the host says on standard input, as far as it matters here.
type event struct {
	Session   string          `json:"session_id"`
	Name      string          `json:"hook_event_name"`
	Tool      string          `json:"tool_name"`
	ToolUse   string          `json:"tool_use_id"`
	ToolInput json.RawMessage `json:"tool_input"`
	Cwd       string          `json:"cwd"`
	// Agent is set when a sub-agent calls.
	Agent     string `json:"agent_id"`
	AgentType string `json:"agent_type"`
	// Server and Message are those of another MCP server that asks.
	Server  string `json:"mcp_server_name"`
	Message string `json:"message"`
}

// Run answers one hook. Its output is empty where there is no decision; an
// error then says why, for a log. When ctx ends, the card is closed before Run
// returns.
func (h *Claude) Run(ctx context.Context, input []byte) ([]byte, error) {
	var e event
	if err := json.Unmarshal(input, &e); err != nil {
		return nil, fmt.Errorf("hook: standard input is not what a hook gets: %w", err)
	}
	switch {
	case (e.Name == preToolUse || e.Name == permissionRequest) && e.Tool == askTool:
		return h.ask(ctx, h.toolCall("claude", &e, input))
	case e.Name == elicitation:
		return h.ask(ctx, h.toolCall("mcp", &e, input))
	case e.Name == permissionRequest, e.Name == preToolUse && e.Tool == planTool:
		p, err := h.permission(&e)
		if err != nil {
			return nil, err
		}
		return h.ask(ctx, p)
	}
	return nil, nil
}

// inquiry is something to ask, over whichever call of the API.
type inquiry interface {
	submit(ctx context.Context) (standing, error)
	wait(ctx context.Context, id string) (standing, error)
	read(ctx context.Context, id string) (standing, error)
	// unanswered is what tells the agent that nobody answered in time; nil where
	// there is no way to.
	unanswered() []byte
	// deferred is what puts the call off; nil where the host cannot.
	deferred() []byte
}

// standing is how a request stands, with what the host is told about that.
type standing struct {
	id     string
	state  ask.State
	reason string
	out    []byte
}

// ErrTime means that nobody answered in time.
var ErrTime = errors.New("hook: nobody answered in time")

// ask asks, waits, and returns what to tell the host.
func (h *Claude) ask(ctx context.Context, q inquiry) ([]byte, error) {
	putOff := h.opts.Defer && q.deferred() != nil
	patient, done := withGrace(ctx)
	defer done()
	now, err := q.submit(patient)
	if err != nil {
		if putOff && ctx.Err() == nil {
			return q.deferred(), fmt.Errorf("hook: ask: %w", err)
		}
		return nil, fmt.Errorf("hook: ask: %w", err)
	}
	if now.state != ask.Open {
		return h.tell(q, now)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, h.opts.Wait, ErrTime)
	defer cancel()
	later, err := q.wait(waiting, now.id)
	switch {
	case err == nil:
		return h.tell(q, later)
	case putOff && ctx.Err() == nil:
		return q.deferred(), nil
	}
	return h.giveUp(ctx, q, now.id, errors.Join(context.Cause(waiting), err))
}

// withGrace is ctx and a moment more: a card must be known before it can be
// closed.
func withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(lastWord):
			cancel()
		case <-longer.Done():
		}
	})
	return longer, func() {
		stop()
		cancel()
	}
}

// tell returns what the host is told of a request that has ended.
func (h *Claude) tell(q inquiry, s standing) ([]byte, error) {
	switch s.state {
	case ask.Answered, ask.Cancelled, ask.Superseded:
		return s.out, nil
	case ask.Expired:
		if h.opts.Deny || h.opts.Defer {
			return q.unanswered(), nil
		}
		return nil, ErrTime
	case ask.Open, ask.Failed, api.StateRefused:
	}
	if s.reason == "" {
		s.reason = string(s.state)
	}
	return nil, fmt.Errorf("hook: the question could not be asked in chat: %s", s.reason)
}

// giveUp closes the card, unless somebody has answered at the last moment.
func (h *Claude) giveUp(ctx context.Context, q inquiry, id string, why error) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer cancel()
	reason := "the agent has stopped waiting"
	inTime := errors.Is(why, ErrTime)
	if inTime {
		reason = "nobody answered in time, and the agent's own screen asks now"
		if h.opts.Deny {
			reason = "nobody answered in time"
		}
	}
	r, err := h.client.Cancel(ctx, id, reason)
	if err == nil && r.State == ask.Answered {
		if s, err := q.read(ctx, id); err == nil && s.state == ask.Answered {
			return s.out, nil
		}
	}
	if inTime && h.opts.Deny {
		return q.unanswered(), nil
	}
	return nil, errors.Join(why, err)
}

// toolCall asks a tool input in the words of a dialect.
type toolCall struct {
	h     *Claude
	call  api.ToolCall
	event string
}

func (h *Claude) toolCall(name string, e *event, input []byte) *toolCall {
	t := &toolCall{h: h, event: e.Name, call: api.ToolCall{
		Dialect: name, Input: input, To: h.opts.To, Route: h.opts.Route, Responders: h.opts.Responders,
		ExpiresIn: h.expiresIn().String(), Agent: h.opts.Agent, Subagent: e.subagent(),
	}}
	if h.opts.Defer {
		t.call.ExpiresIn = ""
	}
	if e.Server != "" {
		t.call.Context = fmt.Sprintf("%s\nAsked by the MCP server %s.", e.Message, e.Server)
	}
	return t
}

// expiresIn is the deadline of a question that a hook waits for.
func (h *Claude) expiresIn() time.Duration {
	return min(h.opts.Wait+grace, ask.MaxExpiresIn)
}

// subagent names the sub-agent that calls, if it is one.
func (e *event) subagent() string {
	switch {
	case e.Agent == "":
		return ""
	case e.AgentType == "":
		return e.Agent
	}
	return e.AgentType + " " + e.Agent
}

func (t *toolCall) submit(ctx context.Context) (standing, error) {
	return t.standing(t.h.client.SubmitTool(ctx, t.call))
}

func (t *toolCall) wait(ctx context.Context, id string) (standing, error) {
	return t.standing(t.h.client.WaitTool(ctx, id, t.call.Dialect, t.call.Input))
}

func (t *toolCall) read(ctx context.Context, id string) (standing, error) {
	return t.standing(t.h.client.ToolResult(ctx, id, t.call.Dialect, t.call.Input))
}

func (t *toolCall) standing(r *api.ToolResult, err error) (standing, error) {
	if err != nil {
		return standing{}, err
	}
	s := standing{id: r.RequestID, state: r.State, out: r.Body}
	if r.IsError {
		s.reason = string(r.Body)
	}
	return s, nil
}

func (t *toolCall) unanswered() []byte {
	d, _ := dialect.Get(t.call.Dialect)
	return d.Encode(t.call.Input, ask.Outcome{State: ask.Expired}, nil).Body
}

func (t *toolCall) deferred() []byte { return deferral(t.event) }

// deferral puts a tool call off; PreToolUse alone can.
func deferral(event string) []byte {
	if event != preToolUse {
		return nil
	}
	return output(map[string]any{"hookEventName": preToolUse, "permissionDecision": "defer"})
}
