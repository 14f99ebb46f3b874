package httpapi

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// ToolCall is one call of an agent host's question tool.
type ToolCall struct {
	// Dialect is the host's form, such as "claude"; see package dialect.
	Dialect string
	// Input is the tool input, byte for byte.
	Input []byte
	// Where and of whom is asked. What is empty is left to the input, the
	// route, or the bridge's defaults; see [ask.Request].
	To         []ask.Target
	Route      string
	Responders []string
	ExpiresIn  string
	// Key, ToolCallID and Session make a repeated call find the first one.
	Key, ToolCallID, Session string
	// Agent and Context are shown to people.
	Agent, Context string
	// Subagent says that a sub-agent calls: its name, or "true".
	Subagent string
	// Asked, when set, is told the id of the request while it waits.
	Asked func(id string)
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
}

// AskTool hands a tool input in and waits until the request has ended, through
// restarts of the bridge. Without Key and ToolCallID it uses a random key. When
// ctx ends first it returns the result as it stands, nil when nothing was heard,
// and the error.
func (c *Client) AskTool(ctx context.Context, t ToolCall) (*ToolResult, error) {
	query := url.Values{}
	for _, to := range t.To {
		query.Add("to", targetText(to))
	}
	for _, r := range t.Responders {
		query.Add("responders", r)
	}
	for _, p := range []struct{ name, value string }{
		{"route", t.Route},
		{"expires_in", t.ExpiresIn},
		{"tool_call_id", t.ToolCallID},
		{"session", t.Session},
		{"agent", t.Agent},
		{"context", t.Context},
		{"subagent", t.Subagent},
	} {
		if p.value != "" {
			query.Set(p.name, p.value)
		}
	}
	body := t.Input
	if body == nil {
		body = []byte{}
	}
	key := t.Key
	if key == "" && t.ToolCallID == "" {
		key = rand.Text()
	}
	first := call{method: http.MethodPost, path: "/v1/ask/" + url.PathEscape(t.Dialect), query: query, body: body, key: key, tries: c.opts.Tries}
	r, err := send[ToolResult](ctx, c, first)
	if err != nil {
		return nil, err
	}
	if t.Asked != nil && r.RequestID != "" {
		t.Asked(r.RequestID)
	}
	poll := call{
		method: http.MethodPost, path: "/v1/requests/" + url.PathEscape(r.RequestID) + "/as/" + url.PathEscape(t.Dialect),
		query: url.Values{"wait": {c.opts.Poll.String()}}, body: body, wait: c.opts.Poll,
	}
	for r.State == ask.Open {
		began := time.Now()
		later, err := send[ToolResult](ctx, c, poll)
		if err != nil {
			return r, err
		}
		r = later
		if r.State == ask.Open && time.Since(began) < time.Second {
			if err := pause(ctx, time.Second); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// targetText is the short form of a place, in which a person is told on every
// platform.
func targetText(t ask.Target) string {
	if t.User != "" {
		return t.Platform + ":@" + t.User
	}
	return t.String()
}

// read takes a tool result from a reply. The reply is the host's own and is not
// looked into.
func (r *ToolResult) read(h http.Header, body []byte) error {
	if h.Get(HeaderState) == "" {
		return errors.New("httpapi: the reply is not what a bridge says")
	}
	*r = ToolResult{
		Body: body, ContentType: h.Get("Content-Type"),
		RequestID: h.Get(HeaderRequestID), State: ask.State(h.Get(HeaderState)),
		IsError: h.Get(HeaderIsError) == "true", StopTurn: h.Get(HeaderStopTurn) == "true", Send: h.Get(HeaderSend),
	}
	return nil
}
