package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

const (
	// DefaultMaxWait caps ?wait unless [Options.MaxWait] says otherwise: proxies
	// commonly cut calls that say nothing for longer.
	DefaultMaxWait = 60 * time.Second
	// MaxBody is the most bytes a body may have.
	MaxBody = 64 << 10
)

// Options are the settings of the API. Nil means the defaults, which serve
// nobody: name Agents, or allow anonymous calls.
type Options struct {
	// Agents are who may call, told by their tokens.
	Agents []Agent
	// AllowAnonymous serves without tokens when there are no Agents. Set it only
	// for a listener on loopback; the API then answers under loopback names
	// only.
	AllowAnonymous bool
	// DefaultRoute is [bridge.Options.DefaultRoute], against which an agent's
	// allow lists are judged.
	DefaultRoute string
	// MaxWait caps ?wait; zero means [DefaultMaxWait].
	MaxWait time.Duration
	// Version stands in the OpenAPI document.
	Version string
	// Logger receives a line for each call; nil discards.
	Logger *slog.Logger
}

// Handler is the API. Make one with [New].
type Handler struct {
	bridge *bridge.Bridge
	opts   Options
	log    *slog.Logger
	keys   *keyring
	seals  seals
	mux    *http.ServeMux

	document func() ([]byte, error)

	draining context.Context //nolint:containedctx // The handler's life, which every parked call leans on.
	drain    context.CancelFunc
	sleepers sleepers
	// lines counts connections until they are closed or the server's again.
	lines sync.WaitGroup
}

// New returns the API of a bridge, or an error that names everything wrong
// with the options.
func New(b *bridge.Bridge, opts *Options) (*Handler, error) {
	h := &Handler{bridge: b, log: slog.New(slog.DiscardHandler), mux: http.NewServeMux()}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.Logger != nil {
		h.log = h.opts.Logger
	}
	if h.opts.MaxWait == 0 {
		h.opts.MaxWait = DefaultMaxWait
	}
	if h.opts.MaxWait < 0 {
		return nil, errors.New("api: max wait: must not be negative")
	}
	var err error
	if h.keys, err = newKeyring(&h.opts); err != nil {
		return nil, err
	}
	h.seals = newSeals(h.opts.Agents)
	h.document = sync.OnceValues(func() ([]byte, error) { return document(h.opts.Version) })
	h.draining, h.drain = context.WithCancel(context.Background())
	h.mount()
	return h, nil
}

// Drain sends parked callers away with a hint to come back, ends event streams
// and makes /readyz say no. Everything else is served on. Call it when the
// server is about to shut down, while the bridge still runs; see
// [http.Server.RegisterOnShutdown]. Then wait with [Handler.Drained].
func (h *Handler) Drain() {
	h.drain()
	h.sleepers.rouse()
}

// Drained waits, after [Handler.Drain], until all who were parked have been
// told. [http.Server.Shutdown] does not wait for them: it does not know
// connections that were taken from it. It returns ctx's error when ctx ends
// first.
func (h *Handler) Drained(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.lines.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// mount puts every route on the mux. Whatever else is asked for gets a problem
// body too.
func (h *Handler) mount() {
	allowed := map[string]string{}
	for _, rt := range routes() {
		h.mux.HandleFunc(rt.method+" "+rt.path, func(w http.ResponseWriter, r *http.Request) { h.serve(&rt, w, r) })
		if allowed[rt.path] != "" {
			allowed[rt.path] += ", "
		}
		allowed[rt.path] += rt.method
		if rt.method == http.MethodGet {
			allowed[rt.path] += ", HEAD"
		}
	}
	for path, methods := range allowed {
		wrong := route{path: path, open: true, serve: func(x *exchange) error {
			x.w.Header().Set("Allow", methods)
			return problem(http.StatusMethodNotAllowed, "%s takes %s", path, methods)
		}}
		h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { h.serve(&wrong, w, r) })
	}
	h.mountDocs()
	unknown := route{open: true, serve: func(*exchange) error {
		return problem(http.StatusNotFound, "there is nothing here; /docs tells what there is, and /openapi.json the same for machines")
	}}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.serve(&unknown, w, r) })
}

// serve runs one call.
func (h *Handler) serve(rt *route, w http.ResponseWriter, r *http.Request) {
	x := &exchange{h: h, route: rt, w: w, r: r, began: time.Now()}
	x.run(x.begin)
	if x.parked != nil && x.park() {
		return // It goes on elsewhere.
	}
	if x.aborted {
		panic(http.ErrAbortHandler)
	}
}

// begin does all of a call that does not wait, and else what comes before.
func (x *exchange) begin() error {
	if err := x.admit(); err != nil {
		return err
	}
	return x.route.serve(x)
}

// admit lets the caller in or says why not.
func (x *exchange) admit() error {
	if x.route.open {
		return nil
	}
	p := x.unseal()
	var who *caller
	if p == nil {
		who, p = x.h.keys.admit(x.r)
	}
	if p != nil {
		x.h.log.Warn("call refused", "call_id", x.id(), "remote", x.r.RemoteAddr, "status", p.Status, "reason", p.Detail)
		return p
	}
	x.who = who
	if x.h.keys.anonymous == nil && !who.has(x.route.scope) {
		return problem(http.StatusForbidden, "this token lacks the scope %q", x.route.scope)
	}
	return nil
}

// owns reports whether the caller may know of the record.
func (c *caller) owns(r *bridge.Record) bool { return r.Tenant == c.Tenant || c.admin() }

// storeBudget bounds a call's own look at the store.
const storeBudget = 10 * time.Second

func budget(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, storeBudget, fmt.Errorf("%w: too slow", bridge.ErrUnavailable))
}

// budgetBefore is budget for what a call does before it waits. A client that goes
// away does not stop that, since a context which once had another under it holds
// the memory for that as long as it lives, which is as long as the call waits.
func budgetBefore(ctx context.Context) (context.Context, context.CancelFunc) {
	return budget(context.WithoutCancel(ctx))
}
