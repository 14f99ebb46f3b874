package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/platform"
)

// Listening returns a channel that is closed once [Connector.Listen] accepts interactions. A
// server that starts serving after that loses none.
func (c *Connector) Listening() <-chan struct{} { return c.acts.Opened() }

// Listen passes interactions to h until ctx ends, and returns when all of them have been
// handled. Over HTTP it only enables [Connector.Handler].
func (c *Connector) Listen(ctx context.Context, h platform.Handler) error {
	if !c.acts.Open(ctx, h) {
		return errors.New("discord: already listening")
	}
	var running sync.WaitGroup
	running.Go(func() { connector.Introduce(ctx, c.log, c.Check, pauseMost) })
	if c.cfg.Mode == ModeGateway {
		for _, id := range c.cfg.ShardIDs {
			running.Go(func() { c.gateway(ctx, id) })
		}
	}
	c.log.Info("listening for discord interactions", "mode", c.cfg.Mode)

	<-ctx.Done()
	c.acts.Close() // Responses are sent through the API, so no connection must be kept for them.
	<-c.acts.Quiet()
	running.Wait()
	c.turned.Wait()
	return nil
}

// fate is the result of accepting an interaction.
type fate int

const (
	deaf    fate = iota // Listen is not running
	busy                // too many in progress
	dropped             // nothing to do
	begun               // the responder acknowledges it
)

// take starts handling an interaction. reply sends the first response; travel is the latency of
// a response written to Discord's own request, and 0 for one sent through the API.
func (c *Connector) take(p *payload, received time.Time, reply replier, travel time.Duration) fate {
	i, err := p.interaction(c.whoWeAre().application)
	if err != nil {
		c.log.Info("discord interaction ignored", "reason", err, "type", p.Type, "server", p.Guild, "application", p.Application)
		return dropped
	}
	r := &responder{c: c, p: p, token: i.Token, received: received, reply: reply, travel: travel}
	allowed := connector.HandlerTime
	if travel == 0 {
		allowed = deferTime
	}
	switch {
	case c.acts.Begin(received, allowed, i, r):
		return begun
	case c.acts.Listening():
		return busy
	}
	return deaf
}

// maxTurned is the maximum number of concurrent busy responses.
const maxTurned = 64

// turnAway responds that the bridge is busy, unless another bridge on the same shard has
// responded before.
func (c *Connector) turnAway(p *payload, reply replier) {
	c.turn(func() {
		_ = wait.For(context.Background(), deferTime)
		ctx, cancel := context.WithTimeoutCause(context.Background(), answerTime-deferTime, errAnswerTime)
		defer cancel()
		_ = reply(ctx, c.busy(p)) // There is no caller to report an error to.
	})
}

// turn runs a busy response in the background, unless too many are running.
func (c *Connector) turn(tell func()) {
	select {
	case c.turning <- struct{}{}:
	default:
		return
	}
	c.turned.Go(func() {
		defer func() { <-c.turning }()
		tell()
	})
}

// Connections returns the number of gateway connections that became ready, over all shards.
// Lost connections are replaced, so growth indicates losses.
func (c *Connector) Connections() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.links
}

// Ready returns nil if questions can be posted and answers received.
func (c *Connector) Ready() error {
	if !c.acts.Listening() {
		return errors.New("discord: not listening")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.checked != nil {
		return c.checked
	}
	if shards := sortedKeys(c.down); len(shards) > 0 {
		if len(c.cfg.ShardIDs) == 1 {
			return c.down[shards[0]]
		}
		return fmt.Errorf("discord: shards %v: %w", shards, c.down[slices.Min(shards)])
	}
	return c.limiter.tokenError()
}

func (c *Connector) whoWeAre() home {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.us
}
