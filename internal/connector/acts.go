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
	// HandlerTime is what the bridge has to answer a person. Slack wants to hear
	// within three seconds
	// (https://docs.slack.dev/interactivity/handling-user-interaction), and Discord
	// does (https://docs.discord.com/developers/interactions/receiving-and-responding).
	HandlerTime = 2500 * time.Millisecond
	// AckTime bounds handing over an acknowledgement when nothing else is left.
	AckTime = 400 * time.Millisecond
	// MaxActs is how many interactions are dealt with at once.
	MaxActs = 256
)

// ErrHandlerTime is why the context of a handler that is late ends.
var ErrHandlerTime = errors.New("the handler took too long")

// Responder answers one interaction, whatever the handler does.
type Responder interface {
	platform.Responder
	// Finish acknowledges if nobody has yet, and keeps what Late promised if the
	// handler has not. It is called when the handler has returned.
	Finish(ctx context.Context) error
	// Late acknowledges because the handler has not, and reports whether it had
	// to. It may promise a reply.
	Late(ctx context.Context) bool
}

// Acts are the interactions that a connector is dealing with, each in a
// goroutine of its own.
type Acts struct {
	log *slog.Logger
	// language is what people are told in whose own is not known.
	language string
	opened   chan struct{} // closed when Open is called for the first time

	mu    sync.Mutex
	run   func(act) // nil unless open
	count int
	idle  chan struct{} // closed when count reaches zero
}

// NewActs makes one that begins no act before Open, and tells people in the language whose
// own is not known.
func NewActs(log *slog.Logger, language string) *Acts {
	return &Acts{log: log, language: language, opened: make(chan struct{})}
}

// Open makes it possible to begin acts, unless it is already. What h does goes
// on when ctx ends; Close is the end of beginning more.
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

// Listening tells whether acts can be begun.
func (a *Acts) Listening() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.run != nil
}

// Close makes it impossible to begin acts. Those that are under way go on.
func (a *Acts) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.run = nil
}

// Begin starts to act on an interaction that was received at this time and is
// to be dealt with in so long, and reports whether it could.
func (a *Acts) Begin(received time.Time, allowed time.Duration, i platform.Interaction, r Responder) bool {
	return a.begin(i, func(run func(act)) { run(a.act(received, allowed, i, r)) })
}

// BeginEach starts to act on what came at once, one after another and in the room of
// one, and reports whether it could. Each is to be dealt with in so long from its turn on;
// Close ends it behind the one that is under way.
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

// begin does what it takes to act in a goroutine, if there is room. The log names i.
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

// Quiet returns a channel that is closed when nothing is under way.
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

// act is one interaction on its way through the handler.
type act struct {
	i        platform.Interaction
	r        Responder
	language string
	received time.Time
	allowed  time.Duration
	log      *slog.Logger
}

// run lets the handler decide, and sees to it that the person is answered in
// time whatever it does.
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

// contain runs the handler. If it panics the person is told.
func (a act) contain(ctx context.Context, h platform.Handler) (err error) {
	defer func() {
		if v := recover(); v != nil {
			a.log.Error("handler panicked", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = a.r.ReplyEphemeral(ctx, platform.Note{Text: words.In(a.language).Reply.Broken, Language: a.language})
		}
	}()
	return h(ctx, a.i, a.r)
}
