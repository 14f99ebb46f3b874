package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/wait"
)

// Listening is closed once [Connector.Listen] takes interactions: a server that
// begins to serve after that loses none.
func (c *Connector) Listening() <-chan struct{} { return c.acts.Opened() }

// Listen hands interactions to h until ctx ends, and returns when all of them
// have been dealt with. Over HTTP it only opens [Connector.Handler].
func (c *Connector) Listen(ctx context.Context, h bridge.Handler) error {
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
	c.acts.Close() // Answers go through the API, so no connection has to stay for them.
	<-c.acts.Quiet()
	running.Wait()
	c.turned.Wait()
	return nil
}

// What becomes of an interaction that arrived.
type fate int

const (
	deaf    fate = iota // nobody listens
	busy                // too many are under way
	dropped             // there is nothing to do
	begun               // the responder acknowledges it
)

// take begins to act on an interaction. Reply is how to answer it first; travel
// is how long an answer is on its way that is written to Discord's own request,
// and 0 for one that goes through the API.
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

// maxTurned is how many people can be on their way out at once.
const maxTurned = 64

// turnAway tells somebody that nothing was done for them, unless another bridge
// on the same shard has answered before.
func (c *Connector) turnAway(p *payload, reply replier) {
	c.turn(func() {
		_ = wait.For(context.Background(), deferTime)
		ctx, cancel := context.WithTimeoutCause(context.Background(), answerTime-deferTime, errAnswerTime)
		defer cancel()
		_ = reply(ctx, c.busy(p)) // Nobody is left to be told of a failure.
	})
}

// turn does what tells somebody that they are turned away, unless too many are.
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

// Connections is how many connections to the gateway have been ready, all shards together.
// One that is lost is replaced, so a number that grows tells of losses.
func (c *Connector) Connections() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.links
}

// Ready is nil when questions can be posted and answers received.
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
	return c.gate.standing()
}

func (c *Connector) whoWeAre() home {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.us
}
