package bridge

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
)

// Grant is a person's word that a call is allowed again, for a time, without anybody
// being asked. It comes of an act on a card, or of an answer over the API; see [ask.Permit].
type Grant struct {
	// ID is made of all that a call has in common with those that the grant allows.
	ID      string `json:"id"`
	Tenant  string `json:"tenant"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	// Scope is whether it holds in the one session or in every one of the agent.
	Scope ask.Same `json:"scope"`
	// What is what may be done, on one line.
	What string `json:"what"`
	// Request is the request whose card it was made on, and By who made it.
	Request string     `json:"request"`
	By      ask.Person `json:"by"`
	// Token is the id of the token that it was made with over the API, and which it ends with; empty for one made on a card.
	Token string    `json:"token,omitempty"`
	Made  time.Time `json:"made"`
	Until time.Time `json:"until"`
	// Revoked is zero for one that was not, and RevokedBy who did.
	Revoked   time.Time `json:"revoked,omitzero"`
	RevokedBy string    `json:"revoked_by,omitempty"`
	// Uses counts the requests that it has met, and Used is when the last one was.
	Uses int       `json:"uses,omitempty"`
	Used time.Time `json:"used,omitzero"`
}

// Holds reports whether the grant allows anything at a moment.
func (g *Grant) Holds(now time.Time) bool { return g.Revoked.IsZero() && now.Before(g.Until) }

// Grants keep what people have allowed for a time. [keyvalue.Grants] keeps them beside the
// records of every store.
//
// [keyvalue.Grants]: https://pkg.go.dev/github.com/askbridge/askbridge/store/keyvalue#Grants
type Grants interface {
	// Make keeps a grant for so long, in the place of an older one of that id. One that is
	// as new stays as it is, so that nothing that was revoked comes back.
	Make(ctx context.Context, g Grant, life time.Duration) error
	// Use counts a use of the grant of an id and returns it, or [ErrNotFound] where none
	// holds at that moment, or none that was made after since. Whoever revokes it is
	// before a use or after it.
	Use(ctx context.Context, id string, since, now time.Time) (Grant, error)
}

// grants are what a bridge makes of people's acts, and the requests that they meet.
type grants struct {
	store Grants
	judge atomic.Pointer[judgeGrant]
}

// judgeGrant reports whether the token of an id holds and may allow calls for a time.
type judgeGrant = func(ctx context.Context, token string) (bool, error)

// JudgeGrants has f say whether grants count that were made with the token of an id over the API, each time that a request
// meets one. The first f counts. Without any, no such grant does.
func (b *Bridge) JudgeGrants(f func(ctx context.Context, token string) (bool, error)) {
	b.intake.grants.judge.CompareAndSwap(nil, &f)
}

// counts reports whether a grant counts as far as its token goes.
func (g *grants) counts(ctx context.Context, grant *Grant) (bool, error) {
	judge := g.judge.Load()
	switch {
	case grant.Token == "":
		return true, nil
	case judge == nil:
		return false, nil
	}
	return (*judge)(ctx, grant.Token)
}

// ViaGrant begins [ask.Outcome.Via] of a request that a grant has met; its id follows.
const ViaGrant = "grant:"

// id is that of the grant that allows what the record asks, in a scope. It names all that
// a grant holds for, who may answer included: what one may allow whom others may not ask is
// no word on what only those others may.
func (g *grants) id(r *Record, scope ask.Same) string {
	session := r.Session
	if scope == ask.SameAgent {
		session = ""
	}
	sum := sha256.Sum256(encode("grant", r.Tenant, r.Agent, string(scope), session, r.Permit.Key, r.Policy.String(), reach(r)))
	return record.IDAlphabet.EncodeToString(sum[:])[:20]
}

// reach is who could answer of those whom the policy lets, and who could beside them: where
// the cards are, of a thread its channel, whom the request was passed on to, and whose own
// request it is, where they may not.
func reach(r *Record) []string {
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
func (g *grants) may(req *ask.Request, r *Record) {
	key := req.Operation.Key()
	switch offered := req.Permit != nil; {
	case offered && g.store != nil && r.Voting == nil && key != "":
		r.Permit = new(*req.Permit)
		r.Permit.Key = key
	case offered, req.Permission:
		r.Questions, r.Permit = req.WithoutOffers(), &ask.Permit{Key: key}
	}
}

// meets returns how the request ends that a grant meets, or nil where nobody has allowed
// it. The use is counted before the record is stored: of two who use and revoke at once,
// one comes first.
func (g *grants) meets(ctx context.Context, r *Record, now time.Time) (*ask.Outcome, error) {
	if r.Permit == nil {
		return nil, nil //nolint:nilnil // Nothing is no mistake.
	}
	for _, offer := range r.Permit.Offers {
		grant, err := g.store.Use(ctx, g.id(r, offer.Scope), now.Add(-offer.For), now)
		if errors.Is(err, ErrNotFound) {
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
			State: ask.Answered, By: grant.By, Via: ViaGrant + grant.ID,
			Answers: []ask.Answer{{Question: q.Text, Header: q.Header, Selected: []string{r.Permit.Allow}, By: grant.By, At: grant.Made}},
		}, nil
	}
	return nil, nil //nolint:nilnil // Nothing is no mistake.
}

// note keeps what the person has allowed who ended the request. It may be called again
// and again: a grant is as old as the decision.
func (g *grants) note(ctx context.Context, r *Record, now time.Time) error {
	offer := record.Granted(r)
	if offer == nil || g.store == nil {
		return nil
	}
	until := r.EndedAt.Add(offer.For)
	if !until.After(now) {
		return nil
	}
	grant := Grant{
		ID: g.id(r, offer.Scope), Tenant: r.Tenant, Agent: r.Agent, Scope: offer.Scope, What: r.Permit.What,
		Request: r.ID, By: r.Outcome.By, Token: r.Token, Made: r.EndedAt, Until: until,
	}
	if offer.Scope == ask.SameSession {
		grant.Session = r.Session
	}
	if err := g.store.Make(ctx, grant, until.Sub(now)); err != nil {
		return fmt.Errorf("bridge: keep what was allowed: %w", err)
	}
	return nil
}
