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
	// HeaderKey says with [KeyFallback] that the Idempotency-Key counts only where the call and
	// its session are not both named, in the input or beside it.
	HeaderKey = "Askbridge-Key"
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
	// HeaderAdvice names what was ignored or read otherwise than it was sent in an accepted
	// tool input, in the form of HeaderProblems; absent where there is nothing to tell. If not
	// everything fits, the last entry counts the rest.
	HeaderAdvice = "Askbridge-Advice"
)

// KeyFallback is what [HeaderKey] may say: a client that does not read the input cannot tell
// whether its host has named the call.
const KeyFallback = "fallback"

// StateRefused is the [HeaderState] of a tool input that was not accepted.
const StateRefused ask.State = "refused"

// ToolCall is one call of an agent host's question tool.
type ToolCall struct {
	// Dialect is the host's form, such as "claude"; see package dialect.
	Dialect string
	// Input is the tool input, byte for byte.
	Input []byte
	// Variants say how the call differs from what its host documents, as in "released";
	// see [dialect.Variants]. Waiting for the result takes the same.
	Variants []string
	// Subagent says that a sub-agent calls: its name, or "true".
	Subagent string
	// Request is what is said beside the input: where and of whom is asked, and how. What is
	// empty is left to the input, the route, or the bridge's defaults. Questions, links,
	// files and what is superseded are the input's alone.
	ask.Request
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
	// Advice says what was ignored or read otherwise than it was sent; only the result of
	// submitting the call has it.
	Advice []Remark
}

// AskTool hands a tool input in and waits until the request has ended.
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

// SubmitTool hands a tool input in and returns the result as it stands: of a
// new request, what the host is told while it is open. Without Key and
// ToolCallID, also in the input, it uses a random key.
func (c *Client) SubmitTool(ctx context.Context, t ToolCall) (*ToolResult, error) {
	query, err := t.beside()
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

// beside is the call's query. It has the members of a request, lists as parameters that are
// repeated and objects as their JSON.
func (t *ToolCall) beside() (url.Values, error) {
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
		return nil, fmt.Errorf("client: %s: only the input of a tool call says it", strings.Join(misplaced, ", "))
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

// WhyNot says what kept a question from being asked: the problems of a refused input, or why the
// request failed. The body may not say it: it is in the host's form, which may have no place for that.
func (c *Client) WhyNot(ctx context.Context, r *ToolResult) string {
	var said []string
	for _, p := range r.Problems {
		said = append(said, strings.TrimPrefix(p.Path+": "+p.Detail, ": "))
	}
	if said == nil && r.RequestID != "" {
		if ended, err := c.Get(ctx, r.RequestID); err == nil && ended.Reason != "" {
			said = []string{ended.Reason}
		}
	}
	if body := string(r.Body); said == nil && body != "" {
		said = []string{body}
	}
	return cmp.Or(strings.Join(said, "; "), string(r.State))
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
	if said := h.Get(HeaderAdvice); said != "" {
		_ = json.Unmarshal([]byte(said), &r.Advice) // An answer counts without it.
	}
	if said := h.Get(HeaderProblems); said != "" {
		return json.Unmarshal([]byte(said), &r.Problems)
	}
	return nil
}
