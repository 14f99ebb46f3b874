package slack

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

const (
	// handlerTime is what the bridge has to answer a person; Slack wants to be
	// acknowledged within three seconds
	// (https://docs.slack.dev/interactivity/handling-user-interaction).
	handlerTime = 2500 * time.Millisecond
	// ackTime bounds handing over an acknowledgement.
	ackTime = 400 * time.Millisecond
	// drainTime is how long a socket stays open for acts that are under way.
	drainTime = 3 * time.Second
	// flushTime lets slack-go write the last acknowledgements, which it does in
	// a goroutine of its own without saying when.
	flushTime = 100 * time.Millisecond
	// maxActs is how many acts are handled at once.
	maxActs = 256
)

var (
	errHandlerTime = errors.New("slack: the handler took too long")
	errAckTime     = errors.New("slack: the acknowledgement could not be handed over")
)

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
		return errors.New("slack: already listening")
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var running sync.WaitGroup
	running.Go(func() { c.introduce(ctx) })
	running.Go(func() { c.errands.run(ctx) })
	if c.cfg.Mode == ModeSocket {
		running.Go(func() { c.socket(background) })
	}
	c.log.Info("listening for slack interactions", "mode", c.cfg.Mode)

	<-ctx.Done()
	if c.cfg.Mode == ModeSocket {
		// The connection stays until what is under way has been acknowledged.
		wait(background, c.acts.quiet(), drainTime)
		wait(background, nil, flushTime)
	}
	c.acts.close()
	stop()
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
	dropped             // acknowledge it, there is nothing to do
	begun               // the responder acknowledges it
)

// take decodes an interaction and begins to act on it.
func (c *Connector) take(raw []byte, when arrival, reply replier) fate {
	p, err := decode(raw)
	if err != nil {
		c.log.Warn("unreadable slack interaction", "bytes", len(raw))
		return dropped
	}
	i, err := p.interaction(c.whoWeAre(), when, &c.seen)
	if err != nil {
		c.log.Info("slack interaction ignored", "reason", err, "type", p.Type, "team", p.Team.ID, "app", p.AppID)
		return dropped
	}
	i.Person.Name = c.nameOf(i.Person.ID, i.Person.Name)
	c.meet(i.Person.ID)
	r := &responder{c: c, p: p, token: i.Token, received: when.at, reply: reply}
	if !c.acts.begin(i, r) {
		c.log.Warn("slack interaction not taken", "request_id", i.Token.Request, "person", i.Person.ID, "listening", c.acts.listening())
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
		log.Warn("slack interaction failed", "error", err, "took", time.Since(r.received))
	}
	if ctx.Err() != nil {
		late()
		return
	}
	if _, err := r.acknowledge(ctx, nil); err != nil {
		log.Warn("slack acknowledgement failed", "error", err)
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

// introduce asks Slack who we are until it says so.
func (c *Connector) introduce(ctx context.Context) {
	for tries := 0; ctx.Err() == nil; tries++ {
		err := c.Check(ctx)
		if err == nil {
			return
		}
		pause := backoff(tries)
		if e, ok := errors.AsType[*bridge.PlatformError](err); ok {
			switch e.Kind {
			case bridge.Setup:
				pause = pauseRefused
			case bridge.Patience:
				pause = e.RetryAfter
			}
		}
		wait(ctx, nil, pause)
	}
}

// Check asks Slack whether the bot token is good, and learns who we are.
func (c *Connector) Check(ctx context.Context) error {
	k := call{op: "auth.test"}
	var us home
	e := c.attempt(ctx, k, func(ctx context.Context) error {
		who, err := c.api.AuthTestContext(ctx)
		if err == nil {
			us = home{team: who.TeamID, enterprise: who.EnterpriseID, botUser: who.UserID, botID: who.BotID}
		}
		return err
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if e != nil {
		c.gate.failed(k, e, time.Now())
		if c.checked != nil {
			c.checked = e
		}
		return e
	}
	c.gate.passed()
	us.app = c.us.app
	if c.checked != nil {
		c.log.Info("connected to slack", "team", us.team, "bot_user", us.botUser)
	}
	c.us, c.checked = us, nil
	return nil
}

// Ready is nil when questions can be posted and answers received.
func (c *Connector) Ready() error {
	if !c.acts.listening() {
		return errors.New("slack: not listening")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.checked != nil:
		return c.checked
	case c.linkDown != nil:
		return c.linkDown
	}
	return c.gate.standing()
}

func (c *Connector) whoWeAre() home {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.us
}
