package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/internal/wait"
)

// The headers of a tool result.
const (
	// HeaderRequestID names the request; absent when nobody was asked.
	HeaderRequestID = "Askbridge-Request-Id"
	// HeaderState is a state of a request, or "refused" when nobody was asked.
	HeaderState = "Askbridge-State"
	// HeaderIsError is "true" when the model or its host will see an error.
	HeaderIsError = "Askbridge-Is-Error"
	// HeaderStopTurn is "true" when the host should end the agent's turn.
	HeaderStopTurn = "Askbridge-Stop-Turn"
	// HeaderSend is the host's own endpoint for the body, where the host is
	// answered by a request of its own, as in "POST /question/que_1/reply".
	HeaderSend = "Askbridge-Send"
	// HeaderProblems names what was wrong with a refused tool input, as a JSON list
	// of [Remark] in ASCII; the body says it in the host's own words, which know no
	// paths.
	HeaderProblems = "Askbridge-Problems"
)

// StateRefused is the [HeaderState] of a tool input that was not accepted.
const StateRefused ask.State = "refused"

// ToolCall is one call of an agent host's question tool.
type ToolCall struct {
	// Dialect is the host's form, such as "claude"; see package dialect.
	Dialect string
	// Input is the tool input, byte for byte.
	Input []byte
	// Where and of whom is asked. What is empty is left to the input, the
	// route, or the bridge's defaults; see [ask.Request].
	To         []ask.Place
	Route      string
	Responders []string
	ExpiresIn  string
	// Voting says how many people decide; see [ask.Request].
	Voting ask.Voting
	// Notify says who is told; nil leaves it to route and token, an empty list tells
	// nobody. See [ask.Request].
	Notify []string
	// Replies says whether messages beside the card answer it; see [ask.Request].
	Replies ask.Replies
	// Hold is how long whoever decides can undo it; see [ask.Request].
	Hold time.Duration
	// AskBack is whether people can ask the agent something, which ends the request;
	// Receipts has the card say when the agent has taken an answer.
	AskBack  ask.AskBack
	Receipts bool
	// Schedule says what happens while nobody answers.
	Schedule ask.Schedule
	// Key, ToolCallID and Session make a repeated call find the first one.
	Key, ToolCallID, Session string
	// TraceParent and TraceState are where the agent is in its own trace, as in [ask.Request].
	TraceParent, TraceState string
	// Same finds an open request with the same content, as in [ask.Request]; no key
	// is made up then. Within, as there, finds one too that was answered no longer ago.
	Same   ask.Same
	Within time.Duration
	// Agent and Context are shown to people, and Language is what the rest of the card is in.
	Agent, Context, Language string
	// Subagent says that a sub-agent calls: its name, or "true".
	Subagent string
	// Variants say how the call differs from what its host documents, as in "released";
	// see [dialect.Variants]. Waiting for the result takes the same.
	Variants []string
}

// ToolResult is what goes back to the host.
type ToolResult struct {
	// Body is the host's form, byte for byte, and ContentType its kind.
	Body        []byte
	ContentType string
	// RequestID is empty when nobody was asked.
	RequestID string
	// State is how the request stands, or [StateRefused].
	State ask.State
	// IsError, StopTurn and Send are as in package dialect.
	IsError, StopTurn bool
	Send              string
	// Problems say what was wrong with a refused input, and where.
	Problems []Remark
}

// AskTool hands a tool input in and waits until the request has ended.
func (c *Client) AskTool(ctx context.Context, t ToolCall) (*ToolResult, error) {
	r, err := c.SubmitTool(ctx, t)
	if err != nil || r.State != ask.Open {
		return r, err
	}
	later, err := c.WaitTool(ctx, r.RequestID, t.Dialect, t.Input, t.Variants...)
	if later != nil {
		r = later
	}
	return r, err
}

