package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/wait"
)

const (
	// DefaultAway is how long a client between host and front client retries when the
	// bridge is unavailable. See [client.Options].
	DefaultAway = 2 * time.Minute
	// grace is how much longer than the client waits a request stays open, in case the client ends before it closes the
	// card.
	grace = time.Minute
	// screenAsks ends the reason of a card that closes because the host asks on its own screen.
	screenAsks = "the agent's own screen asks now"
	// lastWord limits the work for a question that is over.
	lastWord = 4 * time.Second
	// firstRest and longRest are the minimum and maximum backoff.
	firstRest = time.Second
	longRest  = 30 * time.Second
)

// Options are the settings for the questions of a host.
type Options struct {
	// To, Route, Origin, Responders and Agent are as in [ask.Request].
	To         []ask.Place
	Route      string
	Origin     ask.Origin
	Responders []string
	Agent      string
	// Source returns where the agent works, for the card, by its folder on this machine. It may be
	// nil.
	Source func(folder string) ask.Source
	// Wait is how long people can answer; zero leaves it to the bridge.
	Wait time.Duration
	// Deny reports to the host that there was no answer in time, instead of leaving the
	// question to its own screen.
	Deny bool
	// Logger receives log entries; nil discards.
	Logger *slog.Logger
}

// ErrTime means that there was no answer in time.
var ErrTime = errors.New("connect: nobody answered in time")

// over is the reason why the host needs no answer to a question any more.
type over struct{ reason string }

func (o over) Error() string { return o.reason }

func elsewhere(host string) error { return over{"it was answered in " + host} }

// turnEnded is the reason for a question whose agent has stopped.
func turnEnded() error { return over{"the agent's turn has ended"} }

// isOver reports whether the host needs no answer to the question of ctx any more.
func isOver(ctx context.Context) (over, bool) {
	return errors.AsType[over](context.Cause(ctx))
}

// question is a question of a host.
type question struct {
	// id identifies it while it is open.
	id   string
	call client.ToolCall
	// folder is where the agent works; empty if unknown.
	folder string
	// anyone lets everyone who sees the card decide if there are no Responders.
	anyone bool
	// tell sends the result to the host.
	tell func(ctx context.Context, r *client.ToolResult) error
	// left is called if there is no answer from chat. If it is nil the host's own screen shows
	// the question anyway, and an unavailable bridge is waited for.
	left func(why error)
	// final is set if no screen of the host shows the question or can get it.
	final bool

	// wait is how long people can answer in chat before the host's own screen asks; zero leaves that to the request's expiry.
	wait time.Duration
	// life is the context in which the question began.
	life context.Context //nolint:containedctx // It outlives the question, to close the card.
}

// asker asks the questions of a host over the bridge, concurrently.
type asker struct {
	bridge *client.Client
	opts   Options
	log    *slog.Logger

	all  sync.WaitGroup
	mu   sync.Mutex
	open map[string]context.CancelCauseFunc
}

func newAsker(bridge *client.Client, opts Options) *asker {
	a := &asker{bridge: bridge, opts: opts, log: opts.Logger, open: map[string]context.CancelCauseFunc{}}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	return a
}

// begin asks a question unless it is being asked.
func (a *asker) begin(ctx context.Context, q question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[q.id] != nil {
		return
	}
	c := &q.call
	c.To, c.Route, c.Origin, c.Responders, c.Agent = a.opts.To, a.opts.Route, a.opts.Origin, a.opts.Responders, a.opts.Agent
	if a.opts.Source != nil && q.folder != "" {
		c.Source = a.opts.Source(q.folder)
	}
	if q.anyone && len(c.Responders) == 0 {
		c.Responders = []string{ask.Anyone}
	}
	if a.opts.Wait > 0 && c.ExpiresIn == 0 {
		c.ExpiresIn = min(a.opts.Wait, ask.MaxExpiresIn)
		if !a.opts.Deny && !q.final {
			q.wait = c.ExpiresIn
			c.ExpiresIn = min(c.ExpiresIn+grace, ask.MaxExpiresIn)
		}
	}
	q.life = ctx
	ctx, drop := context.WithCancelCause(ctx)
	a.open[q.id] = drop
	a.all.Go(func() {
		if err := a.answer(ctx, q); err != nil {
			a.log.Warn("a question was not answered from chat", "question", q.id, "error", err)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.open, q.id)
		drop(nil)
	})
}

// drop ends the wait for a question that needs no answer any more.
func (a *asker) drop(id string, why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if drop := a.open[id]; drop != nil {
		drop(why)
	}
}

// dropAll is drop for every question that matches.
func (a *asker) dropAll(test func(id string) bool, why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, drop := range a.open {
		if test(id) {
			drop(why)
		}
	}
}

