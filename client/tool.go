package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/internal/wait"
)

// The headers of a tool call and of its result.
const (
	// HeaderKey with [KeyFallback] applies the Idempotency-Key only if neither the input nor the
	// query has both the ID of the call and its session.
	HeaderKey = "Askbridge-Key"
	// HeaderRequestID is the ID of the request; absent if none was created.
	HeaderRequestID = "Askbridge-Request-Id"
	// HeaderState is the state of the request, or "refused" if none was created.
	HeaderState = "Askbridge-State"
	// HeaderIsError is "true" if the result is an error for the model or its host.
	HeaderIsError = "Askbridge-Is-Error"
	// HeaderStopTurn is "true" if the host should end the agent's turn.
	HeaderStopTurn = "Askbridge-Stop-Turn"
	// HeaderSend is the host's endpoint for the body, for a host that is answered by a separate
	// call, as in "POST /question/que_1/reply".
	HeaderSend = "Askbridge-Send"
	// HeaderProblems lists the problems of a refused tool input, as a JSON list of [Remark] in
	// ASCII; the body has them in the host's format, without paths.
	HeaderProblems = "Askbridge-Problems"
	// HeaderAdvice lists what was ignored or corrected in an accepted tool input, in the format of
	// HeaderProblems. If there are too many entries, the last one counts the rest.
	HeaderAdvice = "Askbridge-Advice"
)

// KeyFallback is the value of [HeaderKey]. A client that does not parse the input does not know
// whether the host has set an ID of the call.
const KeyFallback = "fallback"

// StateRefused is the [HeaderState] of a tool input that was not accepted.
const StateRefused ask.State = "refused"

// ToolCall is one call of an agent host's question tool.
type ToolCall struct {
	// Dialect is the host's format, such as "claude"; see package dialect.
	Dialect string
	// Input is the tool input, byte for byte.
	Input []byte
	// Variants are differences from the host's documentation, such as "released"; see
	// [dialect.Variants]. Pass the same to [Client.WaitTool].
	Variants []string
	// Subagent is the name of the calling sub-agent, or "true"; empty for the main agent.
	Subagent string
	// Request has settings in addition to the input, such as places and responders. Empty members
	// are left to the input, the route, or the bridge's defaults. Questions, links, files and the
	// superseded request come only from the input.
	ask.Request
}

// ToolResult is the result for the host.
type ToolResult struct {
	// Body is in the host's format, byte for byte, with ContentType.
	Body        []byte
	ContentType string
	// RequestID is empty if no request was created.
	RequestID string
	// State is the state of the request, or [StateRefused].
	State ask.State
	// IsError, StopTurn and Send are as in package dialect.
	IsError, StopTurn bool
	Send              string
	// Problems are those of a refused input.
	Problems []Remark
	// Advice lists what was ignored or corrected; only the result of a submission has it.
	Advice []Remark
}

// AskTool submits a tool input and waits until the request has ended.
func (c *Client) AskTool(ctx context.Context, t ToolCall) (*ToolResult, error) {
	r, err := c.SubmitTool(ctx, t)
	if err != nil || r.State != ask.Open {
		return r, err
	}
	later, err := c.WaitTool(ctx, r.RequestID, t.Dialect, t.Input, t.Variants...)
	if later != nil {
		later.Advice = r.Advice
		r = later
	}
	return r, err
}

// SubmitTool submits a tool input and returns the current result: of a new request, the
// host's result while it is open. Without Key and ToolCallID, also in the input, it uses a
// random key.
func (c *Client) SubmitTool(ctx context.Context, t ToolCall) (*ToolResult, error) {
	query, err := t.options()
	if err != nil {
		return nil, err
	}
	key := t.Key
	if key == "" && t.Same == "" && !t.known() {
		key = rand.Text()
	}
	return send[ToolResult](ctx, c, call{
		method: http.MethodPost, path: "/v1/ask/" + url.PathEscape(t.Dialect), query: query, body: some(t.Input), key: key, trace: traceOf(t.TraceParent, t.TraceState), tries: c.opts.Tries,
	})
}