// SubmitTool hands a tool input in and returns the result as it stands: of a
// new request, what the host is told while it is open. Without Key and
// ToolCallID, also in the input, it uses a random key.
func (c *Client) SubmitTool(ctx context.Context, t ToolCall) (*ToolResult, error) {
	query := url.Values{}
	for _, to := range t.To {
		query.Add("to", to.String())
	}
	for _, r := range t.Responders {
		query.Add("responders", r)
	}
	for _, name := range t.Variants {
		query.Add("variant", name)
	}
	for _, who := range t.Notify {
		query.Add("notify", who)
	}
	if t.Notify != nil && len(t.Notify) == 0 {
		query.Set("notify", ask.Nobody)
	}
	if !t.Voting.IsZero() {
		policy, err := json.Marshal(NewPolicy(t.Voting))
		if err != nil {
			return nil, fmt.Errorf("api: %w", err)
		}
		query.Set("policy", string(policy))
	}
	if !t.Replies.IsZero() {
		replies, err := json.Marshal(NewReplies(t.Replies))
		if err != nil {
			return nil, fmt.Errorf("api: %w", err)
		}
		query.Set("replies", string(replies))
	}
	if t.Hold > 0 {
		query.Set("hold", t.Hold.String())
	}
	if t.AskBack != "" {
		query.Set("ask_back", string(t.AskBack))
	}
	if t.Receipts {
		query.Set("receipts", "true")
	}
	if !t.Schedule.IsZero() {
		schedule, err := json.Marshal(NewScheduleOf(t.Schedule))
		if err != nil {
			return nil, fmt.Errorf("api: %w", err)
		}
		query.Set("schedule", string(schedule))
	}
	if t.Within != 0 {
		query.Set("within", t.Within.String())
	}
	for _, p := range []struct{ name, value string }{
		{"route", t.Route},
		{"expires_in", t.ExpiresIn},
		{"tool_call_id", t.ToolCallID},
		{"session", t.Session},
		{"agent", t.Agent},
		{"context", t.Context},
		{"language", t.Language},
		{"subagent", t.Subagent},
		{"same", string(t.Same)},
	} {
		if p.value != "" {
			query.Set(p.name, p.value)
		}
	}
	key := t.Key
	if key == "" && t.Same == "" && !t.known() {
		key = rand.Text()
	}
	return send[ToolResult](ctx, c, call{
		method: http.MethodPost, path: "/v1/ask/" + url.PathEscape(t.Dialect), query: query, body: some(t.Input), key: key, trace: traceOf(t.TraceParent, t.TraceState), tries: c.opts.Tries,
	})
}

// known reports whether the host has an id for the call.
func (t *ToolCall) known() bool {
	if t.ToolCallID != "" {
		return true
	}
	d, _ := dialect.Get(t.Dialect)
	var opts dialect.Options
	if d.Name == "" || opts.Vary(t.Variants...) != nil {
		return false
	}
	got, err := d.Decode(t.Input, &opts)
	return err == nil && got.Request.ToolCallID != ""
}

// WaitTool returns the result of a tool call once its request has ended. It
// waits as [Client.Wait] does, and like it returns what was last seen, nil when
// nothing was, with the error that ends it early. The variants are those of the call.
func (c *Client) WaitTool(ctx context.Context, id, dialect string, input []byte, variants ...string) (*ToolResult, error) {
	poll := c.resultCall(id, dialect, input, variants)
	poll.query.Set("wait", c.opts.Poll.String())
	poll.wait, poll.tries = c.opts.Poll, 0
	var last *ToolResult
	for {
		began := time.Now()
		r, err := send[ToolResult](ctx, c, poll)
		if err != nil {
			return last, err
		}
		if last = r; r.State != ask.Open {
			return r, nil
		}
		if time.Since(began) < time.Second {
			if err := wait.For(ctx, time.Second); err != nil {
				return last, err
			}
		}
	}
}

// ToolResult returns how a request stands as the result of the tool call that
// it was made from, with the variants of the call. It does not wait.
func (c *Client) ToolResult(ctx context.Context, id, dialect string, input []byte, variants ...string) (*ToolResult, error) {
	return send[ToolResult](ctx, c, c.resultCall(id, dialect, input, variants))
}

func (c *Client) resultCall(id, dialect string, input []byte, variants []string) call {
	path := "/v1/requests/" + url.PathEscape(id) + "/as/" + url.PathEscape(dialect)
	query := url.Values{}
	for _, name := range variants {
		query.Add("variant", name)
	}
	return call{method: http.MethodPost, path: path, query: query, body: some(input), tries: c.opts.Tries}
}

// some is a body, be it empty.
func some(input []byte) []byte {
	if input == nil {
		return []byte{}
	}
	return input
}

// read takes a tool result from a reply. The reply is the host's own and is not
// looked into.
func (r *ToolResult) read(h http.Header, body []byte) error {
	if h.Get(HeaderState) == "" {
		return errors.New("api: the reply is not what a bridge says")
	}
	*r = ToolResult{
		Body: body, ContentType: h.Get("Content-Type"),
		RequestID: h.Get(HeaderRequestID), State: ask.State(h.Get(HeaderState)),
		IsError: h.Get(HeaderIsError) == "true", StopTurn: h.Get(HeaderStopTurn) == "true", Send: h.Get(HeaderSend),
	}
	if said := h.Get(HeaderProblems); said != "" {
		return json.Unmarshal([]byte(said), &r.Problems)
	}
	return nil
}