// answer asks in chat and sends the result to the host.
func (a *asker) answer(ctx context.Context, q question) error {
	r, err := a.ask(ctx, q)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // The card is closed, or remains open for the next start.
	}
	switch {
	case err != nil:
	case r.State == ask.Expired && !a.opts.Deny:
		err = ErrTime
	case r.State == ask.Cancelled:
		if err = a.handedOver(ctx, r); err == nil {
			return q.tell(ctx, r)
		}
	case r.State == ask.Failed || r.State == client.StateRefused:
		err = fmt.Errorf("connect: the question could not be asked in chat: %s", cut(a.bridge.WhyNot(ctx, r)))
	default:
		return q.tell(ctx, r)
	}
	if q.left != nil {
		q.left(err)
	}
	return err
}

// ask returns the ended request, nil if the question was over before, or the error
// that ended the wait.
func (a *asker) ask(ctx context.Context, q question) (*client.ToolResult, error) {
	patient, done := wait.Grace(ctx, lastWord)
	defer done()
	r, err := a.submit(ctx, patient, q)
	if err == nil && len(r.Advice) > 0 {
		var paths []string // The details quote the agent's texts.
		for _, remark := range r.Advice {
			paths = append(paths, remark.Path)
		}
		a.log.Info("input ignored or corrected", "question", q.id, "paths", paths)
	}
	if err != nil || r.State != ask.Open {
		return r, err
	}
	id := r.RequestID
	waiting, cancel := ctx, func() {}
	if q.wait > 0 {
		waiting, cancel = context.WithTimeoutCause(ctx, q.wait, ErrTime)
	}
	defer cancel()
	if r, err = a.bridge.WaitTool(waiting, id, q.call.Dialect, q.call.Input); err == nil {
		return r, nil
	}
	reason := screenAsks
	if ctx.Err() == nil && errors.Is(context.Cause(waiting), ErrTime) {
		reason = "nobody answered in time, and " + screenAsks
		if r, err = a.handOver(ctx, id, reason, q); err == nil {
			return r, nil
		}
	}
	if why, dealt := isOver(ctx); dealt {
		a.close(context.WithoutCancel(ctx), id, why.reason)
		return nil, nil //nolint:nilnil // See above.
	}
	if ctx.Err() == nil {
		// The bridge is unavailable. Close the card when it is back.
		a.all.Go(func() { a.withdraw(q.life, id, reason) })
	}
	return nil, err
}

// handOver closes the card of a question without an answer in time, and returns how the request ended: a person may
// have answered at the last moment.
func (a *asker) handOver(ctx context.Context, id, reason string, q question) (*client.ToolResult, error) {
	ctx, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	if _, err := a.bridge.Cancel(ctx, id, reason); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTime, err)
	}
	return a.bridge.ToolResult(ctx, id, q.call.Dialect, q.call.Input)
}

// handedOver returns ErrTime for a request that was cancelled because the host's own screen asks, as a client like this
// one does.
func (a *asker) handedOver(ctx context.Context, r *client.ToolResult) error {
	ended, err := a.bridge.Get(ctx, r.RequestID)
	if err != nil {
		return fmt.Errorf("connect: read why the question was cancelled: %w", err)
	}
	if strings.HasSuffix(ended.Reason, screenAsks) {
		return ErrTime
	}
	return nil
}

// submit submits the question. It waits for an unavailable bridge if the host does
// not wait.
func (a *asker) submit(ctx, patient context.Context, q question) (*client.ToolResult, error) {
	for n := 0; ; n++ {
		r, err := a.bridge.SubmitTool(patient, q.call)
		if err == nil || q.left != nil || client.Refused(err) || ctx.Err() != nil {
			return r, err
		}
		rest := wait.Backoff(firstRest, longRest, n)
		a.log.Warn("the bridge is away", "question", q.id, "error", err, "retry_in", rest)
		if wait.For(ctx, rest) != nil {
			return nil, err
		}
	}
}

// close closes the card.
func (a *asker) close(ctx context.Context, id, reason string) {
	ctx, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	if _, err := a.bridge.Cancel(ctx, id, reason); err != nil {
		a.log.Warn("a card could not be closed", "request_id", id, "error", err)
	}
}

// withdraw closes the card of a question that was handed back, once the bridge is
// available. If life ends before, the request expires.
func (a *asker) withdraw(life context.Context, id, reason string) {
	for n := 0; ; n++ {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(life), lastWord)
		_, err := a.bridge.Cancel(ctx, id, reason)
		cancel()
		if err == nil || client.Refused(err) || wait.For(life, wait.Backoff(firstRest, longRest, n)) != nil {
			return
		}
	}
}

func cut(s string) string {
	if r := []rune(s); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return s
}
