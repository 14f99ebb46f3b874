package connector

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/platform"
)

const (
	// PauseRefused is the pause between attempts while a platform refuses our credentials: corrected ones are noticed within
	// 15 seconds.
	PauseRefused = 10 * time.Second
	// pauseLeast is the minimum pause between attempts.
	pauseLeast = time.Second / 2
)

// Wait returns when ready is closed, after most, or when ctx ends.
func Wait(ctx context.Context, ready <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ready:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Backoff returns the pause after a number of failed attempts. It grows from about one second to most, with jitter, so that
// many bridges do not reconnect at once.
func Backoff(tries int, most time.Duration) time.Duration {
	most = wait.Backoff(time.Second, most, tries)
	return most/2 + rand.N(most/2) //nolint:gosec // Jitter is no secret.
}

// Introduce calls check, which authenticates with a platform, until it succeeds. Between attempts it pauses for as long as
// the platform asks, else for a backoff up to most. The first refusal of our credentials is logged with advice.
func Introduce(ctx context.Context, log *slog.Logger, check func(context.Context) error, most time.Duration) {
	advised := false
	for tries := 0; ctx.Err() == nil; tries++ {
		err := check(ctx)
		if err == nil {
			return
		}
		pause := Backoff(tries, most)
		if e, ok := errors.AsType[*platform.Error](err); ok {
			switch e.Kind {
			case platform.Misconfigured:
				pause = PauseRefused
				if !advised {
					advised = true
					log.Error("platform auth failed, posting disabled", "code", e.Code, "error", e.Err,
						"advice", "run askbridge doctor to check tokens and settings")
				}
			case platform.RateLimited:
				pause = e.RetryAfter
			}
		}
		_ = wait.For(ctx, max(pause, pauseLeast))
	}
}
