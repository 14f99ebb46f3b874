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
	// DefaultMaxWait is the default of [Options.MaxWait]: proxies commonly close calls that are
	// idle for longer.
	DefaultMaxWait = 60 * time.Second
	// MaxBody is the maximum size of a body in bytes.
	MaxBody = 64 << 10
	// MaxRequest is the maximum size of a new request, which may contain files.
	MaxRequest = 1 << 20
)

// Options are the settings of the API. Nil means the defaults.
type Options struct {
	// MaxWait caps ?wait; zero means [DefaultMaxWait].
	MaxWait time.Duration
	// Hosts are the host names under which agents call, in addition to loopback names; other
	// names are rejected. Empty allows any name: then only the token restricts access.
	Hosts []string
	// TrustedProxies are the proxies whose X-Forwarded-For is used. For other callers the
	// address is that of the connection.
	TrustedProxies []netip.Prefix
	// Version is the version in the OpenAPI document.
	Version string
	// Logger receives an entry per call; nil discards.
	Logger *slog.Logger
	// Reload applies changes of the configuration on behalf of by and returns the changes, or
	// an error that lists every obstacle. Nil means that there is nothing to reload.
	Reload func(by string) (changed []string, err error)
	// Audit keeps the audit trail; nil if there is none.
	Audit Auditor
	// Erase erases texts from a batch of stored requests, on behalf of by. An empty selection
	// is an [*ask.InvalidError]. Nil if erasing is not supported.
	Erase func(ctx context.Context, e client.Erase, by string) (*client.Erased, error)
	// Observe is called at the end of each call with the route's pattern, the method and the
	// status. It may be nil.
	Observe func(route, method string, status int)
}

// Handler is the API. Create one with [New].
type Handler struct {
	// entrance is the current gate and bridge; [Handler.Admit] replaces it.
	entrance atomic.Pointer[entrance]

	bridge *bridge.Bridge
	opts   Options
	log    *slog.Logger
	cross  *http.CrossOriginProtection
	mux    *http.ServeMux

	document func() ([]byte, error)

	draining context.Context //nolint:containedctx // The handler's life, which every parked call leans on.
	drain    context.CancelFunc
	sleepers sleepers     // waiting streams
	lines    hijack.Lines // waiting connections
}

// New returns the API of the bridge behind a gate, or an error that lists everything wrong with
// the options. If the gate admits callers without a token, the API is served under loopback
// host names only.
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

// Drain ends waiting calls with a Retry-After, ends event streams and makes /readyz fail. Other
// calls are still served. Call it before the server shuts down, while the bridge still runs;
// see [http.Server.RegisterOnShutdown]. Then call [Handler.Drained].
func (h *Handler) Drain() {
	h.drain()
	h.lines.Drain()
	h.sleepers.rouse()
}

// Drained waits, after [Handler.Drain], until all waiting calls have their response, and closes
// their idle connections. [http.Server.Shutdown] does not wait for them because they were taken
// over from the server. It returns ctx's error if ctx ends first.
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

// mount registers every route. Other paths get a problem body too.
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
		return problem(http.StatusNotFound, "not found; see /docs, or /openapi.json for programs")
	}}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.serve(&unknown, w, r) })
}

// serve handles one call.
func (h *Handler) serve(rt *route, w http.ResponseWriter, r *http.Request) {
	x := &exchange{h: h, route: rt, w: w, r: r, began: time.Now()}
	x.run(x.begin)
	if x.parked != nil && x.park() {
		return // Another goroutine continues it.
	}
	if x.aborted {
		panic(http.ErrAbortHandler)
	}
}

// begin executes a call up to its end or its wait.
func (x *exchange) begin() error {
	if err := x.admit(); err != nil {
		return err
	}
	if err := x.checkQuery(); err != nil {
		return err
	}
	return x.route.serve(x)
}

// admit authorizes the caller or returns an error.
func (x *exchange) admit() error {
	if x.route.open {
		return nil
	}
	who, err := x.identify()
	if err != nil {
		p, level := problemOf(err), slog.LevelWarn
		if p.Status == http.StatusTooManyRequests {
			level = slog.LevelDebug // There are enough of them in the log.
		}
		x.h.log.Log(x.r.Context(), level, "call refused", "call_id", x.id(), "remote", x.h.remote(x.r), "status", p.Status, "reason", p.Detail)
		return err
	}
	x.who = who
	connlimit.Verified(x.r.Context())
	return who.Enter(x.route.scope)
}

// identify identifies the caller by a sealed or a plain token.
func (x *exchange) identify() (*access.Caller, error) {
	if err := x.unseal(); err != nil {
		return nil, err
	}
	return x.h.admit(x.r)
}

// storeBudget limits a call's own access to the store.
const storeBudget = 10 * time.Second

func budget(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, storeBudget, fmt.Errorf("%w: too slow", bridge.ErrUnavailable))
}

// budgetBefore is budget for work before a wait. It is not cancelled when the client
// disconnects, since a context that once had a child keeps the memory for children as long as
// it lives, which is as long as the call waits.
func budgetBefore(ctx context.Context) (context.Context, context.CancelFunc) {
	return budget(context.WithoutCancel(ctx))
}
