package ratelimit

import (
	"errors"
	"sync"
	"time"

	limits "github.com/askbridge/askbridge/internal/ratelimit"
	"github.com/askbridge/askbridge/platform"
)

// RestTime is how long a platform is not called after it refused our credentials.
const RestTime = limits.RestTime

// Connection is the circuit breaker for the credentials of a platform. While it is
// open, one trial call passes per [RestTime].
type Connection struct {
	// doubted receives a value when the circuit opens or the credentials are suspected.
	doubted chan struct{}

	rest limits.Rest[platform.Error]

	mu sync.Mutex
	// suspected is true after a place returned an error that may concern the
	// credentials. They are not checked before trusted.
	suspected bool
	trusted   time.Time
}

func newConnection() *Connection { return &Connection{doubted: make(chan struct{}, 1)} }

// failure avoids an error that holds a nil pointer.
func failure(e *platform.Error) error {
	if e == nil {
		return nil
	}
	return e
}

// State returns the error that opened the circuit, or nil.
func (c *Connection) State() error { return failure(c.rest.Refusal()) }

// blocked returns the error that opened the circuit while it is open, or nil.
func (c *Connection) blocked(now time.Time) error { return failure(c.rest.Blocked(now)) }

// allow is blocked for a call that is made at once: it lets one trial pass per rest.
func (c *Connection) allow(now time.Time) error { return failure(c.rest.Try(now)) }

// note opens or closes the circuit by the result of a call.
func (c *Connection) note(now time.Time, err error) {
	if c.turn(now, err) {
		c.doubt()
	}
}

// turn is note without a check of the credentials. It reports whether the circuit
// was closed and is open now.
func (c *Connection) turn(now time.Time, err error) (opened bool) {
	if err == nil {
		c.rest.Accepted()
		return false
	}
	refusal, ok := errors.AsType[*platform.Error](err)
	return ok && refusal.Kind == platform.Misconfigured && c.rest.Refused(refusal, now)
}

// suspect requests a check of the credentials.
func (c *Connection) suspect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.suspected {
		c.suspected = true
		c.doubt()
	}
}

func (c *Connection) doubt() {
	select {
	case c.doubted <- struct{}{}:
	default:
	}
}

// suspicious reports whether to check the credentials. After a successful check it
// waits for a rest, because a place can cause any number of suspicions.
func (c *Connection) suspicious(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.suspected && !now.Before(c.trusted)
}

// checked records the result of a check of the credentials.
func (c *Connection) checked(now time.Time, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn(now, err); err == nil {
		c.suspected, c.trusted = false, now.Add(RestTime)
	}
}
