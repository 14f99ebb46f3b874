package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/connlimit"
	"github.com/askbridge/askbridge/internal/hijack"
)

const (
	// DefaultMaxWait caps ?wait unless [Options.MaxWait] says otherwise: proxies
	// commonly cut calls that say nothing for longer.
	DefaultMaxWait = 60 * time.Second
	// MaxBody is the most bytes a body may have.
	MaxBody = 64 << 10
	// MaxRequest is the most that one of a new request may have, which may have files.
	MaxRequest = 1 << 20
)

// Options are the settings of the API. Nil means the defaults.
type Options struct {
	// MaxWait caps ?wait; zero means [DefaultMaxWait].
	MaxWait time.Duration
	// Hosts are the names under which agents call, beside those of loopback; a
	// call under another is refused. None means any name: then it is the token
	// alone that lets a caller in.
	Hosts []string
	// TrustedProxies are the proxies whose X-Forwarded-For is believed. From
	// where anybody else's call comes is the address of its connection.
	TrustedProxies []netip.Prefix
	// Version stands in the OpenAPI document.
	Version string
	// Logger receives a line for each call; nil discards.
	Logger *slog.Logger
	// Reload takes over what has changed in the configuration, on somebody's word, and returns what that is,
	// or an error that says everything that keeps it from doing so. Nil means that there is nothing to reload.
	Reload func(by string) (changed []string, err error)
	// Audit keeps the audit trail; nil where none is kept.
	Audit Auditor
	// Erase takes texts out of a share of what is stored, on somebody's word. What names
	// nothing is an [*ask.InvalidError]. Nil where nothing can be erased.
	Erase func(ctx context.Context, e client.Erase, by string) (*client.Erased, error)
	// Observe is told of each call when it has ended: the route's pattern and method,
	// never what was sent, and the status. Nil costs nothing.
	Observe func(route, method string, status int)
}

// Handler is the API. Make one with [New].
type Handler struct {
	// entrance is who may call, until somebody else may.
	entrance atomic.Pointer[entrance]

	bridge *bridge.Bridge
	opts   Options
	log    *slog.Logger
	cross  *http.CrossOriginProtection
	mux    *http.ServeMux

	document func() ([]byte, error)

	draining context.Context //nolint:containedctx // The handler's life, which every parked call leans on.
	drain    context.CancelFunc
	sleepers sleepers     // streams that wait
	lines    hijack.Lines // connections that wait
}

// New returns the API of the bridge behind a gate, or an error that names
// everything wrong with the options. Where the gate lets callers in without a
// token, the API answers under loopback names only.
func New(g *access.Gate, opts *Options) (*Handler, error) {
	h := &Handler{
		bridge: g.Bridge(), cross: http.NewCrossOriginProtection(),
		log: slog.New(slog.DiscardHandler), mux: http.NewServeMux(),
	}
	h.Admit(g)
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
	h.lines.Drain()
	h.sleepers.rouse()
}

// Drained closes, after [Handler.Drain], the connections of those who were parked and call
// no more, and waits until all have been told. [http.Server.Shutdown] does not wait for them: it does not know
// connections that were taken from it. It returns ctx's error when ctx ends
// first.
func (h *Handler) Drained(ctx context.Context) error {
	h.lines.Close()
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
	h.mountPages()
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
	if err := x.checkQuery(); err != nil {
		return err
	}
	return x.route.serve(x)
}

// admit lets the caller in or says why not.
func (x *exchange) admit() error {
	if x.route.open {
		return nil
	}
	who, err := x.identify()
	if err != nil {
		p, level := problemOf(err), slog.LevelWarn
		if p.Status == http.StatusTooManyRequests {
			level = slog.LevelDebug // There have been enough of them in the log.
		}
		x.h.log.Log(x.r.Context(), level, "call refused", "call_id", x.id(), "remote", x.h.remote(x.r), "status", p.Status, "reason", p.Detail)
		return err
	}
	x.who = who
	connlimit.Verified(x.r.Context())
	return who.Enter(x.route.scope)
}

// identify tells who calls, with a sealed token or a plain one.
func (x *exchange) identify() (*access.Caller, error) {
	if err := x.unseal(); err != nil {
		return nil, err
	}
	return x.h.admit(x.r)
}

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
