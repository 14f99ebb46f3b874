package state

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// grants are what a bridge makes of people's acts, and the requests that they meet.
type Grants struct {
	Store storage.Grants
	judge atomic.Pointer[judgeGrant]
}

// judgeGrant reports whether the token of an id holds and may allow calls for a time.
type judgeGrant = func(ctx context.Context, token string) (bool, error)

// counts reports whether a grant counts as far as its token goes.
func (g *Grants) counts(ctx context.Context, grant *storage.Grant) (bool, error) {
	judge := g.judge.Load()
	switch {
	case grant.Token == "":
		return true, nil
	case judge == nil:
		return false, nil
	}
	return (*judge)(ctx, grant.Token)
}

// id is that of the grant that allows what the record asks, in a scope. It names all that
// a grant holds for, who may answer included: what one may allow whom others may not ask is
// no word on what only those others may.
func (g *Grants) id(r *record.Record, scope ask.Same) string {
	session := r.Session
	if scope == ask.SameAgent {
		session = ""
	}
	sum := sha256.Sum256(Encode("grant", r.Tenant, r.Agent, string(scope), session, r.Permit.Key, r.Policy.String(), reach(r)))
	return record.IDAlphabet.EncodeToString(sum[:])[:20]
}

// reach is who could answer of those whom the policy lets, and who could beside them: where
// the cards are, of a thread its channel, whom the request was passed on to, and whose own
// request it is, where they may not.
func reach(r *record.Record) []string {
	var all []string
	for _, c := range r.Copies {
		place := c.Target
		place.Thread = ""
		all = append(all, place.String())
	}
	if r.Schedule != nil {
		for _, step := range r.Schedule.Steps {
			if step.Pass != nil {
				all = append(all, step.Pass.To.Key()+" instead")
			}
		}
	}
	if r.Policy.Has(ask.NotRequester) {
		for _, who := range r.Requesters {
			all = append(all, who+" never")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// may records that a request asks for a permission, for which operation, and what it offers
// beyond this call. It drops the offers where no grant may be made: where several people
// decide, where the operation is unknown, and where there is no store for grants.
func (g *Grants) May(req *ask.Request, r *record.Record) {
	key := req.Operation.Key()
	switch offered := req.Permit != nil; {
	case offered && g.Store != nil && r.Voting == nil && key != "":
		r.Permit = new(*req.Permit)
		r.Permit.Key = key
	case offered, req.Permission:
		r.Questions, r.Permit = req.WithoutOffers(), &ask.Permit{Key: key}
	}
}

// meets returns how the request ends that a grant meets, or nil where nobody has allowed
// it. The use is counted before the record is stored: of two who use and revoke at once,
// one comes first.
func (g *Grants) Meets(ctx context.Context, r *record.Record, now time.Time) (*ask.Outcome, error) {
	if r.Permit == nil {
		return nil, nil //nolint:nilnil // Nothing is no mistake.
	}
	for _, offer := range r.Permit.Offers {
		grant, err := g.Store.Use(ctx, g.id(r, offer.Scope), now.Add(-offer.For), now)
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		counts := false
		if err == nil {
			counts, err = g.counts(ctx, &grant)
		}
		if err != nil {
			return nil, fmt.Errorf("bridge: read what is allowed: %w", err)
		}
		if !counts {
			continue
		}
		q := r.Questions[0]
		return &ask.Outcome{
			State: ask.Answered, By: grant.By, Via: storage.ViaGrant + grant.ID,
			Answers: []ask.Answer{{Question: q.Text, Header: q.Header, Selected: []string{r.Permit.Allow}, By: grant.By, At: grant.Made}},
		}, nil
	}
	return nil, nil //nolint:nilnil // Nothing is no mistake.
}

// note keeps what the person has allowed who ended the request. It may be called again
// and again: a grant is as old as the decision.
func (g *Grants) Note(ctx context.Context, r *record.Record, now time.Time) error {
	offer := record.Granted(r)
	if offer == nil || g.Store == nil {
		return nil
	}
	until := r.EndedAt.Add(offer.For)
	if !until.After(now) {
		return nil
	}
	grant := storage.Grant{
		ID: g.id(r, offer.Scope), Tenant: r.Tenant, Agent: r.Agent, Scope: offer.Scope, What: r.Permit.What,
		Request: r.ID, By: r.Outcome.By, Token: r.Token, Made: r.EndedAt, Until: until,
	}
	if offer.Scope == ask.SameSession {
		grant.Session = r.Session
	}
	if err := g.Store.Make(ctx, grant, until.Sub(now)); err != nil {
		return fmt.Errorf("bridge: keep what was allowed: %w", err)
	}
	return nil
}

// setJudge sets the function that decides whether grants made with an API token are
// valid. Only the first call has an effect.
func (g *Grants) SetJudge(f judgeGrant) { g.judge.CompareAndSwap(nil, &f) }
