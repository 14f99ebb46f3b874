package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/askbridge/askbridge/platform"
)

// Bridge stands between agents and people. Make one with [New], run it with
// [Bridge.Run]; all methods may be called from any goroutine. The records that they
// return share what they hold with the bridge and with other callers: they are for
// reading alone. What [Bridge.Ask] returns is the caller's own.
//
// It holds the parts of the engine and does nothing itself: each part has a state
// of its own and knows only the parts that it needs.
type Bridge struct {
	opts       Options
	background *background
	platforms  *platforms
	records    *records
	workers    *workers
	deadlines  *deadlines
	intake     *intake
	people     *people
	streams    *streams
}

// New returns a bridge over a store and at least one platform. It returns an
// error naming everything wrong with the options; it does no I/O.
func New(store Store, platforms []platform.Platform, opts *Options) (*Bridge, error) {
	b := &Bridge{opts: opts.filled(), background: newBackground()}
	b.platforms = newPlatforms(platforms, b.opts.Rotas)
	if err := b.opts.check(b.platforms); err != nil {
		return nil, err
	}
	log, observing := b.opts.Logger, observing{b.opts.Observer}
	marks := marks{secret: b.opts.IDSecret, store: b.opts.StoreName}
	b.records = newRecords(store, b.background.start, log)
	b.records.observing, b.records.audit = observing, b.opts.Audit
	cards := &cards{platforms: b.platforms, marks: marks}
	locks := &locks{clock: &b.records.clock}
	files := &files{store: b.opts.Files, records: b.records, platforms: b.platforms, log: log}
	posts := &posts{platforms: b.platforms, files: files, cards: cards, locks: locks, log: log, observing: observing}
	webhooks := &webhooks{caller: b.opts.Caller, log: log, observing: observing}
	threads := &threads{store: b.opts.Threads, log: log}
	grants := &grants{store: b.opts.Grants}
	humans := newHumans(b.opts.People)
	delivery := &delivery{records: b.records, threads: threads, grants: grants, cards: cards, posts: posts, webhooks: webhooks, background: b.background, log: log}
	b.workers = &workers{delivery: delivery, records: b.records, background: b.background}
	b.deadlines = &deadlines{records: b.records, workers: b.workers, log: log, onCall: b.opts.onCall}
	b.intake = &intake{
		opts: &b.opts, platforms: b.platforms, webhooks: webhooks, records: b.records, workers: b.workers,
		deadlines: b.deadlines, background: b.background, log: log, observing: observing, grants: grants, files: files, humans: humans,
	}
	b.people = &people{
		records: b.records, workers: b.workers, platforms: b.platforms, cards: cards, locks: locks,
		marks: marks, background: b.background, log: log, observing: observing, onCall: b.opts.onCall, humans: humans, language: b.opts.Language,
	}
	b.people.hearing = &hearing{people: b.people, deadlines: b.deadlines, threads: threads, hinted: newHinted()}
	b.streams = &streams{records: b.records, deadlines: b.deadlines, background: b.background}
	return b, nil
}

// Run listens to the platforms and the store, ends what is due and updates
// what is behind, until ctx ends. It returns after everything it started has
// stopped; parked callers get [ErrClosed]. A bridge runs once.
func (b *Bridge) Run(ctx context.Context) error {
	b.opts.Logger.Info("bridge started", "platforms", b.platforms.names(), "responders", strings.Join(b.opts.Responders, ","),
		"expires_in", b.opts.ExpiresIn.String())
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loops := loops(b)
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
	b.background.stop(ErrClosed)
	b.records.waiter.close()
	all.Wait()
	b.background.end()
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// loops are what goes on as long as the bridge runs.
func loops(b *Bridge) []func(context.Context) error {
	log := b.opts.Logger
	loops := []func(context.Context) error{
		newWatcher(b.records, log).run,
		newExpirer(b.records, b.deadlines, log).run,
		newReconciler(b.records, b.workers, log).run,
	}
	for name, p := range b.platforms.named {
		loops = append(loops, func(ctx context.Context) error {
			if err := p.Listen(ctx, b.Handle); err != nil {
				return fmt.Errorf("bridge: listen to %s: %w", name, err)
			}
			return nil
		})
		if c, ok := p.(platform.Checker); ok {
			loops = append(loops, (&prober{platform: p, checker: c, connection: b.platforms.breakers[name].connection, log: log}).run)
		}
	}
	return loops
}

// Ready returns nil when the store can be read and written and no platform is known to be
// out of order, else joined errors of type [*PartError] that say which and why.
func (b *Bridge) Ready(ctx context.Context) error {
	var errs []error
	_, err := b.records.store.Scan(ctx, Scan{Limit: 1})
	if c, ok := b.records.store.(HealthChecker); ok && err == nil {
		err = c.CheckHealth(ctx)
	}
	if err != nil {
		errs = append(errs, &PartError{Part: "store", Err: err})
	}
	errs = append(errs, b.platforms.ready()...)
	return errors.Join(errs...)
}
