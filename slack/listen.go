package slack

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
)

// drainTime is how long a socket stays open for actions in progress.
const drainTime = 3 * time.Second

// Listening returns a channel that is closed once [Connector.Listen] accepts interactions. A
// server that starts serving after that loses none.
func (c *Connector) Listening() <-chan struct{} { return c.acts.Opened() }

// Listen passes interactions to h until ctx ends, and returns when all of them have been
// handled. Over HTTP it only enables [Connector.Handler].
func (c *Connector) Listen(ctx context.Context, h platform.Handler) error {
	if !c.acts.Open(ctx, h) {
		return errors.New("slack: already listening")
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var running sync.WaitGroup
	if c.only != nil {
		running.Go(func() { connector.Introduce(ctx, c.log, c.Check, pauseMost) })
	}
	running.Go(func() { c.jobs.run(ctx) })
	if c.cfg.Mode == ModeSocket {
		running.Go(func() { c.socket.run(background) })
	}
	c.log.Info("listening for slack interactions", "mode", c.cfg.Mode)

	<-ctx.Done()
	c.acts.Close() // Actions that start later could be recorded without being acknowledged.
	if c.cfg.Mode == ModeSocket {
		// Keep the connection until actions in progress are acknowledged.
		connector.Wait(background, c.acts.Quiet(), drainTime)
	}
	stop()
	<-c.acts.Quiet()
	running.Wait()
	return nil
}

// take decodes an interaction and starts handling it.
func (c *Connector) take(raw []byte, when arrival, reply replier) fate {
	p, err := decode(raw)
	if err != nil {
		c.log.Warn("unreadable slack interaction", "bytes", len(raw))
		return dropped
	}
	w, err := c.receiving(p.owner())
	if err != nil {
		return c.unserved(err, p.owner())
	}
	i, err := p.interaction(w.homeFor(p), when, &c.seen)
	if err != nil {
		c.log.Info("slack interaction ignored", "reason", err, "type", p.Type, "team", p.Team.ID, "app", p.AppID)
		return dropped
	}
	w.directory.introduce(&i)
	r := &responder{in: w, p: p, token: i.Token, received: when.at, reply: reply}
	if !c.acts.Begin(when.at, connector.HandlerTime, i, r) {
		return busy
	}
	return begun
}

// unserved decides about a payload whose installation cannot be had: one that is not installed is
// dropped, and Slack repeats the others.
func (c *Connector) unserved(err error, installation string) fate {
	if errors.Is(err, ErrNotInstalled) || errors.Is(err, errNoInstallation) {
		c.log.Info("slack payload ignored", "reason", "not installed", "installation", installation)
		return dropped
	}
	c.log.Warn("slack installation not read", "installation", installation, "error", err)
	return busy
}

// Connections returns the number of Socket Mode connections that became ready. Lost connections
// are replaced, so growth beyond Slack's regular refreshes indicates losses.
func (c *Connector) Connections() int64 {
	opened, _ := c.socket.state()
	return opened
}

// Ready returns nil if questions can be posted and answers received.
func (c *Connector) Ready() error {
	if !c.acts.Listening() {
		return errors.New("slack: not listening")
	}
	if c.only != nil {
		if err := c.only.self.verified(); err != nil {
			return err
		}
	}
	if _, down := c.socket.state(); down != nil {
		return down
	}
	if c.only == nil {
		return nil // Each installation has a token of its own.
	}
	return c.only.api.limiter.tokenError()
}
