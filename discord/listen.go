package discord

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

const (
	// handlerTime is what the bridge has to answer a person, of [answerTime].
	handlerTime = 2500 * time.Millisecond
	// ackTime bounds handing over an acknowledgement when nothing is left.
	ackTime = 400 * time.Millisecond
	// maxActs is how many acts are handled at once.
	maxActs = 256
)

var errHandlerTime = errors.New("discord: the handler took too long")

// acts counts what is under way and knows how to start more.
type acts struct {
	mu    sync.Mutex
	run   func(bridge.Interaction, *responder) // nil unless listening
	count int
	idle  chan struct{} // closed when count reaches zero
	began chan struct{} // closed when run is set for the first time
}

// open makes it possible to begin acts, unless it is already.
func (a *acts) open(run func(bridge.Interaction, *responder)) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run != nil {
		return false
	}
	a.run = run
	select {
	case <-a.began:
	default:
		close(a.began)
	}
	return true
}

func (a *acts) listening() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.run != nil
}

// begin starts one act in a goroutine of its own.
func (a *acts) begin(i bridge.Interaction, r *responder) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run == nil || a.count >= maxActs {
		return false
	}
	a.count++
	if a.count == 1 {
		a.idle = make(chan struct{})
	}
	run := a.run
	go func() {
		defer a.end()
		run(i, r)
	}()
	return true
}

func (a *acts) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count--
	if a.count == 0 {
		close(a.idle)
	}
}

// quiet returns a channel that is closed when nothing is under way.
func (a *acts) quiet() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count == 0 {
		none := make(chan struct{})
		close(none)
		return none
	}
	return a.idle
}

func (a *acts) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.run = nil
}

// Listening is closed once [Connector.Listen] takes interactions: a server that
// begins to serve after that loses none.
func (c *Connector) Listening() <-chan struct{} { return c.acts.began }

// Listen hands interactions to h until ctx ends, and returns when all of them
// have been dealt with. Over HTTP it only opens [Connector.Handler].
func (c *Connector) Listen(ctx context.Context, h bridge.Handler) error {
	if !c.acts.open(func(i bridge.Interaction, r *responder) { c.act(ctx, h, i, r) }) {
		return errors.New("discord: already listening")
	}
	var running sync.WaitGroup
	running.Go(func() { c.introduce(ctx) })
	if c.cfg.Mode == ModeGateway {
		for _, id := range c.cfg.ShardIDs {
			running.Go(func() { c.gateway(ctx, id) })
		}
	}
	c.log.Info("listening for discord interactions", "mode", c.cfg.Mode)

	<-ctx.Done()
	c.acts.close() // Answers go through the API, so no connection has to stay for them.
	<-c.acts.quiet()
	running.Wait()
	return nil
}

// wait returns when ready is closed, the time is up or ctx ends.
func wait(ctx context.Context, ready <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ready:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// What becomes of an interaction that arrived.
type fate int

const (
	busy    fate = iota // nobody can take it now
	dropped             // there is nothing to do
	begun               // the responder acknowledges it
)

// take begins to act on an interaction. Reply is how to answer it first, travel
// how long that may be on its way.
func (c *Connector) take(p *payload, received time.Time, reply replier, travel time.Duration) fate {
	i, err := p.interaction(c.whoWeAre().application)
	if err != nil {
		c.log.Info("discord interaction ignored", "reason", err, "type", p.Type, "server", p.Guild, "application", p.Application)
		return dropped
	}
	r := &responder{c: c, p: p, token: i.Token, received: received, reply: reply, travel: travel}
	if !c.acts.begin(i, r) {
		c.log.Warn("discord interaction not taken", "request_id", i.Token.Request, "person", i.Person.ID, "listening", c.acts.listening())
		return busy
	}
	return begun
}

// act lets the handler decide, and sees to it that the person is answered in
// time whatever it does.
func (c *Connector) act(listen context.Context, h bridge.Handler, i bridge.Interaction, r *responder) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(listen),
		handlerTime-time.Since(r.received), errHandlerTime)
	defer cancel()
	log := c.log.With("request_id", i.Token.Request, "person", i.Person.ID, "channel", i.Message.Channel)

	late := func() {
		if r.late(ctx) {
			log.Warn("handler was late", "took", time.Since(r.received))
		}
	}
	settled := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(settled)
		late()
	})
	defer func() {
		if !stop() {
			<-settled
		}
	}()
	if err := c.contain(ctx, h, i, r); err != nil {
		log.Warn("discord interaction failed", "error", err, "took", time.Since(r.received))
	}
	if ctx.Err() != nil {
		late()
		return
	}
	if _, err := r.acknowledge(ctx, r.quiet()); err != nil {
		log.Warn("discord acknowledgement failed", "error", err)
	}
}

// contain runs the handler. If it panics the person is told.
func (c *Connector) contain(ctx context.Context, h bridge.Handler, i bridge.Interaction, r *responder) (err error) {
	defer func() {
		if v := recover(); v != nil {
			c.log.Error("handler panicked", "request_id", i.Token.Request, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = r.Whisper(ctx, bridge.Note{Text: sayBroken})
		}
	}()
	return h(ctx, i, r)
}

// Ready is nil when questions can be posted and answers received.
func (c *Connector) Ready() error {
	if !c.acts.listening() {
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