// options returns the query of a call: the members of a request, with lists as repeated
// parameters and objects as JSON.
func (t *ToolCall) options() (url.Values, error) {
	r := t.Request
	r.Key, r.To = "", nil // The key is a header, and places have a short form.
	data, err := json.Marshal(newRequestOf(r))
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	if len(r.Questions) == 0 {
		delete(members, "questions")
	}
	query, misplaced := url.Values{}, []string(nil)
	for name, value := range members {
		var text string
		var list []string
		switch {
		case slices.Contains([]string{"questions", "links", "files", "supersedes"}, name):
			misplaced = append(misplaced, name)
		case json.Unmarshal(value, &text) == nil:
			query.Set(name, text)
		case json.Unmarshal(value, &list) == nil:
			query[name] = list
		default:
			query.Set(name, string(value))
		}
	}
	if misplaced != nil {
		slices.Sort(misplaced)
		return nil, fmt.Errorf("client: %s: only the tool input can contain this", strings.Join(misplaced, ", "))
	}
	for _, to := range t.To {
		query.Add("to", to.String())
	}
	if t.Notify != nil && len(t.Notify) == 0 {
		query.Set("notify", ask.Nobody)
	}
	if len(t.Variants) > 0 {
		query["variant"] = t.Variants
	}
	if t.Subagent != "" {
		query.Set("subagent", t.Subagent)
	}
	return query, nil
}

// known reports whether the host has an ID for the call.
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

// WaitTool returns the result of a tool call when its request has ended, with the variants of
// the call. It waits like [Client.Wait], and like it returns the last result, or nil, with the
// error that ends it early.
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

// ToolResult returns the state of a request as the result of its tool call, with the variants
// of the call. It does not wait.
func (c *Client) ToolResult(ctx context.Context, id, dialect string, input []byte, variants ...string) (*ToolResult, error) {
	return send[ToolResult](ctx, c, c.resultCall(id, dialect, input, variants))
}

// WhyNot returns why a question was not asked: the problems of a refused input, or the error of a
// failed request. The host's format may have no place for it.
func (c *Client) WhyNot(ctx context.Context, r *ToolResult) string {
	var reasons []string
	for _, p := range r.Problems {
		reasons = append(reasons, strings.TrimPrefix(p.Path+": "+p.Detail, ": "))
	}
	if reasons == nil && r.RequestID != "" {
		if ended, err := c.Get(ctx, r.RequestID); err == nil && ended.Reason != "" {
			reasons = []string{ended.Reason}
		}
	}
	if body := string(r.Body); reasons == nil && body != "" {
		reasons = []string{body}
	}
	return cmp.Or(strings.Join(reasons, "; "), string(r.State))
}

func (c *Client) resultCall(id, dialect string, input []byte, variants []string) call {
	path := "/v1/requests/" + url.PathEscape(id) + "/as/" + url.PathEscape(dialect)
	query := url.Values{}
	for _, name := range variants {
		query.Add("variant", name)
	}
	return call{method: http.MethodPost, path: path, query: query, body: some(input), tries: c.opts.Tries}
}

// some returns a body that is not nil.
func some(input []byte) []byte {
	if input == nil {
		return []byte{}
	}
	return input
}

// read returns the tool result of a reply, without parsing the body, which is in the host's
// format.
func (r *ToolResult) read(h http.Header, body []byte) error {
	if h.Get(HeaderState) == "" {
		return errNotBridge
	}
	if asked := h.Get(HeaderRequestID); asked != "" {
		if err := checkIDs(asked); err != nil {
			return err
		}
	}
	*r = ToolResult{
		Body: body, ContentType: h.Get("Content-Type"),
		RequestID: h.Get(HeaderRequestID), State: ask.State(h.Get(HeaderState)),
		IsError: h.Get(HeaderIsError) == "true", StopTurn: h.Get(HeaderStopTurn) == "true", Send: h.Get(HeaderSend),
	}
	if text := h.Get(HeaderAdvice); text != "" {
		_ = json.Unmarshal([]byte(text), &r.Advice) // It is optional.
	}
	if text := h.Get(HeaderProblems); text != "" {
		return json.Unmarshal([]byte(text), &r.Problems)
	}
	return nil
}
