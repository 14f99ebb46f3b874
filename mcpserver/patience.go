package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long a call waits for people before it returns pending, by what is known
// of the client.
const (
	// PlainBudget is for clients that cannot be kept patient. It stays under the
	// shortest limit there is: 60 seconds for a whole call in clients on the
	// TypeScript SDK, and for the first byte of a response in Claude Code.
	// https://github.com/modelcontextprotocol/typescript-sdk
	// https://code.claude.com/docs/en/mcp
	PlainBudget = 50 * time.Second
	// ProgressBudget is for clients that sent a progress token: most begin to
	// count anew with each notification. It stays under the 300 seconds that
	// Codex gives a call whatever it hears.
	// https://developers.openai.com/codex/mcp
	ProgressBudget = 280 * time.Second
	// ClaudeBudget is for Claude Code, known by its tool-use id. With progress
	// it gives a call 100,000 seconds.
	// https://code.claude.com/docs/en/env-vars
	ClaudeBudget = 24 * time.Hour
)

// DefaultProgress is the time between two progress notifications: often enough
// for clients and proxies that hang up after 60 seconds of silence, one of which
// may get lost.
const DefaultProgress = 20 * time.Second

// budget is how long this call may wait.
func (c *call) budget() time.Duration {
	switch {
	case c.s.opts.Budget > 0:
		return c.s.opts.Budget
	case c.req.Params.GetProgressToken() == nil:
		return PlainBudget
	case c.toolUse() != "":
		return ClaudeBudget
	}
	return ProgressBudget
}

// progress keeps the client patient for as long as a call takes. Clients that
// sent no token hear nothing.
type progress struct {
	session *mcp.ServerSession
	token   any
	began   time.Time

	mu   sync.Mutex
	n    float64
	text string

	stopped chan struct{}
	ticking sync.WaitGroup
}

// startProgress says the first word at once: over HTTP no byte of the response
// leaves before it. The caller must stop it before it returns the result.
func startProgress(ctx context.Context, req *mcp.CallToolRequest, every time.Duration, text string) *progress {
	p := &progress{session: req.Session, token: req.Params.GetProgressToken(), began: time.Now(), stopped: make(chan struct{})}
	if p.token == nil {
		return p
	}
	// Notifications find their way by the values of ctx, also when it has ended.
	ctx = context.WithoutCancel(ctx)
	p.say(ctx, text)
	p.ticking.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.say(ctx, "")
			case <-p.stopped:
				return
			}
		}
	})
	return p
}

// say tells the client what is going on; without a text what was said last and
// for how long it has been so.
func (p *progress) say(ctx context.Context, text string) {
	if p.token == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if text != "" {
		p.text = text
	} else {
		text = p.text + " (" + time.Since(p.began).Round(time.Second).String() + ")"
	}
	p.n++
	// A client that is gone does not mind, and the call itself finds out.
	_ = p.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: p.n, Message: text})
}

// stop returns when nothing more is going to be said.
func (p *progress) stop() {
	close(p.stopped)
	p.ticking.Wait()
}
