package api

import (
	"cmp"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/client"
)

// Health is the response of the probes.
type Health struct {
	Status string   `json:"status" enum:"ok,unready" doc:"Whether calls should come here"`
	Parts  []Ailing `json:"parts,omitempty" nullable:"false" doc:"What is out of order"`
}

// Ailing is a failing part of the bridge.
type Ailing struct {
	Part   string `json:"part" doc:"A platform, store, or bridge" example:"slack"`
	Detail string `json:"detail" doc:"Why, without anything secret" example:"invalid_auth"`
}

func requestOf(r *bridge.Record) *client.Request {
	o := r.Outcome
	q := &client.Request{
		ID: r.ID, State: o.State,
		ToolCallID: r.ToolCallID, Session: r.Session, Agent: r.Agent, Context: r.Context, Links: r.Links, Source: r.Source, Files: r.Files,
		CreatedAt: r.Created.UTC(), ExpiresAt: client.UTC(r.Deadline),
		Responders: r.Policy.Strings(), Floors: r.Policy.Floors(), Questions: questionsOf(r.Questions),
		Delivery: make([]client.Delivery, 0, len(r.Copies)),
		Reason:   o.Reason, Replied: o.Replied, Via: o.Via, By: o.By, EndedAt: client.UTC(cmp.Or(r.EndedAt, o.At)),
	}
	q.Risk = r.Risk
	if r.Hold > 0 {
		q.Hold = r.Hold.String()
	}
	q.Revision, q.RevisedAt, q.AskBack = r.Revised, client.UTC(r.RevisedAt), r.AskBack
	for _, asked := range r.AskedBack {
		asked.At, asked.RepliedAt = asked.At.UTC(), client.UTC(asked.RepliedAt)
		q.AskedBack = append(q.AskedBack, asked.AskedBack)
	}
	q.Joined = r.Joined
	if r.Receipt != nil {
		q.Receipt = &client.Receipt{TakenAt: client.UTC(r.Receipt.TakenAt), Missing: r.Receipt.Missing, Instead: r.Receipt.Instead}
	}
	if vote := r.Standing(); vote != nil {
		q.Policy, q.Voted, q.Votes, q.Tally, q.NotVoted = &vote.Rule, vote.Voted, votesOf(vote.Votes), vote.Tally, vote.Waiting
	}
	if r.Replies.On() {
		q.Replies, q.Code = &r.Replies, r.Code()
	}
	for n, c := range r.Copies {
		q.Delivery = append(q.Delivery, client.Delivery{
			Platform: c.Target.Platform, Installation: c.Target.Installation, Channel: cmp.Or(c.Target.Channel, c.Ref.Channel),
			Thread: c.Target.Thread, User: c.Target.User, Message: c.Ref.Message,
			State: client.DeliveryState(c.State), Detail: c.Problem, Queue: c.Queue, RetryAt: client.UTC(c.RetryAt),
			Notified: record.Notified(r, c), Unnotified: unnotifiedOf(record.Unnotified(r, n)),
		})
	}
	if r.Schedule != nil {
		schedule(q, r.Schedule)
	}
	if w := r.Webhook; w != nil {
		q.Webhook = &client.Webhook{URL: w.Address, State: client.WebhookState(w.State), Attempts: w.Attempts, Detail: w.Problem, RetryAt: client.UTC(w.RetryAt)}
	}
	if o.State == ask.Answered {
		q.Answers, q.Text, q.Skipped, q.Left = client.AnswersOf(o.Answers), r.Text(), o.Skipped, o.Left
	}
	return q
}

// schedule sets a request's escalation.
func schedule(q *client.Request, s *record.Schedule) {
	for n, step := range s.Steps {
		shown := client.Step{At: step.At.UTC(), Do: step.Do, Done: n < s.Done, Responders: step.Added, To: step.Places, Notify: step.Who}
		if p := step.Pass; p != nil {
			shown.By, shown.PassedTo = p.By, p.To
		}
		q.Steps = append(q.Steps, shown)
	}
	q.PassOn = !s.PassTo.IsZero()
	if s.ClaimFor > 0 {
		q.ClaimFor = s.ClaimFor.String()
		if c := s.Claim; c != nil {
			q.Claim = &client.Claim{By: c.By, At: c.At.UTC(), Until: c.Until.UTC()}
		}
	}
}

// questionsOf returns questions whose option lists are never nil, so that clients need not
// handle null.
func questionsOf(questions []ask.Question) []ask.Question {
	all := make([]ask.Question, len(questions))
	for n, q := range questions {
		if q.Options == nil {
			q.Options = []ask.Option{}
		}
		all[n] = q
	}
	return all
}

func unnotifiedOf(missed []record.Missed) []client.Unnotified {
	var all []client.Unnotified
	for _, m := range missed {
		all = append(all, client.Unnotified{Who: m.Who, Reason: m.Why})
	}
	return all
}

func votesOf(votes []ask.Vote) []ask.Vote {
	all := slices.Clone(votes)
	for n := range all {
		all[n].At = all[n].At.UTC()
	}
	return all
}
