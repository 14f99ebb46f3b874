package ask

import (
	"fmt"
	"slices"
	"time"
)

// MaxGrant is the longest duration of a grant.
const MaxGrant = 30 * 24 * time.Hour

// Grants limits what people may allow beyond the call they are asked about: the same call
// again, without another prompt. The zero value allows nothing more.
type Grants struct {
	// Scope is SameSession, or SameAgent, which includes every session.
	Scope Same `json:"scope"`
	// For is the duration, starting at the decision.
	For time.Duration `json:"for"`
}

// Check validates grants; problems are reported at path.
func (g Grants) Check(path string) []Problem {
	var c checker
	if g == (Grants{}) {
		return nil
	}
	if g.Scope != SameSession && g.Scope != SameAgent {
		c.add(path+".scope", ErrSyntax, "must be session or agent")
	}
	if g.For < time.Minute || g.For > MaxGrant {
		c.add(path+".for", ErrSyntax, "must be a time from 1m to 30d")
	}
	return c.problems
}

// Permit marks a request whose single question is a permission prompt: how a card shows the call, and
// which options create a grant. The API sets it from the host's prompt and the caller's token, never
// from text the caller writes.
type Permit struct {
	// Key is the [Operation.Key] of the request. The bridge sets it.
	Key string
	// What describes the call to people, on one line.
	What string
	// Wants is what the agent asks to do; empty if the question itself says so.
	Wants Wants
	// Tool is the tool of [WantsTool].
	Tool string
	// Where and Words are the first and the last paragraphs of the first option's preview: the folder
	// and the environment of the call, and the agent's words about it. What is between them is the
	// input.
	Where, Words string
	// Deny are the labels that refuse the call.
	Deny []string
	// Allow is the label that allows the call once.
	Allow string
	// Offers are the options that also allow the call for a time.
	Offers []Offer
}

// Wants is the kind of a call that needs permission.
type Wants string

// The kinds of calls.
const (
	WantsRun    Wants = "run"
	WantsChange Wants = "change"
	WantsPlan   Wants = "plan"
	// WantsNoPlan leaves plan mode without a plan.
	WantsNoPlan Wants = "no_plan"
	// WantsType types into a running program.
	WantsType  Wants = "type"
	WantsReach Wants = "reach"
	// WantsRights is about further permissions.
	WantsRights Wants = "rights"
	WantsTool   Wants = "tool"
)

// Offer is an option that allows a call for a time.
type Offer struct {
	Label string
	Grants
}

// Offered returns the offer with a label, or nil.
func (p *Permit) Offered(label string) *Offer {
	if p == nil {
		return nil
	}
	for n := range p.Offers {
		if p.Offers[n].Label == label {
			return &p.Offers[n]
		}
	}
	return nil
}

// Offer inserts one option per scope within the ceiling into a question, at index at. A scope
// needs its data: without a session there is no offer for one session, and without the
// operation's folder there is no offer across sessions, which may run in any folder.
func (p *Permit) Offer(q *Question, op Operation, ceiling Grants, session string, at int) {
	if ceiling == (Grants{}) {
		return
	}
	folder := "in this session"
	if op.Folder != "" {
		folder = "in this folder and session"
	}
	for _, scope := range []struct {
		Same
		label, reach string
	}{
		{SameSession, "", folder},
		{SameAgent, ", any session", "in this folder, in any session"},
	} {
		if scope.Same == SameAgent && (ceiling.Scope != SameAgent || op.Folder == "") || scope.Same == SameSession && session == "" {
			continue
		}
		offer := Offer{Label: "Allow for " + spell(ceiling.For) + scope.label, Grants: Grants{scope.Same, ceiling.For}}
		p.Offers = append(p.Offers, offer)
		q.Options = slices.Insert(q.Options, at+len(p.Offers)-1, Option{
			Label:       offer.Label,
			Description: "This exact call, " + scope.reach + ", until someone revokes it",
		})
	}
}

// WithoutOffers returns the questions without the options that create grants.
func (r *Request) WithoutOffers() []Question {
	if r.Permit == nil || len(r.Permit.Offers) == 0 {
		return r.Questions
	}
	q := r.Questions[0]
	q.Options = slices.DeleteFunc(slices.Clone(q.Options), func(o Option) bool { return r.Permit.Offered(o.Label) != nil })
	return append([]Question{q}, r.Questions[1:]...)
}

// spell formats a duration for a button, as in "8 h".
func spell(d time.Duration) string {
	switch {
	case d == 24*time.Hour:
		return "1 day"
	case d%(24*time.Hour) == 0:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d%time.Hour == 0:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d min", d/time.Minute)
}
