package state

import (
	"math/rand/v2"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// jitter spreads d by a quarter either way.
func jitter(d time.Duration) time.Duration { return d*3/4 + rand.N(d/2) } //nolint:gosec // Jitter is no secret.

// chance spreads what would else come back all together.
func Chance() float64 { return rand.Float64() } //nolint:gosec // It is no secret.

// backoff is the pause after so many failures.
func Backoff(attempts int) time.Duration { return record.Backoff(attempts, Chance()) }

// storeTimeout bounds one call of the store in the background.
const StoreTimeout = 5 * time.Second

// batchSize is the number of records per page of a scan or sweep.
const BatchSize = 100

// shortWait is how long a post waits in place for its turn. If it has to wait longer,
// the record says that it is queued.
const ShortWait = time.Second
