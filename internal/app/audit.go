package app

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/audit"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
)

// Audit is the audit trail in the words of the API: that of a running bridge, or of a store
// that none stands before.
type Audit struct {
	log    *audit.Log
	key    string
	close  func() error
	erased atomic.Bool
}

var _ api.Auditor = (*Audit)(nil)

func newAudit(c *config.Config, kv keyvalue.Store) (*Audit, ed25519.PrivateKey, error) {
	key, err := audit.ParseKey(c.Audit.Key.Reveal())
	if err != nil {
		return nil, nil, err
	}
	keep := time.Duration(cmp.Or(c.Audit.KeepFor, c.Store.Retention))
	return &Audit{log: audit.NewLog(kv, key, keep), key: audit.Public(key), close: func() error { return nil }}, key, nil
}

// OpenAudit opens the trail in the store of a configuration. A store in a file has to be
// let go of by askbridge serve.
func OpenAudit(ctx context.Context, cfg *config.Config, log *slog.Logger) (*Audit, error) {
	if !cfg.Audit.On() {
		return nil, errors.New("the configuration has no audit, so there is no trail")
	}
	s, err := OpenStore(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	a, _, err := newAudit(cfg, s.KeyValue())
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	a.close = s.Close
	if kept, is := s.(*file.Store); is {
		a.close = func() error {
			err := s.Close()
			if a.erased.Load() {
				err = errors.Join(err, file.Compact(kept.Path()))
			}
			return err
		}
	}
	return a, nil
}

// Close lets go of the store. What was erased is not left in the free part of a file either.
func (a *Audit) Close() error { return a.close() }

// Tenants are those that have a chain, and the empty one for what is no request.
func (a *Audit) Tenants(ctx context.Context) (all []string, err error) {
	heads, err := a.log.Heads(ctx)
	for _, h := range heads {
		all = append(all, h.Tenant)
	}
	return all, err
}

// Audit is [client.Client.Audit].
func (a *Audit) Audit(ctx context.Context, q client.AuditQuery) (*client.AuditPage, error) {
	return a.Page(ctx, q)
}

// EraseAudit is [client.Client.EraseAudit].
func (a *Audit) EraseAudit(ctx context.Context, e client.AuditErase) (*client.AuditErased, error) {
	return a.Erase(ctx, e, access.Operator)
}

// Page implements [api.Auditor].
func (a *Audit) Page(ctx context.Context, q client.AuditQuery) (*client.AuditPage, error) {
	p, err := a.log.Page(ctx, q.Tenant, q.Cursor, q.Texts)
	if err != nil {
		return nil, auditError(err)
	}
	return &client.AuditPage{Trail: string(p.Trail), Next: p.Next, Key: a.key}, nil
}

// Erase implements [api.Auditor].
func (a *Audit) Erase(ctx context.Context, e client.AuditErase, by string) (*client.AuditErased, error) {
	if err := checkPerson(e.Person); err != nil {
		return nil, err
	}
	return a.eraseBefore(ctx, e, time.Time{}, by)
}

// eraseBefore is Erase of what happened before a moment; zero is all.
func (a *Audit) eraseBefore(ctx context.Context, e client.AuditErase, before time.Time, by string) (*client.AuditErased, error) {
	a.erased.Store(true)
	n, next, err := a.log.Erase(ctx, audit.Erasure{Tenant: e.Tenant, Request: e.Request, Person: e.Person, By: by, Before: before}, e.Cursor)
	if err != nil {
		return nil, auditError(err)
	}
	return &client.AuditErased{Lines: n, Next: next}, nil
}

// Note implements [api.Auditor].
func (a *Audit) Note(ctx context.Context, kind, by, detail string) error {
	return a.log.Note(ctx, audit.Line{Kind: kind, By: by, Detail: detail})
}

// auditError is a mistake of whoever called in the words of all such mistakes.
func auditError(err error) error {
	path := ""
	switch {
	case errors.Is(err, audit.ErrCursor), errors.Is(err, audit.ErrErasureCursor):
		path = "cursor"
	case errors.Is(err, audit.ErrErasure):
		path = "person"
	case errors.Is(err, keyvalue.ErrInvalid):
		path = "tenant"
	default:
		return err
	}
	return &ask.InvalidError{Problems: []ask.Problem{{Path: path, Detail: strings.TrimPrefix(err.Error(), "audit: ")}}}
}

// trail is the trail of the running program: who keeps it, and who writes it.
type trail struct {
	*Audit

	exporter *audit.Exporter
}

// newTrail makes the trail where the configuration wants one, else nil.
func (a *App) newTrail(s bridge.Store) (*trail, error) {
	if !a.cfg.Audit.On() || a.values == nil {
		return nil, nil //nolint:nilnil // No trail is no mistake.
	}
	c := a.cfg.Audit
	kept, _, err := newAudit(a.cfg, a.values)
	if err != nil {
		return nil, err
	}
	o := audit.Options{Logger: a.log, MaxLag: time.Duration(c.MaxLag)}
	if c.File != "" {
		o.Devices = append(o.Devices, audit.File{Path: c.File})
	}
	if c.Stdout {
		o.Devices = append(o.Devices, &audit.Stream{Label: "stdout", To: os.Stdout})
	}
	if c.Webhook.URL != "" {
		o.Devices = append(o.Devices, audit.Webhook{Address: c.Webhook.URL, Secret: c.Webhook.Secret.Reveal()})
	}
	if a.metrics != nil {
		// A path or an address is no label.
		kind := func(to string) string {
			word, _, _ := strings.Cut(to, " ")
			return word
		}
		o.Wrote = func(to string, lines int) { a.metrics.AuditWrote(kind(to), lines) }
		o.Failed = func(to string, err error) { a.metrics.AuditFailed(kind(to), err) }
	}
	return &trail{kept, audit.NewExporter(kept.log, s, o)}, nil
}

// auditor is the trail as the API keeps it, nil where there is none.
func (a *App) auditor() api.Auditor {
	if a.trail == nil {
		return nil
	}
	return a.trail
}

// started notes that the program begins, and with which configuration.
func (t *trail) started(ctx context.Context, a *App) error {
	return t.Note(ctx, "started", access.Operator, fmt.Sprintf("askbridge %s, configuration %s", a.opts.Version, fingerprint(a.cfg)))
}

// noteTime is how long a note may take that people wait for.
const noteTime = 5 * time.Second

// noteReload has the trail tell which settings and agents change, and then the store which
// keys it is sealed with from now on; nil are no other ones. The store is told last: it does
// not open any more without a key that it may be sealed with.
func (a *App) noteReload(by string, next *config.Config, changed []string, ring *seal.Ring) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), noteTime, errors.New("the store could not note the reload in time"))
	defer cancel()
	detail := []string{strings.Join(changed, ",")}
	said := difference(a.cfg, next)
	for n := 0; n+1 < len(said); n += 2 {
		detail = append(detail, fmt.Sprintf("%v=%v", said[n], said[n+1]))
	}
	detail = append(detail, "now "+fingerprint(next))
	return api.Audited(ctx, a.auditor(), a.log, "configuration", by, strings.Join(detail, " "), func() error {
		if ring == nil {
			return nil
		}
		return store.UseKeys(ctx, a.sealing, ring)
	})
}

// export writes the trail until stop is called, which leaves what the bridge did last to
// the next start, or to another replica.
func (a *App) export(ctx context.Context) (stop func()) {
	if a.trail == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.trail.exporter.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// fingerprint tells configurations apart, and nothing of their secrets.
func fingerprint(cfg *config.Config) string {
	data, err := json.Marshal(cfg) // Secrets are written as [redacted].
	if err != nil {
		return "unknown"
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
