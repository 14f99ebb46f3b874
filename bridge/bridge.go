package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// DefaultExpiry is the time people have when neither the request, nor its
// route, nor the options say otherwise.
const DefaultExpiry = 24 * time.Hour

// Options are the bridge's settings. Nil and zero values mean the defaults.
type Options struct {
	// Routes are names for places and rules, used by [ask.Request.Route].
	Routes map[string]Route
	// DefaultRoute is used by requests that name neither a route nor places.
	DefaultRoute string
	// Responders is who may answer when neither request nor route says; nil
	// means [ask.Anyone]. An explicitly empty list is refused.
	Responders []string
	// ExpiresIn is the time people have when neither request nor route says;
	// zero means [DefaultExpiry], [ask.Never] no deadline.
	ExpiresIn time.Duration
	// Rules are the limits of a question set, for requests without
	// [ask.Request.Rules] of their own.
	Rules ask.Rules
	// Caller tells agents how their requests ended, for those that gave an
	// address; nil refuses such requests.
	Caller Caller
	// IDSecret keys the derivation of request ids. All replicas must share it.
	IDSecret []byte
	// StoreName tells the store from others whose bridges share the same app, such
	// as that of a staging system: the address and prefix of a Redis, say. A bridge
	// closes cards of requests that it does not know only if they were posted under
	// the same name and IDSecret.
	StoreName string
	// PlainWait has [Bridge.Wait] read on the stack of its caller, which keeps it for
	// as long as it waits: twice as much.
	PlainWait bool
	// Logger receives what an operator should know; nil discards.
	Logger *slog.Logger
}

// Route is a configured destination.
type Route struct {
	To []ask.Place
	// Responders is who may answer at most: a request can only narrow it. Nil
	// leaves it to the request.
	Responders []string
	// ExpiresIn applies to requests that do not set their own.
	ExpiresIn time.Duration
}

// Bridge stands between agents and people. Make one with [New], run it with
// [Bridge.Run]; all methods may be called from any goroutine.
type Bridge struct {
	store     Store
	platforms map[string]Platform
	prefixes  map[string]Platform // by what stands before the colon in responders
	breakers  map[string]*breaker
	opts      Options
	log       *slog.Logger

	waiter    *Waiter
	followers followers
	alarms    alarms
	clock     clock
	workers   workers
	locks     locks
	pacer     pacer

	stop    context.CancelCauseFunc
	running context.Context //nolint:containedctx // It is the bridge's own life, ended by stop.
	work    work
}

// New returns a bridge over a store and at least one platform. It returns an
// error naming everything wrong with the options; it does no I/O.
func New(store Store, platforms []Platform, opts *Options) (*Bridge, error) {
	b := &Bridge{
		store:     store,
		platforms: map[string]Platform{},
		prefixes:  map[string]Platform{},
		breakers:  map[string]*breaker{},
		alarms:    newAlarms(),
		log:       slog.New(slog.DiscardHandler),
	}
	b.waiter = newWaiter(b.work.start)
	if opts != nil {
		b.opts = *opts
	}
	if b.opts.Logger != nil {
		b.log = b.opts.Logger
	}
	if b.opts.Responders == nil {
		b.opts.Responders = []string{ask.Anyone}
	}
	if b.opts.ExpiresIn == 0 {
		b.opts.ExpiresIn = DefaultExpiry
	}
	if b.opts.IDSecret == nil {
		b.opts.IDSecret = []byte("askbridge")
	}
	for _, p := range platforms {
		b.platforms[p.Name()] = p
		b.breakers[p.Name()] = newBreaker(p)
		b.prefixes[p.Name()] = p
		if g, ok := p.(Grouper); ok {
			for _, prefix := range g.Prefixes() {
				b.prefixes[prefix] = p
			}
		}
	}
	b.running, b.stop = context.WithCancelCause(context.Background())
	if err := b.checkOptions(); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *Bridge) checkOptions() error {
	var problems []ask.Problem
	if len(b.platforms) == 0 {
		problems = append(problems, problem("platforms", ask.ErrTarget, "at least one platform is needed"))
	}
	problems = append(problems, b.checkRule("responders", b.opts.Responders)...)
	for _, name := range slices.Sorted(maps.Keys(b.opts.Routes)) {
		route, path := b.opts.Routes[name], "routes."+name
		if len(route.To) == 0 {
			problems = append(problems, problem(path+".to", ask.ErrTarget, "names no place"))
		}
		problems = append(problems, b.checkTargets(path+".to", route.To)...)
		problems = append(problems, b.checkRule(path+".responders", route.Responders)...)
	}
	if name := b.opts.DefaultRoute; name != "" {
		if _, ok := b.opts.Routes[name]; !ok {
			problems = append(problems, problem("default_route", ask.ErrTarget, fmt.Sprintf("there is no route %q", name)))
		}
	}
	if len(problems) > 0 {
		return &ask.InvalidError{Problems: problems}
	}
	return nil
}

// Run listens to the platforms and the store, ends what is due and updates
// what is behind, until ctx ends. It returns after everything it started has
// stopped; parked callers get [ErrClosed]. A bridge runs once.
func (b *Bridge) Run(ctx context.Context) error {
	b.log.Info("bridge started", "platforms", b.names(), "responders", strings.Join(b.opts.Responders, ","),
		"expires_in", b.opts.ExpiresIn.String())
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loops := []func(context.Context) error{b.watch, b.sweep, b.reconcile}
	for _, p := range b.platforms {
		loops = append(loops, func(ctx context.Context) error {
			if err := p.Listen(ctx, b.Handle); err != nil {
				return fmt.Errorf("bridge: listen to %s: %w", p.Name(), err)
			}
			return nil
		})
		if c, ok := p.(Checker); ok {
			loops = append(loops, func(ctx context.Context) error { return b.probe(ctx, p, c) })
		}
	}
	failed := make(chan error, len(loops))
	var all sync.WaitGroup
	for _, loop := range loops {
		all.Go(func() {
			defer cancel()
			if err := loop(ctx); err != nil && ctx.Err() == nil {
				failed <- err
			}
		})
	}
	<-ctx.Done()
	b.stop(ErrClosed)
	b.waiter.close()
	all.Wait()
	b.work.end()
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Ready returns nil when the store answers and no platform is known to be out
// of order, else the joined [*PartError]s that say which and why.
func (b *Bridge) Ready(ctx context.Context) error {
	var errs []error
	if _, err := b.store.Scan(ctx, Scan{Limit: 1}); err != nil {
		errs = append(errs, &PartError{Part: "store", Err: err})
	}
	for _, name := range slices.Sorted(maps.Keys(b.breakers)) {
		err := b.breakers[name].connection.state()
		if p, ok := b.platforms[name].(Readier); ok && err == nil {
			err = p.Ready()
		}
		if err != nil {
			errs = append(errs, &PartError{Part: name, Err: err})
		}
	}
	return errors.Join(errs...)
}

func (b *Bridge) names() string {
	return strings.Join(slices.Sorted(maps.Keys(b.platforms)), ", ")
}

// work is what goes on in the background. Once it has ended nothing more begins.
type work struct {
	mu    sync.Mutex
	ended bool
	all   sync.WaitGroup
}

// start runs f in a goroutine that [Bridge.Run] waits for. It reports whether it
// did: after the end of Run nothing is started.
func (w *work) start(f func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return false
	}
	w.all.Go(f)
	return true
}

// end waits for everything that was started.
func (w *work) end() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.all.Wait()
}
