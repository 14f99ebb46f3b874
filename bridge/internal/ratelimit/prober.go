package ratelimit

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/platform"
)

const (
	// maxProbePause is the longest pause between two checks of refused credentials. New
	// ones are noticed within 15 seconds, with far fewer calls than what gets an address
	// blocked (10,000 invalid requests in 10 minutes on Discord,
	// https://docs.discord.com/developers/topics/rate-limits).
	maxProbePause = 8 * time.Second
	// probePoll is how often to check, without I/O, whether the connector's own calls
	// were refused.
	probePoll = 5 * time.Second
	// probeTimeout bounds one check.
	probeTimeout = 10 * time.Second
)

// Prober checks the credentials of a platform while they are refused or suspected.
// Without it no call might be made at all: a load balancer sends no requests to a
// bridge that is not ready.
type Prober struct {
	Platform   platform.Platform
	Checker    platform.Checker
	Connection *Connection
	Log        *slog.Logger
}

// Run checks until ctx ends.
func (p *Prober) Run(ctx context.Context) error {
	for tries := 0; ; {
		wait := probePoll
		if p.refused() == nil && !p.Connection.suspicious(time.Now()) {
			tries = 0
		} else {
			tries++
			wait = p.check(ctx, min(time.Second<<min(tries-1, 6), maxProbePause))
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-p.Connection.doubted:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// check checks the credentials once and returns the pause until the next check.
func (p *Prober) check(ctx context.Context, pause time.Duration) time.Duration {
	ctx, cancel := context.WithTimeoutCause(ctx, probeTimeout, errors.New("no reply in time"))
	defer cancel()
	err := p.Checker.Check(ctx)
	if err == nil && p.Connection.State() != nil {
		p.Log.Info("credentials accepted again", "platform", p.Platform.Name())
	}
	p.Connection.checked(time.Now(), err)
	if err == nil {
		return probePoll
	}
	if failed, ok := errors.AsType[*platform.Error](err); ok && failed.Kind == platform.RateLimited {
		pause = max(pause, failed.RetryAfter)
	}
	return pause
}

// refused returns an error if the platform refuses our credentials as far as known.
func (p *Prober) refused() error {
	if err := p.Connection.State(); err != nil {
		return err
	}
	r, ok := p.Platform.(platform.Readier)
	if !ok {
		return nil
	}
	err := r.Ready()
	if failed, ok := errors.AsType[*platform.Error](err); ok && failed.Kind == platform.Misconfigured {
		return err
	}
	return nil
}
