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
	// PauseRefused parts tries while a platform refuses our credentials: slow
	// enough to be no nuisance, and quick enough that mended ones are noticed within
	// 15 seconds.
	PauseRefused = 10 * time.Second
	// pauseLeast parts two tries to be introduced, whatever was asked for.
	pauseLeast = time.Second / 2
)

// Wait returns when ready is closed, the time is up or ctx ends.
func Wait(ctx context.Context, ready <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ready:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Backoff is how long to wait after so many tries that failed. It grows from
// about one second to most, with jitter so that many bridges do not come back at
// once.
func Backoff(tries int, most time.Duration) time.Duration {
	most = wait.Backoff(time.Second, most, tries)
	return most/2 + rand.N(most/2) //nolint:gosec // Jitter is no secret.
}

// Introduce asks a platform who we are until it says so. Between tries it waits
// as long as the platform asks for, and otherwise no longer than most. The first
// time that the platform refuses us, the log, which names the platform, says how to find out why.
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
					log.Error("platform refuses us; nothing can be asked until that is mended", "code", e.Code, "error", e.Err,
						"advice", "run askbridge doctor: it says what is wrong with tokens and settings, and where to mend it")
				}
			case platform.RateLimited:
				pause = e.RetryAfter
			}
		}
		_ = wait.For(ctx, max(pause, pauseLeast))
	}
}
