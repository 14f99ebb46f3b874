package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/textinput"
	"github.com/askbridge/askbridge/internal/wait"
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
	// Anyone lets everybody who sees a card decide about permissions and plans, for
	// which Responders have to be named else.
	Anyone bool
	// Home is the person's home directory, which cards write as ~; empty to name folders in
	// full.
	Home string
	// Wait is how long people have before the host's own picker takes over; zero
	// means [DefaultWait], or [DefaultDeferWait] with Defer.
	Wait time.Duration
	// Defer ends a headless run (claude -p) when nobody has answered within Wait, or the
	// bridge is away; resuming it runs the hook again, which finds the question as it stands. The
	// card stays open meanwhile.
	Defer bool
	// Deny tells the agent that nobody answered in time, in place of handing the
	// question back to the host's picker.
	Deny bool
	// Beside has the host's own screen ask too, and whoever is first counts. It is
	// the folder in which the hooks of one session find each other, which nobody
	// else may write to. Questions are then answered by PermissionRequest, except in
	// the mode "dontAsk", which has no dialog and leaves them to PreToolUse. PostToolUse,
	// PostToolUseFailure, UserPromptSubmit, Stop, SubagentStop and SessionEnd close
	// the cards once the terminal has decided. Empty has PreToolUse answer questions in
	// every mode, while the host's own screen waits.
	Beside string
	// Advise is called with what the bridge ignored or read otherwise than it was sent; nil ignores that.
	Advise func([]client.Remark)
	// Began is when the program of the hook was started. With Beside nobody is asked about a
	// call that the terminal has decided since; zero asks in any case.
	Began time.Time
}

// Claude answers the hooks of Claude Code.
type Claude struct {
	client *client.Client
	opts   Options
}

// NewClaude returns hooks that ask over a bridge. Give the client
// [client.Options.Away], such as [DefaultAway].
func NewClaude(c *client.Client, opts *Options) *Claude {
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
	postToolUse       = "PostToolUse"
	toolFailed        = "PostToolUseFailure"
	userPrompt        = "UserPromptSubmit"
	stop              = "Stop"
	subagentStop      = "SubagentStop"
	sessionEnd        = "SessionEnd"

	askTool  = "AskUserQuestion"
	planTool = "ExitPlanMode"

	// modeDontAsk is the one permission mode in which a question raises no
	// PermissionRequest: the host refuses what no PreToolUse hook has allowed.
	modeDontAsk = "dontAsk"
)

// event is what the host says on standard input, as far as it matters here.
type event struct {
	Session string `json:"session_id"`
	Name    string `json:"hook_event_name"`
	Mode    string `json:"permission_mode"`
	Tool    string `json:"tool_name"`
	ToolUse string `json:"tool_use_id"`

	Input json.RawMessage `json:"tool_input"`
	// Response is what the tool returned.
	Response json.RawMessage `json:"tool_response"`
	// Agent is set when a sub-agent calls.
	Agent     string `json:"agent_id"`
	AgentType string `json:"agent_type"`
	// Server and Message are those of another MCP server that asks.
	Server  string `json:"mcp_server_name"`
	Message string `json:"message"`
}

// Why a permission is left to the host's own screen.
var (
	// ErrWhoever means that neither Responders nor Anyone say who may decide.
	ErrWhoever = errors.New("claude: who may allow that? name responders, or say that anyone may")
	// ErrUnsure means that the client takes everybody's word for the bridge's: it
	// has no token, or does not seal it. See [client.Options.Sealed].
	ErrUnsure = errors.New("claude: a permission needs a token, by which the bridge can prove that it speaks")
)

// Run answers one hook. Its output is empty where there is no decision; an
// error then says why, for a log. When ctx ends, the card is closed before Run
// returns.
func (h *Claude) Run(ctx context.Context, input []byte) ([]byte, error) {
	var e event
	input, _, err := textinput.JSON(input)
	if err == nil {
		err = strictjson.Decode(input, &e)
	}
	if err != nil {
		return nil, fmt.Errorf("claude: standard input is not what a hook gets: %w", err)
	}
	name := "claude"
	switch {
	case slices.Contains([]string{postToolUse, toolFailed, userPrompt, stop, subagentStop, sessionEnd}, e.Name):
		return nil, h.closed(ctx, &e)
	case e.Name == elicitation:
		name = "mcp"
	case e.Name == preToolUse && e.Tool == askTool && h.comesLater(&e):
		return nil, nil
	case e.Name == preToolUse && e.Tool == askTool, e.Name == permissionRequest && e.Tool == askTool:
	case e.Name == permissionRequest, e.Name == preToolUse && e.Tool == planTool:
		switch {
		case len(h.opts.Responders) == 0 && !h.opts.Anyone:
			return nil, ErrWhoever
		case !h.client.Proves():
			return nil, ErrUnsure
		}
	default:
		return nil, nil
	}
	q := h.toolCall(name, &e, input)
	if q.turn, err = h.begin(&e); errors.Is(err, errFirst) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	out, err := h.ask(ctx, q)
	if err == nil && !h.client.Proves() {
		err = answersOnly(e.Name, out)
	}
	if err != nil {
		out, q.answered = nil, false
	}
	if q.answered {
		q.turn.says(&e, q.request, out)
	}
	if q.turn.end() && !q.answered {
		// The terminal was first. Of equal prompts that share a card nobody knows which
		// one that was, so that an answer goes to each; the host knows which still asks.
		return nil, nil
	}
	return out, err
}

