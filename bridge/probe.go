package bridge

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/platform"
)

const (
	// probePause bounds the pause between two checks of refused credentials.
	// Good ones are noticed within 15 seconds, at far fewer calls than what gets
	// an address blocked (10,000 invalid requests in 10 minutes on Discord,
	// https://docs.discord.com/developers/topics/rate-limits).
	probePause = 8 * time.Second
	// probePoll is how often it is looked, without I/O, whether a connector has
	// been refused by calls that the bridge knows nothing of.
	probePoll = 5 * time.Second
	// probeBudget bounds one check.
	probeBudget = 10 * time.Second
)

// prober looks after the credentials of one platform.
type prober struct {
	platform   platform.Platform
	checker    platform.Checker
	connection *circuit
	log        *slog.Logger
}

// run checks the credentials of the platform again and again while they are
// refused. Nobody else may come to ask: a load balancer sends nothing to a
// bridge that is not ready.
func (p *prober) run(ctx context.Context) error {
	for tries := 0; ; {
		wait := probePoll
		if p.refused() == nil && !p.connection.suspicious(time.Now()) {
			tries = 0
		} else {
			tries++
			wait = p.check(ctx, min(time.Second<<min(tries-1, 6), probePause))
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-p.connection.doubted:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// check asks once, and returns how long to wait before the next look.
func (p *prober) check(ctx context.Context, pause time.Duration) time.Duration {
	ctx, cancel := context.WithTimeoutCause(ctx, probeBudget, errors.New("no reply in time"))
	defer cancel()
	err := p.checker.Check(ctx)
	if err == nil && p.connection.state() != nil {
		p.log.Info("credentials accepted again", "platform", p.platform.Name())
	}
	p.connection.checked(time.Now(), err)
	if err == nil {
		return probePoll
	}
	if pe, ok := errors.AsType[*platform.Error](err); ok && pe.Kind == platform.RateLimited {
		pause = max(pause, pe.RetryAfter)
	}
	return pause
}

// refused is nil unless the platform is known to refuse our credentials.
func (p *prober) refused() error {
	if err := p.connection.state(); err != nil {
		return err
	}
	r, ok := p.platform.(platform.Readier)
	if !ok {
		return nil
	}
	err := r.Ready()
	if pe, ok := errors.AsType[*platform.Error](err); ok && pe.Kind == platform.Misconfigured {
		return err
	}
	return nil
}
