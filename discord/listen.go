package discord

import (
	"context"
	"encoding/json"
	"errors"
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
	running.Go(func() {
		connector.Introduce(ctx, c.log, c.Check, pauseMost)
		if c.cfg.Inbox {
			connector.Introduce(ctx, c.log, func(ctx context.Context) error {
				return register(ctx, c.api, c.self.home().application, c.log)
			}, pauseMost)
		}
	})
	if c.cfg.Mode == ModeGateway {
		for _, id := range c.cfg.ShardIDs {
			running.Go(func() { c.gateway.keep(ctx, id) })
		}
	}
	c.log.Info("listening for discord interactions", "mode", c.cfg.Mode)

	<-ctx.Done()
	c.acts.Close() // Responses are sent through the API, so no connection must be kept for them.
	<-c.acts.Quiet()
	running.Wait()
	c.turned.wait()
	return nil
}

var errElsewhere = errors.New("a server other than the card's")

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
	i, err := p.interaction(c.self.home().application)
	if err == nil {
		err = c.misplaced(p.Guild, i.Message)
	}
	if err != nil {
		c.log.Info("discord interaction ignored", "reason", err, "type", p.Type, "server", p.Guild, "application", p.Application)
		return dropped
	}
	c.servers.names.person(i.Person.ID, i.Person.Name)
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

// misplaced returns why an act does not count: it is from a server that is not listed, or from
// another one than that of its card's channel. Direct messages have no server.
func (c *Connector) misplaced(server string, at platform.MessageRef) error {
	if !c.servers.serves(server) {
		return errUnlisted
	}
	if home, known := c.places.servers.Get(at.Channel); known && home != server {
		return errElsewhere
	}
	return nil
}

// heard handles a gateway event. An interaction of another application may belong to another
// program with the same bot, so it is ignored.
func (c *Connector) heard(kind string, raw json.RawMessage) {
	switch kind {
	case "INTERACTION_CREATE":
	case eventCreated, eventChanged, eventDeleted:
		c.overheard(kind, raw)
		return
	case eventPurged:
		c.purged(raw)
		return
	case eventServer, eventServerGone:
		c.servers.changed(kind, raw)
		return
	case eventChannel:
		c.servers.renamed(raw)
		return
	default:
		return
	}
	received := time.Now()
	p, err := decode(raw)
	if err != nil {
		c.log.Warn("unreadable discord interaction", "bytes", len(raw))
		return
	}
	switch reply := c.api.callback(p); c.take(p, received, reply, 0) {
	case busy:
		c.turnAway(p, reply)
	case deaf, dropped, begun:
	}
}

// maxTurned is the maximum number of concurrent busy responses.
const maxTurned = 64

// turnAway responds that the bridge is busy, unless another bridge on the same shard has
// responded before.
func (c *Connector) turnAway(p *payload, reply replier) {
	c.turned.run(func() {
		_ = wait.For(context.Background(), deferTime)
		ctx, cancel := context.WithTimeoutCause(context.Background(), answerTime-deferTime, errAnswerTime)
		defer cancel()
		_ = reply(ctx, c.busy(p)) // There is no caller to report an error to.
	})
}

// turnaways runs busy responses in the background.
type turnaways struct {
	running chan struct{}
	all     sync.WaitGroup
}

// run runs a busy response, unless too many are running.
func (t *turnaways) run(tell func()) {
	select {
	case t.running <- struct{}{}:
	default:
		return
	}
	t.all.Go(func() {
		defer func() { <-t.running }()
		tell()
	})
}

// wait returns when no busy response is running.
func (t *turnaways) wait() { t.all.Wait() }

// Connections returns the number of gateway connections that became ready, over all shards.
// Lost connections are replaced, so growth indicates losses.
func (c *Connector) Connections() int64 { return c.gateway.connections() }

// Ready returns nil if questions can be posted and answers received.
func (c *Connector) Ready() error {
	if !c.acts.Listening() {
		return errors.New("discord: not listening")
	}
	if err := c.self.verified(); err != nil {
		return err
	}
	if err := c.gateway.ready(); err != nil {
		return err
	}
	return c.api.limiter.tokenError()
}
