package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long a call waits for people before it returns pending, by client.
const (
	// PlainBudget is for clients without progress tokens. It is below the
	// shortest timeout: 60 seconds for a whole call in clients with the
	// TypeScript SDK, and for the first byte of a response in Claude Code.
	// https://github.com/modelcontextprotocol/typescript-sdk
	// https://code.claude.com/docs/en/mcp
	PlainBudget = 50 * time.Second
	// ProgressBudget is for clients with a progress token: most restart their
	// timeout with each notification. It is below the 300 seconds after which
	// Codex ends a call in any case.
	// https://developers.openai.com/codex/mcp
	ProgressBudget = 280 * time.Second
	// ClaudeBudget is for Claude Code, recognized by its tool-use ID. With progress
	// its timeout is 100,000 seconds.
	// https://code.claude.com/docs/en/env-vars
	ClaudeBudget = 24 * time.Hour
)

// DefaultProgress is the time between two progress notifications. Clients and proxies
// that disconnect after 60 seconds of silence tolerate the loss of one.
const DefaultProgress = 20 * time.Second

// budget returns how long this call may wait.
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

// progress sends progress notifications during a call, if the client sent a token.
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

// startProgress sends the first notification immediately, since over HTTP it starts the
// response. The caller must stop it before it returns the result.
func startProgress(ctx context.Context, req *mcp.CallToolRequest, every time.Duration, text string) *progress {
	p := &progress{session: req.Session, token: req.Params.GetProgressToken(), began: time.Now(), stopped: make(chan struct{})}
	if p.token == nil {
		return p
	}
	// Notifications are routed by the values of ctx, also after it has ended.
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

// say sends a notification; without a text it repeats the last one with the time.
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
	// If the client has disconnected, the call notices.
	_ = p.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: p.n, Message: text})
}

// stop ends the notifications.
func (p *progress) stop() {
	close(p.stopped)
	p.ticking.Wait()
}
