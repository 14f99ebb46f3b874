package connect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/wait"
)

// crushLook is the interval between listings of Crush's workspaces, which have no
// event for a new one.
const crushLook = 5 * time.Second

// CrushOptions are the settings of [Crush].
type CrushOptions struct {
	Options
	// Directory limits the client to one project; empty means all.
	Directory string
	// HTTP makes the calls; nil means a client of its own. It must not have a
	// timeout.
	HTTP *http.Client
}

// Crush answers the questions of a Crush server from chat. It subscribes to the
// events of every workspace, asks over the bridge, and posts the answers or the
// cancellation. Cancelling ends the agent's turn.
//
// Crush has three peculiarities. It does not list pending questions, so a question
// that was asked without a subscriber is only on its own screen. An answer applies
// to the current question of a workspace, without a check of its ID, so before
// posting an answer the client checks that the session has no result of the
// question's tool call. And a workspace lives while it has a subscriber, until
// Run ends.
//
// Sources: internal/server, internal/backend and internal/question at
// https://github.com/charmbracelet/crush/tree/37f36e9.
type Crush struct {
	*asker

	host *host
	dir  string
	id   string // our client ID, required for every stream

	mu       sync.Mutex
	followed map[string]bool
	asked    map[string]crushQuestion // by the ID of the batch
}

// crushQuestion is a batch of questions in the server's events, with its
// workspace.
type crushQuestion struct {
	ID       string `json:"id"`
	Session  string `json:"session_id"`
	ToolCall string `json:"tool_call_id"`

	workspace string
}

// NewCrush returns the client of the server at an address such as
// "unix:///run/user/1000/crush-1000.sock" or "tcp://127.0.0.1:4096".
func NewCrush(bridge *client.Client, address string, opts *CrushOptions) (*Crush, error) {
	if opts == nil {
		opts = &CrushOptions{}
	}
	h, err := newHost("Crush", address, "unix:///run/user/1000/crush-1000.sock", opts.HTTP)
	if err != nil {
		return nil, err
	}
	return &Crush{
		asker: newAsker(bridge, opts.Options), host: h, dir: opts.Directory, id: uuid.NewString(),
		followed: map[string]bool{}, asked: map[string]crushQuestion{},
	}, nil
}

// Run answers questions until ctx ends. It survives restarts of the server and of
// the bridge.
func (c *Crush) Run(ctx context.Context) {
	defer c.all.Wait()
	c.again(ctx, c.host.name, func(ctx context.Context) error {
		for {
			if err := c.look(ctx); err != nil {
				return err
			}
			if err := wait.For(ctx, crushLook); err != nil {
				return err
			}
		}
	})
}

// look follows every workspace, and closes the questions of those that are gone.
func (c *Crush) look(ctx context.Context) error {
	var list []struct {
		ID   string `json:"id"`
		Path string `json:"path"`
	}
	if err := c.host.read(ctx, http.MethodGet, "/v1/workspaces", nil, &list); err != nil {
		return err
	}
	there := map[string]bool{}
	for _, w := range list {
		there[w.ID] = true
		if c.dir == "" || c.dir == w.Path {
			c.follow(ctx, w.ID)
		}
	}
	c.end(func(q crushQuestion) bool { return !there[q.workspace] }, over{"Crush has closed the project"})
	return nil
}

