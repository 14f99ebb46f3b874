package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/digest"
	"github.com/askbridge/askbridge/bridge/internal/inbox"
	"github.com/askbridge/askbridge/bridge/internal/intake"
	"github.com/askbridge/askbridge/bridge/internal/ratelimit"
	"github.com/askbridge/askbridge/bridge/internal/respond"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
)

// Bridge connects agents and people. Make one with [New] and run it with [Bridge.Run].
// All methods are safe for concurrent use. Callers must not modify the records that they
// return, except that of [Bridge.Ask].
//
// It only assembles the parts of the engine: each part owns its state and knows the
// parts that it needs.
type Bridge struct {
	opts       Options
	background *state.Background
	platforms  *deliver.Platforms
	records    *state.Records
	workers    *deliver.Workers
	deadlines  *deliver.Deadlines
	intake     *intake.Intake
	handler    *respond.Handler
	streams    *streams
	grants     *state.Grants
	inbox      *inbox.Inbox
	digests    *digest.Digests
}

// New returns a bridge over a store and at least one platform, or an error with all
// problems of the options. It does no I/O.
func New(store storage.Store, platforms []platform.Platform, opts *Options) (*Bridge, error) {
	b := &Bridge{opts: opts.filled(), background: state.NewBackground()}
	settings := b.opts.settings()
	b.platforms = deliver.NewPlatforms(platforms)
	directory := intake.NewDirectory(b.platforms, settings.Rotas)
	if err := settings.Check(directory); err != nil {
		return nil, err
	}
	log, reporter := b.opts.Logger, state.Reporter{To: b.opts.Observer}
	marks := deliver.Marks{Secret: b.opts.IDSecret, Store: b.opts.StoreName}
	b.records = state.NewRecords(store, b.background.Go, log)
	b.records.Reporter, b.records.Audit = reporter, b.opts.Audit
	b.grants = &state.Grants{Store: b.opts.Grants}
	threads := &state.Threads{Store: b.opts.Threads, Log: log}
	files := &state.Files{Store: b.opts.Files, Log: log}
	accounts := state.NewAccounts(b.opts.People)
	cards := &deliver.Cards{Platforms: b.platforms, Marks: marks, People: accounts}
	locks := &deliver.Locks{Clock: &b.records.Clock}
	b.workers = &deliver.Workers{
		Delivery: &deliver.Delivery{
			Records: b.records, Threads: threads, Grants: b.grants, Cards: cards, Background: b.background, Log: log,
			Posts:    &deliver.Posts{Platforms: b.platforms, Files: files, Cards: cards, Locks: locks, Log: log, Reporter: reporter},
			Webhooks: &deliver.Webhooks{Caller: b.opts.Caller, Log: log, Reporter: reporter},
			Status:   &deliver.Status{Threads: b.opts.Threads, Records: b.records, Platforms: b.platforms, Background: b.background, Log: log},
		},
		Records: b.records, Background: b.background,
	}
	b.deadlines = &deliver.Deadlines{Records: b.records, Workers: b.workers, Log: log, OnCall: settings.OnCall}
	b.intake = &intake.Intake{
		Settings: settings, Directory: directory, Caller: b.opts.Caller, Records: b.records, Workers: b.workers,
		Deadlines: b.deadlines, Background: b.background, Log: log, Reporter: reporter, Grants: b.grants, Files: files, Accounts: accounts,
		Attachments: &intake.Attachments{Files: files, Records: b.records, Platforms: b.platforms, Log: log},
	}
	b.handler = &respond.Handler{
		Records: b.records, Workers: b.workers, Platforms: b.platforms, Lookup: &respond.Lookup{Platforms: b.platforms}, Cards: cards, Locks: locks,
		Marks: marks, Background: b.background, Log: log, Reporter: reporter, OnCall: settings.OnCall, Accounts: accounts, Language: b.opts.Language,
	}
	b.handler.Messages = &respond.Messages{Handler: b.handler, Deadlines: b.deadlines, Threads: threads, Hints: respond.NewHints()}
	b.streams = &streams{records: b.records, deadlines: b.deadlines, background: b.background}
	b.inbox = &inbox.Inbox{
		Records: b.records, Deadlines: b.deadlines, Platforms: b.platforms, Cards: cards, Background: b.background, Accounts: accounts, Log: log,
		Language: b.opts.Language,
		Next: func(ctx context.Context, i platform.Interaction, resp platform.Responder) error {
			return judge(ctx, b, i, resp)
		},
	}
	b.digests = digest.New(b.records, b.deadlines, b.inbox, b.opts.DigestStore)
	if err := CheckDigests(b, b.opts.Digests); err != nil {
		return nil, err
	}
	SetDigests(b, b.opts.Digests)
	return b, nil
}