// comesLater reports whether the host opens its own dialog for a question and runs
// PermissionRequest next to it. PreToolUse must not ask then: the dialog would wait
// for it, and the question would be asked twice.
func (h *Claude) comesLater(e *event) bool {
	return h.opts.Beside != "" && !h.opts.Defer && e.Mode != modeDontAsk
}

// ErrTime means that nobody answered in time.
var ErrTime = errors.New("claude: nobody answered in time")

// ask asks, waits, and returns what to tell the host.
func (h *Claude) ask(ctx context.Context, q *toolCall) ([]byte, error) {
	putOff := h.opts.Defer && q.deferred() != nil
	patient, done := wait.Grace(ctx, lastWord)
	defer done()
	now, err := h.client.SubmitTool(patient, q.call)
	if putOff && ctx.Err() == nil && err != nil && !client.Refused(err) {
		// The host reads a decision only where the hook does not fail as well.
		// https://code.claude.com/docs/en/hooks
		return q.deferred(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("claude: ask: %w", err)
	}
	if h.opts.Advise != nil && len(now.Advice) > 0 {
		h.opts.Advise(now.Advice)
	}
	if now.State != ask.Open {
		return h.tell(ctx, q, now)
	}
	if q.turn.asks(now.RequestID) {
		return h.giveUp(ctx, q, now.RequestID, errFirst)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, h.opts.Wait, ErrTime)
	defer cancel()
	later, err := h.client.WaitTool(waiting, now.RequestID, q.call.Dialect, q.call.Input)
	switch {
	case err == nil:
		return h.tell(ctx, q, later)
	case putOff && ctx.Err() == nil:
		return q.deferred(), nil
	}
	return h.giveUp(ctx, q, now.RequestID, errors.Join(context.Cause(waiting), err))
}

// tell returns what the host is told of a request that has ended.
func (h *Claude) tell(ctx context.Context, q *toolCall, r *client.ToolResult) ([]byte, error) {
	switch r.State {
	case ask.Answered, ask.Cancelled, ask.Superseded:
		q.answered, q.request = r.State == ask.Answered, r.RequestID
		return r.Body, nil
	case ask.Expired:
		if h.opts.Deny || h.opts.Defer {
			return q.unanswered(), nil
		}
		return nil, ErrTime
	case ask.Open, ask.Failed, client.StateRefused:
	}
	return nil, fmt.Errorf("claude: the question could not be asked in chat: %s", h.client.WhyNot(ctx, r))
}

// errFirst means that the terminal was first.
var errFirst = errors.New("claude: " + answeredHere)

// giveUp closes the card, unless somebody has answered at the last moment, or an
// equal prompt still waits for it.
func (h *Claude) giveUp(ctx context.Context, q *toolCall, id string, why error) ([]byte, error) {
	if q.turn.end(); q.turn.shared(id) {
		return nil, why
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer cancel()
	reason := "the agent has stopped waiting"
	inTime := errors.Is(why, ErrTime)
	switch {
	case errors.Is(why, errFirst):
		reason = answeredHere
	case q.turn != nil && !inTime:
		reason = endedHere
	case inTime:
		reason = "nobody answered in time, and the agent's own screen asks now"
		if h.opts.Deny {
			reason = "nobody answered in time"
		}
	}
	r, err := h.client.Cancel(ctx, id, reason)
	if err == nil && r.State == ask.Answered {
		last, err := h.client.ToolResult(ctx, id, q.call.Dialect, q.call.Input)
		if err == nil && last.State == ask.Answered {
			return last.Body, nil
		}
	}
	if inTime && h.opts.Deny {
		return q.unanswered(), nil
	}
	return nil, errors.Join(why, err)
}

// toolCall asks a tool input in the words of a dialect.
type toolCall struct {
	call  client.ToolCall
	event string
	turn  *turn
	// answered is set once people have answered, and request is what they answered.
	answered bool
	request  string
}

func (h *Claude) toolCall(name string, e *event, input []byte) *toolCall {
	t := &toolCall{event: e.Name, call: client.ToolCall{
		Dialect: name, Input: strictjson.Add(input, "home", h.opts.Home), Subagent: e.subagent(),
		Request: ask.Request{To: h.opts.To, Route: h.opts.Route, Responders: h.opts.Responders, ExpiresIn: h.expiresIn(), Agent: h.opts.Agent},
	}}
	if e.Name == permissionRequest && e.Session != "" {
		t.call.Same = ask.SameSession // It has no id.
	}
	if h.opts.Anyone && len(t.call.Responders) == 0 {
		t.call.Responders = []string{ask.Anyone}
	}
	if h.opts.Defer {
		t.call.ExpiresIn = 0
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

// unanswered is what tells the agent that nobody answered in time.
func (t *toolCall) unanswered() []byte {
	d, _ := dialect.Get(t.call.Dialect)
	return d.Encode(t.call.Input, ask.Outcome{State: ask.Expired}, nil).Body
}

// deferred puts the tool call off; PreToolUse alone can.
func (t *toolCall) deferred() []byte {
	if t.event != preToolUse {
		return nil
	}
	return []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`)
}
