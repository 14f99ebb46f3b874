package record

import (
	"time"

	"github.com/askbridge/askbridge/internal/wait"
)

const (
	// soonAttempts is how often an update is tried with the short backoff, over about a quarter of an hour.
	soonAttempts = 20
	// maxAttempts is how often it is tried in all, over about a day, before the card is given up.
	maxAttempts = 120
	// longAttempts is the same for failures that a person has to fix first.
	longAttempts = 20
)

// Backoff grows from a second to a minute. Spread is a random number from 0 up to 1 that keeps many
// records from retrying at the same time.
func Backoff(attempts int, spread float64) time.Duration {
	pause := wait.Backoff(time.Second, time.Minute, attempts)
	return pause/2 + time.Duration(spread*float64(pause))
}

// updateBackoff is the short backoff at first, and then grows to a quarter of an hour, for a platform
// that stays down.
func updateBackoff(attempts int, spread float64) time.Duration {
	if attempts < soonAttempts {
		return Backoff(attempts, spread)
	}
	return jitter(wait.Backoff(2*time.Minute, 15*time.Minute, attempts-soonAttempts), spread)
}

// longBackoff grows from ten minutes to six hours, for failures that a person has to fix without being
// asked to. All attempts together take about four days.
func longBackoff(attempts int, spread float64) time.Duration {
	return jitter(wait.Backoff(10*time.Minute, 6*time.Hour, attempts), spread)
}

// jitter is between three quarters and five quarters of a pause.
func jitter(pause time.Duration, spread float64) time.Duration {
	return pause*3/4 + time.Duration(spread*float64(pause/2))
}
