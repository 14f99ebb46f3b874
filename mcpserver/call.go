package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/bridge"
)

// Why a call stops waiting before people have answered.
var (
	errBudget   = errors.New("mcpserver: the call has waited long enough")
	errDraining = errors.New("mcpserver: shutting down")
	errGone     = errors.New("mcpserver: the client is gone")
)

// lastLook bounds the look at the bridge after the budget has ended; the
// shortest limit of a client is that much longer.
const lastLook = 5 * time.Second

// call is one call of a tool.
type call struct {
	s      *Server
	req    *mcp.CallToolRequest
	caller Caller
	beat   *progress
	// about is the request the call is about, ignored what nobody knew in it.
	about   string
	ignored []string
}

// tool makes a handler of the SDK: it limits the call's time, keeps the client
// patient, turns errors into words and logs.
func (s *Server) tool(f func(*call, context.Context) (*bridge.Record, error)) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
		c := &call{s: s, req: req}
		began := time.Now()
		var told *result
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("call panicked", "tool", req.Params.Name, "request_id", c.about, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				told = problemWith(c, errors.New("panic"))
				res, err = told.tool(), nil
			}
			s.log.Info("call served", "tool", req.Params.Name, "request_id", c.about, "tool_call_id", c.toolUse(),
				"state", string(told.State), "took", time.Since(began))
		}()
		c.caller = s.opts.Caller(ctx)
		waiting, stop := c.waiting(ctx)
		defer stop()
		c.beat = startProgress(ctx, req, s.opts.Progress, "One moment")
		defer c.beat.stop()
		record, err := f(c, waiting)
		if record != nil {
			c.about = record.ID
		}
		if err != nil {
			if told = problemWith(c, err); told.State == unavailable {
				s.complain(c, err)
			}
		} else {
			told = resultOf(c, record)
		}
		return told.tool(), nil
	}
}

// waiting returns the context of a call that may wait for people. Its cause
// tells why the wait is over.
func (c *call) waiting(ctx context.Context) (context.Context, func()) {
	line := lineOf(ctx)
	waiting, cancel := context.WithCancelCause(ctx)
	timed, done := context.WithTimeoutCause(waiting, c.budget(), errBudget)
	left := context.AfterFunc(line.life, func() { cancel(errGone) })
	drained := context.AfterFunc(c.s.draining, func() { cancel(errDraining) })
	return timed, func() {
		left()
		drained()
		done()
		cancel(nil)
	}
}

// ask puts questions in front of people and waits for the answer.
func (c *call) ask(ctx context.Context) (*bridge.Record, error) {
	r, ignored, err := c.request()
	c.ignored = ignored
	if err != nil {
		return nil, err
	}
	made, err := c.s.bridge.Submit(ctx, r)
	c.about = made.Record.ID
	if err != nil {
		return nil, err
	}
	return c.await(ctx, &made.Record)
}

// wait goes on waiting for an answer.
func (c *call) wait(ctx context.Context) (*bridge.Record, error) {
	id, err := c.requestID()
	if err != nil {
		return nil, err
	}
	c.about = id
	r, err := c.s.bridge.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if r.Tenant != c.caller.Tenant && !c.caller.All {
		return nil, bridge.ErrNotFound
	}
	return c.await(ctx, &r)
}

// await returns the request once it has ended, or as it stands when the call
// has waited long enough.
func (c *call) await(ctx context.Context, r *bridge.Record) (*bridge.Record, error) {
	if !r.Open() {
		return r, nil
	}
	c.beat.say(ctx, "Waiting for a person to answer request "+r.ID)
	last, err := c.s.bridge.Wait(ctx, r.ID)
	if err == nil {
		return last, nil
	}
	switch why := context.Cause(ctx); {
	case why == nil && errors.Is(err, bridge.ErrNotFound):
		return nil, err
	case why == nil:
		// The bridge stops, or cannot be reached for good. The question stands.
		c.s.complain(c, err)
		return r, nil
	case errors.Is(why, errBudget):
		// How it stands by now; and an answer whose news was lost is found.
		return c.look(ctx, r), nil
	case errors.Is(why, context.Canceled) && lineOf(ctx).duplex && c.s.opts.CancelWithdraws:
		return c.withdraw(ctx, r), nil
	}
	return r, nil
}

func (c *call) look(ctx context.Context, r *bridge.Record) *bridge.Record {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	now, err := c.s.bridge.Load(ctx, r.ID)
	if err != nil {
		return r
	}
	return &now
}

func (c *call) withdraw(ctx context.Context, r *bridge.Record) *bridge.Record {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	ended, err := c.s.bridge.Cancel(ctx, r.ID, "withdrawn by the agent")
	if err != nil {
		c.s.complain(c, err)
		return r
	}
	return &ended
}

// complain tells the operator what the agent is not told.
func (s *Server) complain(c *call, err error) {
	s.log.Warn("call failed", "tool", c.req.Params.Name, "request_id", c.about, "error", err)
}
