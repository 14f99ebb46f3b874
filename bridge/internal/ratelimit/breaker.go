package ratelimit

import (
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/askbridge/askbridge/ask"
	limits "github.com/askbridge/askbridge/internal/ratelimit"
	"github.com/askbridge/askbridge/platform"
)

const (
	// placeFailures is the number of consecutive failures that open the circuit of a place.
	placeFailures = 3
	// placeRest is how long the circuit of a place stays open at first. It doubles with
	// each failed trial, up to maxPlaceRest.
	placeRest    = 15 * time.Second
	maxPlaceRest = time.Minute
	// tenantBudget is how many failures a tenant may cause per tenantWindow at places
	// without a recent successful post. Discord blocks an address after 10,000 in ten
	// minutes
	// (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans),
	// so it takes a hundred such tenants to come near that.
	tenantBudget = 100
	tenantWindow = 10 * time.Minute
	// recent is how long a place counts as working after a successful post.
	recent = 24 * time.Hour
	// maxPlaces and maxTenants bound the memory. Forgotten entries start from zero.
	maxPlaces  = 8192
	maxTenants = 1024
)

// ErrBudget is the cause of the error of a call that was not made because the
// tenant's failure budget is exhausted.
var ErrBudget = errors.New("bridge: failure budget exhausted; no recent successful post to this place")

// Breaker decides which calls to one platform may be made. A failure first stops the
// tenant's calls to that place, then the tenant's calls to places without a recent
// successful post, and only then the whole connection. It is safe for concurrent use.
type Breaker struct {
	// Connection is open while the platform refuses our credentials.
	Connection *Connection
	// Files judges uploads over the same connection. A permission to post does not
	// include one to upload, and a posted card proves nothing about uploads.
	Files *Breaker

	// checks is true if the platform is a [platform.Checker], so that the error of a
	// single place need not open the connection's circuit.
	checks bool

	mu      sync.Mutex
	places  *simplelru.LRU[placeKey, *placeCircuit]
	working *simplelru.LRU[ask.Place, time.Time] // last successful post
	tenants *simplelru.LRU[budgetKey, *limits.Window]
}

// placeKey keeps tenants apart: a failure of one tenant's cards does not stop another
// tenant at the same place.
type placeKey struct {
	tenant string
	place  ask.Place
}

// budgetKey keeps a tenant's failures in one installation apart from those in another: an installation
// that has removed the app does not stop new places elsewhere.
type budgetKey struct{ tenant, installation string }

func keyOf(tenant string, place ask.Place) placeKey { return placeKey{tenant, place} }

// placeCircuit counts the consecutive failures of a place. It is open until a time
// after placeFailures of them.
type placeCircuit struct {
	failures int
	last     *platform.Error
	rest     time.Duration
	opened   time.Time
	until    time.Time
}

// NewBreaker returns the breaker of a platform.
func NewBreaker(p platform.Platform) *Breaker {
	_, checks := p.(platform.Checker)
	b := newBreaker(newConnection(), checks)
	b.Files = newBreaker(b.Connection, checks)
	return b
}

func newBreaker(c *Connection, checks bool) *Breaker {
	return &Breaker{
		Connection: c, checks: checks,
		places: cache[placeKey, *placeCircuit](maxPlaces), working: cache[ask.Place, time.Time](maxPlaces), tenants: cache[budgetKey, *limits.Window](maxTenants),
	}
}

// cache returns an LRU cache.
func cache[K comparable, V any](size int) *simplelru.LRU[K, V] {
	c, err := simplelru.NewLRU[K, V](size, nil)
	if err != nil {
		panic(err) // Only a size below one fails.
	}
	return c
}

// Blocked returns why a call to a place may not be made now, or nil. A call about a
// card that is not known to be posted counts as a new card, which needs the tenant's
// budget.
func (b *Breaker) Blocked(now time.Time, tenant string, to ask.Place, posted bool) error {
	b.mu.Lock()
	err := b.blocked(now, tenant, to, posted)
	b.mu.Unlock()
	if err != nil {
		return err
	}
	return b.Connection.blocked(now)
}

// Allow is Blocked for a call that is made at once. While a circuit is open it lets
// one trial pass per rest.
func (b *Breaker) Allow(now time.Time, tenant string, to ask.Place, posted bool) error {
	b.mu.Lock()
	err := b.blocked(now, tenant, to, posted)
	if p, ok := b.places.Get(keyOf(tenant, to)); err == nil && ok && p.failures >= placeFailures {
		p.until = now.Add(p.rest)
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	return b.Connection.allow(now)
}

func (b *Breaker) blocked(now time.Time, tenant string, to ask.Place, posted bool) error {
	worked, known := b.working.Get(to)
	if p, ok := b.places.Get(keyOf(tenant, to)); ok && now.Before(p.until) && !worked.After(p.opened) {
		return p.last
	}
	if posted || known && now.Sub(worked) < recent {
		return nil
	}
	if t, ok := b.tenants.Get(budgetKey{tenant, to.Installation}); ok {
		if wait := t.Full(tenantBudget, now); wait > 0 {
			return &platform.Error{
				Platform: to.Platform, Op: "call", Kind: platform.RateLimited, Code: "too many places refused this caller",
				RetryAfter: wait, Err: ErrBudget,
			}
		}
	}
	return nil
}

// Note records the result of a call to a place.
func (b *Breaker) Note(now time.Time, tenant string, to ask.Place, err error) {
	failed, _ := errors.AsType[*platform.Error](err)
	switch {
	case err == nil:
		b.succeeded(now, tenant, to)
	case failed != nil && (failed.Kind == platform.Unreachable || failed.Kind == platform.Misconfigured):
		b.failed(now, tenant, to, failed)
	}
	if b.checks && failed != nil && failed.Kind == platform.Misconfigured {
		b.Connection.suspect()
		return
	}
	b.Connection.note(now, err)
}

func (b *Breaker) succeeded(now time.Time, tenant string, to ask.Place) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.working.Add(to, now)
	b.places.Remove(keyOf(tenant, to))
}

func (b *Breaker) failed(now time.Time, tenant string, to ask.Place, failure *platform.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.places.Get(keyOf(tenant, to))
	if !ok {
		p = &placeCircuit{}
		b.places.Add(keyOf(tenant, to), p)
	}
	p.last = failure
	if p.failures++; p.failures >= placeFailures {
		p.rest = min(max(2*p.rest, placeRest), maxPlaceRest)
		p.opened, p.until = now, now.Add(p.rest)
	}
	if worked, ok := b.working.Get(to); ok && now.Sub(worked) < recent {
		return
	}
	t, ok := b.tenants.Get(budgetKey{tenant, to.Installation})
	if !ok {
		t = &limits.Window{Length: tenantWindow}
		b.tenants.Add(budgetKey{tenant, to.Installation}, t)
	}
	t.Add(now)
}
