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
	// DefaultWait is the default of [Options.Wait].
	DefaultWait = 12 * time.Hour
	// DefaultDeferWait is the default of [Options.Wait] with [Options.Defer].
	DefaultDeferWait = 10 * time.Second
	// DefaultAway is how long a hook retries when the bridge is unavailable.
	DefaultAway = 2 * time.Minute
	// lastWord limits the work after the host has stopped waiting, since it kills a hook that continues.
	lastWord = 4 * time.Second
	// grace is how much longer than the hook waits the request stays open, in case the hook is killed before it closes the
	// card.
	grace = time.Minute
)

// Options are the settings of a hook. Zero values mean the defaults.
type Options struct {
	// To, Route, Responders, Agent and Context are as in [ask.Request].
	To         []ask.Place
	Route      string
	Responders []string
	Agent      string
	// Anyone lets everyone who sees a card decide about permissions and plans, which otherwise require Responders.
	Anyone bool
	// Home is the person's home directory, which cards show as ~. It may be empty.
	Home string
	// Source returns where the agent works, for the card, by its folder. It may be nil.
	Source func(folder string) ask.Source
	// Wait is how long people can answer before the host's own picker takes over. Zero means [DefaultWait], or
	// [DefaultDeferWait] with Defer.
	Wait time.Duration
	// Defer ends a headless run (claude -p) when there is no answer within Wait or the bridge is unavailable. Resuming the
	// run executes the hook again, which attaches to the question. The card stays open meanwhile.
	Defer bool
	// Deny denies a call without an answer in time, instead of handing the question back to the host's picker.
	Deny bool
	// Beside lets the host's own screen ask too; the first answer counts. It is a folder for the files of the session's
	// hooks, to which only the user may write. PermissionRequest then answers questions, except in the mode "dontAsk",
	// which has no dialog, where PreToolUse does. PostToolUse, PostToolUseFailure, UserPromptSubmit, Stop, SubagentStop and
	// SessionEnd close the cards that the terminal has decided. If it is empty PreToolUse answers questions in every mode,
	// while the host's own screen waits.
	Beside string
	// Advise is called with remarks about what the bridge ignored or changed. It may be nil.
	Advise func([]client.Remark)
	// Began is when the process of the hook was started. With Beside, calls that the terminal has decided since then are not
	// asked about; zero asks in any case.
	Began time.Time
}

// Claude answers the hooks of Claude Code.
type Claude struct {
	client *client.Client
	opts   Options
}

// NewClaude returns hooks that ask over a bridge. The client should have [client.Options.Away], such as [DefaultAway].
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

// The supported hooks and tools.
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

	// modeDontAsk is the only permission mode in which a question causes no PermissionRequest: the host refuses what no
	// PreToolUse hook has allowed.
	modeDontAsk = "dontAsk"
)

// event has the used members of the host's input.
type event struct {
	Session string `json:"session_id"`
	Folder  string `json:"cwd"`
	Name    string `json:"hook_event_name"`
	Mode    string `json:"permission_mode"`
	Tool    string `json:"tool_name"`
	ToolUse string `json:"tool_use_id"`

	Input json.RawMessage `json:"tool_input"`
	// Response is the result of the tool.
	Response json.RawMessage `json:"tool_response"`
	// Agent is set when a sub-agent calls.
	Agent     string `json:"agent_id"`
	AgentType string `json:"agent_type"`
	// Server and Message are those of an elicitation by another MCP server.
	Server  string `json:"mcp_server_name"`
	Message string `json:"message"`
}

// Why a permission prompt is left to the host's own screen.
var (
	// ErrWhoever means that neither Responders nor Anyone is set.
	ErrWhoever = errors.New("claude: who may allow that? name responders, or say that anyone may")
	// ErrUnsure means that the client cannot authenticate the bridge, because it has no token or does not seal it. See
	// [client.Options.Sealed].
	ErrUnsure = errors.New("claude: a permission needs a token, by which the bridge can prove that it speaks")
)

// Run answers one hook. Its output is empty without a decision; the error then is the reason, for a log. When ctx ends, it
// closes the card before it returns.
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
		// The terminal was first. If equal prompts share a card, it is unknown which one was decided, so each gets an answer;
		// the host knows which one is open.
		return nil, nil
	}
	return out, err
}

// comesLater reports whether the host opens its own dialog for a question and runs PermissionRequest at the same time.
// PreToolUse must not ask then: the dialog would wait for it, and the question would be asked twice.
func (h *Claude) comesLater(e *event) bool {
	return h.opts.Beside != "" && !h.opts.Defer && e.Mode != modeDontAsk
}

// ErrTime means that there was no answer in time.
var ErrTime = errors.New("claude: nobody answered in time")

// ask submits the request, waits, and returns the output for the host.
func (h *Claude) ask(ctx context.Context, q *toolCall) ([]byte, error) {
	putOff := h.opts.Defer && q.deferred() != nil
	patient, done := wait.Grace(ctx, lastWord)
	defer done()
	now, err := h.client.SubmitTool(patient, q.call)
	if putOff && ctx.Err() == nil && err != nil && !client.Refused(err) {
		// The host ignores the decision of a failing hook.
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

// tell returns the output for a request that has ended.
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

// giveUp closes the card, unless a person has answered at the last moment, or an equal prompt still waits for it.
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

// toolCall submits a tool input in the format of a dialect.
type toolCall struct {
	call  client.ToolCall
	event string
	turn  *turn
	// answered is set when people have answered request.
	answered bool
	request  string
}

func (h *Claude) toolCall(name string, e *event, input []byte) *toolCall {
	t := &toolCall{event: e.Name, call: client.ToolCall{
		Dialect: name, Input: strictjson.Add(input, "home", h.opts.Home), Subagent: e.subagent(),
		Request: ask.Request{To: h.opts.To, Route: h.opts.Route, Responders: h.opts.Responders, ExpiresIn: h.expiresIn(), Agent: h.opts.Agent},
	}}
	if e.Name == permissionRequest && e.Session != "" {
		t.call.Same = ask.SameSession // It has no ID.
	}
	if h.opts.Anyone && len(t.call.Responders) == 0 {
		t.call.Responders = []string{ask.Anyone}
	}
	if h.opts.Defer {
		t.call.ExpiresIn = 0
	}
	if h.opts.Source != nil {
		t.call.Source = h.opts.Source(e.Folder)
	}
	if e.Server != "" {
		t.call.Context = fmt.Sprintf("%s\nAsked by the MCP server %s.", e.Message, e.Server)
	}
	return t
}

// expiresIn returns the expiry of a question that a hook waits for.
func (h *Claude) expiresIn() time.Duration {
	return min(h.opts.Wait+grace, ask.MaxExpiresIn)
}

// subagent returns the name of the calling sub-agent, or "".
func (e *event) subagent() string {
	switch {
	case e.Agent == "":
		return ""
	case e.AgentType == "":
		return e.Agent
	}
	return e.AgentType + " " + e.Agent
}

// unanswered returns the output for an agent without an answer in time.
func (t *toolCall) unanswered() []byte {
	d, _ := dialect.Get(t.call.Dialect)
	return d.Encode(t.call.Input, ask.Outcome{State: ask.Expired}, nil).Body
}

// deferred returns the output that defers the tool call, which only PreToolUse can do.
func (t *toolCall) deferred() []byte {
	if t.event != preToolUse {
		return nil
	}
	return []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`)
}