// follow subscribes to a workspace unless that is being done. If the stream
// breaks, the next look restarts it.
func (c *Crush) follow(ctx context.Context, workspace string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.followed[workspace] {
		return
	}
	c.followed[workspace] = true
	c.all.Go(func() {
		err := c.host.follow(ctx, c.path(workspace, "events")+"?client_id="+c.id, 0,
			func(during context.Context) error { return c.catchUp(during, workspace) },
			func(data []byte) { c.hear(ctx, workspace, data) })
		if ctx.Err() == nil {
			c.log.Debug("the stream of a workspace has ended", "workspace", workspace, "error", err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.followed, workspace)
	})
}

func (c *Crush) path(workspace string, rest ...string) string {
	path := []string{"/v1/workspaces", url.PathEscape(workspace)}
	for _, r := range rest {
		path = append(path, url.PathEscape(r))
	}
	return strings.Join(path, "/")
}

// catchUp closes questions that were answered in Crush while not subscribed.
func (c *Crush) catchUp(ctx context.Context, workspace string) error {
	c.mu.Lock()
	var open []crushQuestion
	for _, q := range c.asked {
		if q.workspace == workspace {
			open = append(open, q)
		}
	}
	c.mu.Unlock()
	for _, q := range open {
		done, err := c.done(ctx, q)
		if err != nil {
			return err
		}
		if done {
			c.end(func(o crushQuestion) bool { return o.ID == q.ID }, elsewhere(c.host.name))
		}
	}
	return nil
}

// crushMessage has the used members of a session's message.
type crushMessage struct {
	Parts []struct {
		Type string `json:"type"`
		Data struct {
			ToolCall string `json:"tool_call_id"`
		} `json:"data"`
	} `json:"parts"`
}

// results calls f with every tool call whose result is in the message.
func (m *crushMessage) results(f func(toolCall string)) {
	for _, p := range m.Parts {
		if p.Type == "tool_result" && p.Data.ToolCall != "" {
			f(p.Data.ToolCall)
		}
	}
}

// done reports whether the question's tool call has a result.
func (c *Crush) done(ctx context.Context, q crushQuestion) (bool, error) {
	if q.Session == "" || q.ToolCall == "" {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	resp, err := c.host.call(ctx, http.MethodGet, c.path(q.workspace, "sessions", q.Session, "messages"), nil)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	// A session may be long, so decode its messages one by one.
	messages := json.NewDecoder(resp.Body)
	if _, err := messages.Token(); err != nil {
		return false, fmt.Errorf("connect: read Crush's messages: %w", err)
	}
	found := false
	for messages.More() {
		var m crushMessage
		if err := messages.Decode(&m); err != nil {
			return false, fmt.Errorf("connect: read Crush's messages: %w", err)
		}
		m.results(func(toolCall string) { found = found || toolCall == q.ToolCall })
	}
	return found, nil
}

// hear handles an event. Questions use life as their context, since the stream may
// break while people think.
func (c *Crush) hear(life context.Context, workspace string, data []byte) {
	var e struct {
		Type    string `json:"type"`
		Payload struct {
			Type    string          `json:"type"`
			Payload json.RawMessage `json:"payload"`
		} `json:"payload"`
	}
	if strictjson.Decode(data, &e) != nil {
		return
	}
	input := e.Payload.Payload
	switch e.Type {
	case "question_batch_request":
		c.batch(life, workspace, input)
	case "question_batch_notification":
		var about struct {
			ID string `json:"batch_id"`
		}
		if strictjson.Decode(input, &about) == nil {
			c.end(func(q crushQuestion) bool { return q.ID == about.ID }, elsewhere(c.host.name))
		}
	case "message":
		var m crushMessage
		if strictjson.Decode(input, &m) == nil {
			m.results(func(toolCall string) {
				c.end(func(q crushQuestion) bool { return q.workspace == workspace && q.ToolCall == toolCall }, elsewhere(c.host.name))
			})
		}
	case "run_complete":
		var run struct {
			Session string `json:"session_id"`
		}
		if strictjson.Decode(input, &run) == nil {
			c.end(func(q crushQuestion) bool { return q.workspace == workspace && q.Session == run.Session }, turnEnded())
		}
	}
}

// batch begins a batch of questions. A workspace has one at a time; a new one
// replaces it.
func (c *Crush) batch(life context.Context, workspace string, input json.RawMessage) {
	q := crushQuestion{workspace: workspace}
	if strictjson.Decode(input, &q) != nil || q.ID == "" {
		c.log.Warn("crush asked something without an id", "workspace", workspace)
		return
	}
	c.end(func(o crushQuestion) bool { return o.workspace == workspace && o.ID != q.ID }, over{"the agent asks something else now"})
	c.mu.Lock()
	c.asked[q.ID] = q
	c.mu.Unlock()
	c.begin(life, question{
		id:   q.ID,
		call: client.ToolCall{Dialect: "crush-payload", Input: input, Request: ask.Request{Key: "crush/" + q.ID}},
		tell: func(ctx context.Context, r *client.ToolResult) error { return c.tell(ctx, q, r) },
	})
}

// end ends the wait for the questions that match.
func (c *Crush) end(test func(q crushQuestion) bool, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, q := range c.asked {
		if test(q) {
			delete(c.asked, id)
			c.drop(id, why)
		}
	}
}

// tell posts the answers, or cancels.
func (c *Crush) tell(ctx context.Context, q crushQuestion, r *client.ToolResult) error {
	verb, body := "answer", r.Body
	if r.IsError {
		verb, body = "cancel", nil
	}
	return insist(ctx, func(ctx context.Context) error {
		done, err := c.done(ctx, q)
		if err != nil || done {
			return err
		}
		var reply struct {
			Resolved bool `json:"resolved"`
		}
		if err := c.host.read(ctx, http.MethodPost, c.path(q.workspace, "questions", verb), body, &reply); err != nil {
			return err
		}
		if !reply.Resolved {
			c.log.Warn("crush was not asking any more", "question", q.ID)
		}
		return nil
	})
}
