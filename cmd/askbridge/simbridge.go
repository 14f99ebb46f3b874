package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/store/memory"
)

// simBridge is the bridge of the simulator, which can be ended and started again on the same store, at the same address.
type simBridge struct {
	cfg      *config.Config
	opts     app.Options
	replaced func() // is called between one bridge and the next
	broke    chan<- error
	store    *memory.Store
	ahead    atomic.Int64 // how many nanoseconds the store's clock is ahead

	mu      sync.Mutex
	at      string // where agents ask
	hooks   string // where the platforms post
	ln      *cuttable
	hooksLn *cuttable
	stop    context.CancelFunc
	stopped chan error // gets how Run ended
}

func newSimBridge(cfg *config.Config, opts app.Options, replaced func(), broke chan<- error) *simBridge {
	b := &simBridge{cfg: cfg, opts: opts, replaced: replaced, broke: broke}
	b.store = memory.NewAt(func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) })
	b.opts.Store = b.store
	return b
}

// start runs a bridge on a listener for agents and one for the platforms.
func (b *simBridge) start(ln, hooks net.Listener) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.run(ln, hooks)
}

func (b *simBridge) run(ln, hooks net.Listener) error {
	b.at, b.ln = ln.Addr().String(), &cuttable{Listener: ln, open: map[net.Conn]bool{}}
	b.hooks, b.hooksLn = hooks.Addr().String(), &cuttable{Listener: hooks, open: map[net.Conn]bool{}}
	opts := b.opts
	opts.Listener, opts.CallbackListener = b.ln, b.hooksLn
	a, err := app.New(b.cfg, &opts)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	b.stop, b.stopped = stop, stopped
	go func() {
		err := a.Run(ctx)
		if err != nil && ctx.Err() == nil {
			b.broke <- err
		}
		stopped <- err
	}()
	return nil
}

// kill stops the bridge abruptly: it cuts every connection.
func (b *simBridge) kill() {
	b.stop()
	b.ln.cut()
	b.hooksLn.cut()
	<-b.stopped //nolint:errcheck // The error was reported when it occurred.
}

// again ends the bridge and starts another one.
func (b *simBridge) again(ctx context.Context, between func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kill()
	between()
	b.replaced()
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", b.at)
	if err != nil {
		return fmt.Errorf("listen again: %w", err)
	}
	hooks, err := lc.Listen(ctx, "tcp", b.hooks)
	if err != nil {
		return errors.Join(fmt.Errorf("listen again: %w", err), ln.Close())
	}
	return b.run(ln, hooks)
}

// end ends the bridge and its store, in order.
func (b *simBridge) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop != nil {
		b.stop()
		<-b.stopped //nolint:errcheck // The error was reported when it occurred.
	}
	_ = b.store.Close() // Never fails.
}

// controls are what the page lets one do to the bridge.
func (b *simBridge) controls() []page.Control {
	return []page.Control{
		{
			Name: "restart", Label: "Kill the bridge", About: "Stops it and breaks its connections. Another one starts on the same store.",
			Do: func(ctx context.Context) (string, error) {
				return "The bridge was killed, and another one has taken over.", b.again(ctx, func() {})
			},
		},
		b.skip("minutes", "Skip 10 minutes", "10m", 10*time.Minute),
		b.skip("hour", "Skip 1 hour", "1h", time.Hour),
	}
}

// skip is a control that moves the bridge's clock; scenes spell the time as text. It restarts the bridge, whose timers follow the real clock.
func (b *simBridge) skip(name, label, text string, by time.Duration) page.Control {
	return page.Control{
		Name: name, Label: label, About: "Advances the bridge's clock, so that reminders and deadlines become due.",
		Skip: true, Step: "time passes " + text,
		Do: func(ctx context.Context) (string, error) {
			err := b.again(ctx, func() { b.ahead.Add(int64(by)) })
			return fmt.Sprintf("For the bridge it is now %s.", time.Now().Add(time.Duration(b.ahead.Load())).Format("Monday, 15:04")), err
		},
	}
}

// cuttable is a listener whose connections can all be cut at once.
type cuttable struct {
	net.Listener

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

func (l *cuttable) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	c := &cutConn{Conn: conn, from: l}
	l.open[c] = true
	return c, nil
}

// cut closes the listener and all its connections.
func (l *cuttable) cut() {
	_ = l.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for conn := range l.open {
		_ = conn.(*cutConn).Conn.Close()
	}
}

type cutConn struct {
	net.Conn

	from *cuttable
}

func (c *cutConn) Close() error {
	c.from.mu.Lock()
	delete(c.from.open, c)
	c.from.mu.Unlock()
	return c.Conn.Close()
}
