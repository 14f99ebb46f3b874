package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
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
	// Backup copies the store on behalf of by; nil if the store has no place for copies.
	Backup func(ctx context.Context, by string) (*client.Backup, error)
	// Audit keeps the audit trail; nil if there is none.
	Audit Auditor
	// Erase erases texts from a batch of stored requests, on behalf of by. An empty selection
	// is an [*ask.InvalidError]. Nil if erasing is not supported.
	Erase func(ctx context.Context, e client.Erase, by string) (*client.Erased, error)
	// SignIn lets people sign in at the console; nil if they need a token.
	SignIn SignIn
	// Degraded returns what needs attention while the bridge is ready; nil if that is never known.
	Degraded func() []Ailing
	// Observe is called at the end of each call with the route's pattern, the method and the
	// status. It may be nil.
	Observe func(route, method string, status int)
}

// service is what all calls share: options, the current gate, and the calls that wait.
type service struct {
	// entrance is the current gate and bridge; [Handler.Admit] replaces it.
	entrance atomic.Pointer[entrance]

	bridge *bridge.Bridge
	opts   Options
	log    *slog.Logger
	cross  *http.CrossOriginProtection

	document func() ([]byte, error)

	draining context.Context //nolint:containedctx // The handler's life, which every parked call leans on.
	drain    context.CancelFunc
	sleepers sleepers     // waiting streams
	lines    hijack.Lines // waiting connections
}

// storeBudget limits a call's own access to the store.
const storeBudget = 10 * time.Second

// signInBudget limits a sign-in, which calls the provider up to four times.
const signInBudget = 30 * time.Second

func budget(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, storeBudget, fmt.Errorf("%w: too slow", bridge.ErrUnavailable))
}

// budgetBefore is budget for work before a wait. It is not cancelled when the client
// disconnects, since a context that once had a child keeps the memory for children as long as
// it lives, which is as long as the call waits.
func budgetBefore(ctx context.Context) (context.Context, context.CancelFunc) {
	return budget(context.WithoutCancel(ctx))
}

// entrance is the current access configuration.
type entrance struct {
	gate  *access.Gate
	seals seals
}

// Auditor keeps the audit trail.
type Auditor interface {
	// Page returns a page of the trail. An invalid cursor is an [*ask.InvalidError].
	Page(ctx context.Context, q client.AuditQuery) (*client.AuditPage, error)
	// Stats counts the requests that were asked in a period.
	Stats(ctx context.Context, q client.StatsQuery) (*client.Stats, error)
	// Erase redacts texts in a batch of the trail, on behalf of by. A selection without a
	// person or request is an [*ask.InvalidError].
	Erase(ctx context.Context, e client.AuditErase, by string) (*client.AuditErased, error)
	// Note records an operator's action that is not part of a request, before it happens, or
	// its failure. If it cannot be recorded the action must not happen.
	Note(ctx context.Context, kind, by, detail string) error
}
