package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

// Why a call stops waiting before people have answered.
var (
	errBudget   = errors.New("mcpserver: the call has waited long enough")
	errDraining = errors.New("mcpserver: shutting down")
	errGone     = errors.New("mcpserver: the client is gone")
)

// lastLook limits the last read after the budget has ended; the shortest timeout of a client is longer than the budget by
// as much.
const lastLook = 5 * time.Second

// call is one call of a tool.
type call struct {
	s    *Server
	req  *mcp.CallToolRequest
	line line
	beat *progress
	// id identifies the call in the log and in its result.
	id string
	// about is the ID of the request, ignored are unknown members of the call, and advice are remarks about how the request
	// will be shown.
	about   string
	ignored []string
	advice  []ask.Problem
	// crowded is set if the call did not wait because too many calls of its caller do.
	crowded *access.RefusedError
}

// tool returns a handler for the SDK, which checks the caller's scope, limits the wait, sends progress notifications,
// converts errors to results, and logs the call.
func (s *Server) tool(scope access.Scope, f func(*call, context.Context) (*result, error)) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
		c := &call{s: s, req: req, line: lineOf(ctx), id: rand.Text()[:16]}
		began := time.Now()
		var told *result
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("call panicked", "call_id", c.id, "tool", req.Params.Name, "request_id", c.about, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				told = problemWith(c, errors.New("panic"))
				res, err = told.tool(c), nil
			}
			s.log.Info("call served", "call_id", c.id, "tool", req.Params.Name, "request_id", c.about, "tool_call_id", c.toolUse(),
				"state", string(told.State), "took", time.Since(began))
		}()
		waiting, stop := c.waiting(ctx)
		defer stop()
		c.beat = startProgress(ctx, req, s.opts.Progress, "One moment")
		defer c.beat.stop()
		if err = c.may(scope); err == nil {
			told, err = f(c, waiting)
		}
		if err != nil {
			told = c.trouble(err)
		}
		return told.tool(c), nil
	}
}

// trouble converts an error to a result, and logs it if only the operator can help.
func (c *call) trouble(err error) *result {
	res := problemWith(c, err)
	if res.State == unavailable {
		c.s.complain(c, err)
	}
	return res
}

// questions adapts a tool that returns a request.
func questions(f func(*call, context.Context) (*bridge.Record, error)) func(*call, context.Context) (*result, error) {
	return func(c *call, ctx context.Context) (*result, error) {
		record, err := f(c, ctx)
		if record != nil {
			c.about = record.ID
		}
		if err != nil {
			return nil, err
		}
		c.handed(record)
		return resultOf(c, record), nil
	}
}

// waiting returns the context of a call that may wait for people. Its cause is why the wait ended.
func (c *call) waiting(ctx context.Context) (context.Context, func()) {
	waiting, cancel := context.WithCancelCause(ctx)
	timed, done := context.WithTimeoutCause(waiting, c.budget(), errBudget)
	left := context.AfterFunc(c.line.life, func() { cancel(errGone) })
	drained := context.AfterFunc(c.s.draining, func() { cancel(errDraining) })
	return timed, func() {
		left()
		drained()
		done()
		cancel(nil)
	}
}

// caller returns the caller, or nil for a bridge without access control.
func (c *call) caller() *access.Caller { return c.line.caller() }

// may returns an error if the caller's token lacks the scope.
func (c *call) may(scope access.Scope) error {
	if who := c.caller(); who != nil {
		return who.May(scope)
	}
	return nil
}

// handed acknowledges the answer, whether the call waited for it or came back later. A bridge behind HTTP does so itself.
func (c *call) handed(r *bridge.Record) {
	switch b := c.line.bridge.(type) {
	case *access.Caller:
		b.Handed(r)
	case *bridge.Bridge:
		b.Talk().Handed(r)
	}
}

// ask submits questions and waits for the answer.
func (c *call) ask(ctx context.Context) (*bridge.Record, error) {
	r, ignored, err := c.request()
	c.ignored = ignored
	if slices.Contains(ignored, "policy") {
		c.s.log.Warn("policy in a tool input ignored", "tool_call_id", r.ToolCallID)
	}
	if err != nil {
		return nil, err
	}
	c.advice = ask.Advise(r.Questions)
	made, err := c.line.bridge.Submit(ctx, r)
	c.about = made.Record.ID
	if err != nil {
		return nil, err
	}
	return c.await(ctx, &made.Record)
}

// wait continues to wait for an answer.
func (c *call) wait(ctx context.Context) (*bridge.Record, error) {
	id, err := c.requestID()
	if err != nil {
		return nil, err
	}
	c.about = id
	r, err := c.line.bridge.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.await(ctx, &r)
}

// await returns the request when it has ended, or its state when the budget of the call has ended.
func (c *call) await(ctx context.Context, r *bridge.Record) (*bridge.Record, error) {
	if !r.Open() {
		return r, nil
	}
	c.beat.say(ctx, "Waiting for a person to answer request "+r.ID)
	last, err := c.line.bridge.Wait(ctx, r.ID)
	if err == nil {
		return last, nil
	}
	if refused, ok := errors.AsType[*access.RefusedError](err); ok {
		return c.sentAway(r, refused)
	}
	switch why := context.Cause(ctx); {
	case why == nil && errors.Is(err, bridge.ErrNotFound):
		return nil, err
	case why == nil:
		// The bridge stops, or cannot be reached. The question remains open.
		c.s.complain(c, err)
		return r, nil
	case errors.Is(why, errBudget):
		// Read its state, in case the notification of an answer was lost.
		return c.look(ctx, r)
	case errors.Is(why, context.Canceled) && c.line.duplex && c.s.opts.CancelWithdraws:
		return c.withdraw(ctx, r), nil
	}
	return r, nil
}

// sentAway returns the request as it was for a caller that may not wait, or the error for one whose token has ended
// meanwhile.
func (c *call) sentAway(r *bridge.Record, refused *access.RefusedError) (*bridge.Record, error) {
	switch refused.Kind {
	case access.Exhausted:
		c.crowded = refused
	case access.Unclear: // The question is open, and repeating the call could ask it again.
		c.s.complain(c, refused)
	default:
		return nil, refused
	}
	return r, nil
}

// look returns the state of the request, or the previous one if it cannot be read. It returns an error for a caller whose
// token has ended meanwhile.
func (c *call) look(ctx context.Context, r *bridge.Record) (*bridge.Record, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	now, err := c.line.bridge.Load(ctx, r.ID)
	if who := c.caller(); err == nil && who != nil {
		err = who.Still(ctx)
	}
	if refused, ok := errors.AsType[*access.RefusedError](err); ok {
		return c.sentAway(r, refused)
	}
	if err != nil {
		return r, nil
	}
	return &now, nil
}

func (c *call) withdraw(ctx context.Context, r *bridge.Record) *bridge.Record {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	ended, err := c.line.bridge.Cancel(ctx, r.ID, "withdrawn by the agent")
	if err != nil {
		c.s.complain(c, err)
		return r
	}
	return &ended
}

// complain logs an error that the agent does not get.
func (s *Server) complain(c *call, err error) {
	s.log.Warn("call failed", "call_id", c.id, "tool", c.req.Params.Name, "request_id", c.about, "error", err)
}
