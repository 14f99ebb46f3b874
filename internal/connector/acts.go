package connector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
)

const (
	// HandlerTime limits the handler of an interaction. Slack expects a response within three seconds
	// (https://docs.slack.dev/interactivity/handling-user-interaction), and so does Discord
	// (https://docs.discord.com/developers/interactions/receiving-and-responding).
	HandlerTime = 2500 * time.Millisecond
	// AckTime limits sending an acknowledgement after HandlerTime.
	AckTime = 400 * time.Millisecond
	// MaxActs is the number of interactions that are handled at once.
	MaxActs = 256
)

// ErrHandlerTime is the cause when a handler's context ends.
var ErrHandlerTime = errors.New("the handler took too long")

// Responder responds to one interaction, even if the handler does not.
type Responder interface {
	platform.Responder
	// Finish acknowledges the interaction if that has not happened, and sends the reply that Late announced if the handler
	// has not. It is called after the handler has returned.
	Finish(ctx context.Context) error
	// Late acknowledges the interaction if that has not happened, and reports whether it did. It may announce a reply.
	Late(ctx context.Context) bool
}

// Acts are the interactions that a connector is handling, each in a goroutine.
type Acts struct {
	log *slog.Logger
	// language is for people whose own is unknown.
	language string
	opened   chan struct{} // closed when Open is called for the first time

	mu    sync.Mutex
	run   func(act) // nil unless open
	count int
	idle  chan struct{} // closed when count reaches zero
}

// NewActs returns acts that begin after Open. The language is for people whose own is unknown.
func NewActs(log *slog.Logger, language string) *Acts {
	return &Acts{log: log, language: language, opened: make(chan struct{})}
}

// Open allows acts to begin, and reports false if they are already. Handlers continue after the end of ctx; Close prevents
// new ones.
func (a *Acts) Open(ctx context.Context, h platform.Handler) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run != nil {
		return false
	}
	ctx = context.WithoutCancel(ctx)
	a.run = func(one act) { one.run(ctx, h) }
	select {
	case <-a.opened:
	default:
		close(a.opened)
	}
	return true
}

// Opened is closed once Open was called.
func (a *Acts) Opened() <-chan struct{} { return a.opened }

// Listening reports whether acts can begin.
func (a *Acts) Listening() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.run != nil
}

// Close prevents new acts. Those in progress continue.
func (a *Acts) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.run = nil
}

// Begin starts handling an interaction that was received at a time, with a timeout from then on. It reports whether it
// could.
func (a *Acts) Begin(received time.Time, allowed time.Duration, i platform.Interaction, r Responder) bool {
	return a.begin(i, func(run func(act)) { run(a.act(received, allowed, i, r)) })
}

// BeginEach starts handling interactions that arrived together, one after another, counted as one. It reports whether it
// could. Each has the timeout from its start; Close skips the remaining ones.
func (a *Acts) BeginEach(allowed time.Duration, all []platform.Interaction, r Responder) bool {
	if len(all) == 0 {
		return true
	}
	return a.begin(all[0], func(run func(act)) {
		for n, i := range all {
			if n == 0 || a.Listening() {
				run(a.act(time.Now(), allowed, i, r))
			}
		}
	})
}

// begin runs do in a goroutine unless there are too many. i is for the log.
func (a *Acts) begin(i platform.Interaction, do func(run func(act))) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run == nil || a.count >= MaxActs {
		a.log.Warn("interaction not taken", "request_id", i.Token.Request, "person", i.Person.ID, "listening", a.run != nil)
		return false
	}
	a.count++
	if a.count == 1 {
		a.idle = make(chan struct{})
	}
	run := a.run
	go func() {
		defer a.end()
		do(run)
	}()
	return true
}

func (a *Acts) act(received time.Time, allowed time.Duration, i platform.Interaction, r Responder) act {
	return act{
		i: i, r: r, language: cmp.Or(words.Known(i.Language), a.language), received: received, allowed: allowed,
		log: a.log.With("request_id", i.Token.Request, "person", i.Person.ID, "channel", i.Message.Channel),
	}
}

func (a *Acts) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count--
	if a.count == 0 {
		close(a.idle)
	}
}

// Quiet returns a channel that is closed when no act is in progress.
func (a *Acts) Quiet() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count == 0 {
		none := make(chan struct{})
		close(none)
		return none
	}
	return a.idle
}

// act is one interaction and its handling.
type act struct {
	i        platform.Interaction
	r        Responder
	language string
	received time.Time
	allowed  time.Duration
	log      *slog.Logger
}

// run calls the handler, and ensures that the interaction is acknowledged in time.
func (a act) run(ctx context.Context, h platform.Handler) {
	ctx, cancel := context.WithTimeoutCause(ctx, a.allowed-time.Since(a.received), ErrHandlerTime)
	defer cancel()
	late := func() {
		if a.r.Late(ctx) {
			a.log.Warn("handler was late", "took", time.Since(a.received))
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
	if err := a.contain(ctx, h); err != nil {
		a.log.Warn("interaction failed", "error", err, "took", time.Since(a.received))
	}
	if ctx.Err() != nil {
		late()
	}
	if err := a.r.Finish(ctx); err != nil {
		a.log.Warn("acknowledgement failed", "error", err)
	}
}

// contain calls the handler. If it panics, the person gets a reply.
func (a act) contain(ctx context.Context, h platform.Handler) (err error) {
	defer func() {
		if v := recover(); v != nil {
			a.log.Error("handler panicked", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = a.r.ReplyEphemeral(ctx, platform.Note{Text: words.In(a.language).Reply.Broken, Language: a.language})
		}
	}()
	return h(ctx, a.i, a.r)
}
