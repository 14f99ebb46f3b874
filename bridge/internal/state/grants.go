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

// Grants creates grants from answers and finds the grant that applies to a request.
type Grants struct {
	Store storage.Grants
	judge atomic.Pointer[judgeGrant]
}

// judgeGrant reports whether an API token is valid and may create grants.
type judgeGrant = func(ctx context.Context, token string) (bool, error)

// counts reports whether a grant is valid as far as its token is concerned.
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

// id returns the ID of the grant that would permit the record's call, in a scope. It is
// a hash of everything that the grant depends on, including who may answer, so a grant
// never permits a call that other people have to approve.
func (g *Grants) id(r *record.Record, scope ask.Same) string {
	session := r.Session
	if scope == ask.SameAgent {
		session = ""
	}
	sum := sha256.Sum256(Encode("grant", r.Tenant, r.Agent, string(scope), session, r.Permit.Key, r.Policy.String(), reach(r)))
	return record.IDAlphabet.EncodeToString(sum[:])[:20]
}

// reach lists who could answer in addition to the policy: the channels of the cards, people who
// received the request from another person, and requesters who may not answer.
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

// May sets the operation for which a request needs permission and the grants that it
// offers. It removes the offers if no grant can be made: with several voters, an unknown
// operation, or no store for grants.
func (g *Grants) May(req *ask.Request, r *record.Record) {
	if req.Permit == nil && !req.Permission {
		return
	}
	r.Permit = &ask.Permit{}
	if req.Permit != nil {
		*r.Permit = *req.Permit
	}
	r.Permit.Key = req.Operation.Key()
	if g.Store == nil || r.Voting != nil || r.Permit.Key == "" {
		r.Questions = req.WithoutOffers()
		r.Permit.What, r.Permit.Allow, r.Permit.Offers = "", "", nil
	}
}

// Meets returns the outcome of a request to which a grant applies, or nil. It counts the
// use before the record is stored, so that a use and a revocation are ordered.
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

// Note stores the grant that results from an answer. It is idempotent.
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

// SetJudge sets the function that decides whether grants made with an API token are
// valid. Only the first call has an effect.
func (g *Grants) SetJudge(f judgeGrant) { g.judge.CompareAndSwap(nil, &f) }
