package state

import (
	"math/rand/v2"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// jitter varies d by up to a quarter.
func jitter(d time.Duration) time.Duration { return d*3/4 + rand.N(d/2) } //nolint:gosec // Jitter is no secret.

// Chance returns a random number that spreads retries.
func Chance() float64 { return rand.Float64() } //nolint:gosec // It is no secret.

// Backoff returns the pause after a number of failures.
func Backoff(attempts int) time.Duration { return record.Backoff(attempts, Chance()) }

// StoreTimeout bounds one call of the store in the background.
const StoreTimeout = 5 * time.Second

// BatchSize is the number of records per page of a scan or sweep.
const BatchSize = 100

// ShortWait is how long a post waits in place for its turn. If it has to wait longer,
// the record reports that it is queued.
const ShortWait = time.Second