// Run listens to the platforms and the store, applies due changes and delivers, until
// ctx ends. It returns after everything it started has stopped; parked callers get
// [ErrClosed]. A bridge runs once.
func (b *Bridge) Run(ctx context.Context) error {
	b.opts.Logger.Info("bridge started", "platforms", b.platforms.Names(), "responders", strings.Join(b.opts.Responders, ","),
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
	b.background.Stop(storage.ErrClosed)
	b.records.Waiter.Close()
	all.Wait()
	b.background.Wait()
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// loops returns the background loops.
func loops(b *Bridge) []func(context.Context) error {
	log := b.opts.Logger
	loops := []func(context.Context) error{
		state.NewWatcher(b.records, log).Run,
		deliver.NewExpirer(b.records, b.deadlines, log).Run,
		deliver.NewReconciler(b.records, b.workers, log).Run,
		b.digests.Run,
	}
	for name, p := range b.platforms.Named {
		loops = append(loops, func(ctx context.Context) error {
			if err := p.Listen(ctx, b.Handle); err != nil {
				return fmt.Errorf("bridge: listen to %s: %w", name, err)
			}
			return nil
		})
		if c, ok := p.(platform.Checker); ok {
			loops = append(loops, (&ratelimit.Prober{Platform: p, Checker: c, Connection: b.platforms.Breakers[name].Connection, Log: log}).Run)
		}
	}
	return loops
}

// Ready returns nil if the store accepts reads and writes and all platforms are ready,
// else joined [*PartError] values.
func (b *Bridge) Ready(ctx context.Context) error {
	var errs []error
	_, err := b.records.Store.Scan(ctx, storage.Scan{Limit: 1})
	if c, ok := b.records.Store.(storage.HealthChecker); ok && err == nil {
		err = c.CheckHealth(ctx)
	}
	if err != nil {
		errs = append(errs, &deliver.PartError{Part: "store", Err: err})
	}
	errs = append(errs, b.platforms.Ready()...)
	return errors.Join(errs...)
}

// Platforms returns the known error of each platform by name, nil if it is ready. It
// does no I/O.
func (b *Bridge) Platforms() map[string]error {
	all := make(map[string]error, len(b.platforms.Named))
	for name := range b.platforms.Named {
		all[name] = b.platforms.State(name)
	}
	return all
}

// Waiting returns the number of callers that wait in this process for requests to end.
func (b *Bridge) Waiting() int { return b.records.Waiter.Count() }

// Handle processes an interaction: it judges it, stores the result, and then replies.
// Cards are updated in the background. The error is only for the log; the person already
// has a reply.
func (b *Bridge) Handle(ctx context.Context, i platform.Interaction, resp platform.Responder) error {
	if i.Inbox {
		return b.inbox.Handle(ctx, i, resp)
	}
	return judge(ctx, b, i, resp)
}

// judge is [Bridge.Handle] for an interaction with a card.
func judge(ctx context.Context, b *Bridge, i platform.Interaction, resp platform.Responder) error {
	i.Groups = b.handler.Accounts.Groups(i.Person, i.Groups)
	if b.opts.Observer != nil {
		return b.handler.HandleObserved(ctx, i, resp)
	}
	return b.handler.Handle(ctx, i, resp)
}
