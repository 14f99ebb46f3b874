package bridge

import (
	"math/rand/v2"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// jitter spreads d by a quarter either way.
func jitter(d time.Duration) time.Duration { return d*3/4 + rand.N(d/2) } //nolint:gosec // Jitter is no secret.

// chance spreads what would else come back all together.
func chance() float64 { return rand.Float64() } //nolint:gosec // It is no secret.

// backoff is the pause after so many failures.
func backoff(attempts int) time.Duration { return record.Backoff(attempts, chance()) }
