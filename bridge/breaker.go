package bridge

import (
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

const (
	// placeRefusals is how many refusals in a row open the circuit of a place.
	placeRefusals = 3
	// placeRest is how long the circuit of a place is open at first; it doubles with
	// each trial that is refused, up to longestPlaceRest.
	placeRest        = 15 * time.Second
	longestPlaceRest = time.Minute
	// tenantRefusals is how many refusals a tenant may cause in tenantWindow at
	// places that have taken no card lately. Discord blocks an address after 10,000 in
	// ten minutes
	// (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans),
	// so it takes a hundred such tenants to come near that.
	tenantRefusals = 100
	tenantWindow   = 10 * time.Minute
	// lately is how long a place counts as good after it has taken a card.
	lately = 24 * time.Hour
	// maxPlaces and maxTenants are how many of each are remembered at once. Who is
	// forgotten starts anew.
	maxPlaces  = 8192
	maxTenants = 1024
)

// errBudget stands in the error of a call that was not made, because its tenant has named too many places that refuse us.
var errBudget = errors.New("bridge: too many places have refused this caller, and this one has taken no card lately")

// breaker decides which calls to one platform may leave, so that a refusal holds up
// no more than what it is about: first the tenant's calls to that place, then the
// tenant's calls to places that have taken no card lately, and only then the whole
// connection. It is safe for use by many goroutines.
type breaker struct {
	// connection is open while the platform refuses our credentials.
	connection *circuit
	// asks tells that the platform can be asked whether the credentials are good, so
	// that the word of one place need not be taken for it.
	asks bool
	// files judges uploads, over the same connection: who may post somewhere may not be
	// allowed to upload there, and a card that was taken says nothing of a file.
	files *breaker

	mu      sync.Mutex
	places  *simplelru.LRU[placeKey, *placeCircuit]
	good    *simplelru.LRU[ask.Place, time.Time] // when a place took a card
	tenants *simplelru.LRU[string, *tenantBudget]
}

// placeKey keeps tenants apart: what is wrong with the cards of one is not held
// against another who asks in the same place.
type placeKey struct {
	tenant string
	place  ask.Place
}

func keyOf(tenant string, place ask.Place) placeKey { return placeKey{tenant, place} }

// placeCircuit counts the refusals of a place in a row. It is open until a time
// once there have been enough.
type placeCircuit struct {
	refusals int
	last     *platform.Error
	rest     time.Duration
	opened   time.Time
	until    time.Time
}

// tenantBudget counts the refusals of a tenant since a window began.
type tenantBudget struct {
	since    time.Time
	refusals int
}

func newBreaker(p platform.Platform) *breaker {
	_, asks := p.(platform.Checker)
	b := overConnection(newCircuit(), asks)
	b.files = overConnection(b.connection, asks)
	return b
}

func overConnection(c *circuit, asks bool) *breaker {
	return &breaker{
		connection: c, asks: asks,
		places: cache[placeKey, *placeCircuit](maxPlaces), good: cache[ask.Place, time.Time](maxPlaces), tenants: cache[string, *tenantBudget](maxTenants),
	}
}

// cache makes an LRU cache; it fails only for sizes below one.
func cache[K comparable, V any](size int) *simplelru.LRU[K, V] {
	c, err := simplelru.NewLRU[K, V](size, nil)
	if err != nil {
		panic(err)
	}
	return c
}

// blocked returns why a call to a place may not be made now, or nil. What is not
// known to stand there is a new card, and pays from the tenant's budget.
func (b *breaker) blocked(now time.Time, tenant string, to ask.Place, stands bool) error {
	b.mu.Lock()
	err := b.blockedHere(now, tenant, to, stands)
	b.mu.Unlock()
	if err != nil {
		return err
	}
	return b.connection.blocked(now)
}

// allow is blocked for a call that is made at once. While a circuit is open it lets
// one trial pass after each rest.
func (b *breaker) allow(now time.Time, tenant string, to ask.Place, stands bool) error {
	b.mu.Lock()
	err := b.blockedHere(now, tenant, to, stands)
	if p, ok := b.places.Get(keyOf(tenant, to)); err == nil && ok && p.refusals >= placeRefusals {
		p.until = now.Add(p.rest)
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	return b.connection.allow(now)
}

func (b *breaker) blockedHere(now time.Time, tenant string, to ask.Place, stands bool) error {
	took, known := b.good.Get(to)
	if p, ok := b.places.Get(keyOf(tenant, to)); ok && now.Before(p.until) && !took.After(p.opened) {
		return p.last
	}
	if stands || known && now.Sub(took) < lately {
		return nil
	}
	if t, ok := b.tenants.Get(tenant); ok && t.refusals >= tenantRefusals && now.Sub(t.since) < tenantWindow {
		return &platform.Error{
			Platform: to.Platform, Op: "call", Kind: platform.RateLimited, Code: "too many places refused this caller",
			RetryAfter: t.since.Add(tenantWindow).Sub(now), Err: errBudget,
		}
	}
	return nil
}

// note takes the result of a call to a place into account.
func (b *breaker) note(now time.Time, tenant string, to ask.Place, err error) {
	pe, _ := errors.AsType[*platform.Error](err)
	switch {
	case err == nil:
		b.took(now, tenant, to)
	case pe != nil && (pe.Kind == platform.Unreachable || pe.Kind == platform.Misconfigured):
		b.refused(now, tenant, to, pe)
	}
	if b.asks && pe != nil && pe.Kind == platform.Misconfigured {
		b.connection.suspect()
		return
	}
	b.connection.note(now, err)
}

func (b *breaker) took(now time.Time, tenant string, to ask.Place) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.good.Add(to, now)
	b.places.Remove(keyOf(tenant, to))
}

func (b *breaker) refused(now time.Time, tenant string, to ask.Place, pe *platform.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.places.Get(keyOf(tenant, to))
	if !ok {
		p = &placeCircuit{}
		b.places.Add(keyOf(tenant, to), p)
	}
	p.last = pe
	if p.refusals++; p.refusals >= placeRefusals {
		p.rest = min(max(2*p.rest, placeRest), longestPlaceRest)
		p.opened, p.until = now, now.Add(p.rest)
	}
	if took, ok := b.good.Get(to); ok && now.Sub(took) < lately {
		return
	}
	t, ok := b.tenants.Get(tenant)
	if !ok || now.Sub(t.since) >= tenantWindow {
		t = &tenantBudget{since: now}
		b.tenants.Add(tenant, t)
	}
	t.refusals++
}
