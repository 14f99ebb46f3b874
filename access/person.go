package access

import (
	"slices"
	"sync"
	"time"
)

// Person is someone who has signed in at the console.
type Person struct {
	// ID identifies the person for good, and Name is shown.
	ID, Name string
	// Tenant is whose requests the person sees without the scope [Admin].
	Tenant string
	Scopes []Scope
	// Until is the end of the session.
	Until time.Time
}

// String returns the person as the audit trail names them.
func (p *Person) String() string { return p.Name + " (" + p.ID + ")" }

// maxPeople is how many people's quotas are kept.
const maxPeople = 1000

// people are the quotas of people who have signed in.
type people struct {
	mu    sync.Mutex
	quota map[string]*Quota
}

// of returns the quota of a person. All sessions of a person share it.
func (p *people) of(id string, a *Agent) *Quota {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.quota[id]
	if q == nil {
		if p.quota == nil || len(p.quota) >= maxPeople {
			p.quota = map[string]*Quota{}
		}
		q = newQuota(a)
		p.quota[id] = q
	}
	return q
}

// SignedIn returns the caller for a person who has signed in.
func (g *Gate) SignedIn(p *Person) *Caller {
	a := Agent{Name: p.Name, Tenant: p.Tenant, Scopes: slices.Clone(p.Scopes)}
	return &Caller{Agent: a, Quota: g.people.of(p.ID, &a), Places: newPlaces(g.route, &a), gate: g, person: p}
}

// Person returns the person who has signed in; nil for a caller with a token or without one.
func (c *Caller) Person() *Person { return c.person }

// By returns the caller's name for lists and the audit trail.
func (c *Caller) By() string {
	switch {
	case c.person != nil:
		return c.person.String()
	case c.Name == "":
		return Operator
	}
	return c.Name
}
