package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/askbridge/askbridge/access"
)

// Handler is the API. Create one with [New].
type Handler struct {
	service *service
	mux     *http.ServeMux
}

// New returns the API of the bridge behind a gate, or an error that lists everything wrong with
// the options. If the gate admits callers without a token, the API is served under loopback
// host names only.
func New(g *access.Gate, opts *Options) (*Handler, error) {
	s := &service{bridge: g.Bridge(), cross: http.NewCrossOriginProtection(), log: slog.New(slog.DiscardHandler)}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Logger != nil {
		s.log = s.opts.Logger
	}
	if s.opts.MaxWait == 0 {
		s.opts.MaxWait = DefaultMaxWait
	}
	if s.opts.MaxWait < 0 {
		return nil, errors.New("api: max wait: must not be negative")
	}
	s.document = sync.OnceValues(func() ([]byte, error) { return document(s.opts.Version, routes()) })
	s.draining, s.drain = context.WithCancel(context.Background())
	h := &Handler{service: s, mux: http.NewServeMux()}
	h.Admit(g)
	h.mount()
	return h, nil
}

// Drain ends waiting calls with a Retry-After, ends event streams and makes /readyz fail. Other
// calls are still served. Call it before the server shuts down, while the bridge still runs;
// see [http.Server.RegisterOnShutdown]. Then call [Handler.Drained].
func (h *Handler) Drain() {
	h.service.drain()
	h.service.lines.Drain()
	h.service.sleepers.rouse()
}

// Drained waits, after [Handler.Drain], until all waiting calls have their response, and closes
// their idle connections. [http.Server.Shutdown] does not wait for them because they were taken
// over from the server. It returns ctx's error if ctx ends first.
func (h *Handler) Drained(ctx context.Context) error {
	h.service.lines.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.service.lines.Wait()
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
		h.mux.HandleFunc(rt.method+" "+rt.path, func(w http.ResponseWriter, r *http.Request) { h.service.serve(&rt, w, r) })
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
		h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { h.service.serve(&wrong, w, r) })
	}
	h.mountPages()
	unknown := route{open: true, serve: func(*exchange) error {
		return problem(http.StatusNotFound, "not found; see /docs, or /openapi.json for programs")
	}}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.service.serve(&unknown, w, r) })
}

// Admit replaces the gate. Waiting and streaming calls are checked against it before they get
// any more data. Usage already counted against an agent's limits carries over if the limits are
// the same.
func (h *Handler) Admit(g *access.Gate) {
	if old := h.service.entrance.Load(); old != nil {
		g.Inherit(old.gate)
	}
	h.service.entrance.Store(&entrance{g, newSeals(g.Hashes())})
}
