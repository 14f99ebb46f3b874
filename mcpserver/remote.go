package mcpserver

import (
	"context"
	"errors"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/client"
)

// Remote returns a bridge behind its HTTP API: calls wait in short requests and survive
// restarts of the bridge. The client's token identifies the agent.
func Remote(c *client.Client) Asker { return remote{c} }

type remote struct{ client *client.Client }

func (r remote) Submit(ctx context.Context, q ask.Request) (bridge.Submission, error) {
	made, err := r.client.Submit(ctx, q)
	if p, ok := errors.AsType[*client.Problem](err); ok && errors.Is(p, bridge.ErrConflict) {
		return bridge.Submission{Record: bridge.Record{ID: p.RequestID}, Existed: true}, err
	}
	return bridge.Submission{Record: recordOf(made)}, err
}

func (r remote) Load(ctx context.Context, id string) (bridge.Record, error) {
	got, err := r.client.Get(ctx, id)
	return recordOf(got), err
}

func (r remote) Wait(ctx context.Context, id string) (*bridge.Record, error) {
	got, err := r.client.Wait(ctx, id)
	if err != nil {
		return nil, err
	}
	last := recordOf(got)
	return &last, nil
}

func (r remote) Cancel(ctx context.Context, id, reason string) (bridge.Record, error) {
	got, err := r.client.Cancel(ctx, id, reason)
	return recordOf(got), err
}

// recordOf converts a request of the API to a record.
func recordOf(q *client.Request) bridge.Record {
	if q == nil {
		return bridge.Record{}
	}
	r := bridge.Record{
		ID: q.ID, Session: q.Session, ToolCallID: q.ToolCallID, Agent: q.Agent, Context: q.Context,
		Created: q.CreatedAt, Deadline: q.ExpiresAt, EndedAt: q.EndedAt,
		Questions: q.Questions, Revised: q.Revision, Policy: ask.PolicyOf(q.Responders...), Outcome: q.Outcome(),
	}
	for _, d := range q.Delivery {
		r.Copies = append(r.Copies, bridge.Copy{
			Target: d.Place(),
			State:  record.Delivery(d.State), Problem: d.Detail, Queue: d.Queue, RetryAt: d.RetryAt,
		})
	}
	return r
}
