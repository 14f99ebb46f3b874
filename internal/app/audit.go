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
	"github.com/askbridge/askbridge/internal/app/numbers"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
)

// Audit implements the API's audit operations, for a running bridge or for a store that is not in use.
type Audit struct {
	log    *audit.Log
	key    string
	people bool // Whether Stats counts single people.
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
	return &Audit{log: audit.NewLog(kv, key, keep), key: audit.Public(key), people: c.Audit.CountPeople, close: func() error { return nil }}, key, nil
}

// OpenAudit opens the trail in the configured store. If it is a file, askbridge serve must not be
// running.
func OpenAudit(ctx context.Context, cfg *config.Config, log *slog.Logger) (*Audit, error) {
	if !cfg.Audit.On() {
		return nil, errors.New("no audit trail is configured")
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

// Close closes the store. It also removes erased texts from the free pages of a file.
func (a *Audit) Close() error { return a.close() }

// Tenants returns the tenants that have a chain. The empty one is for events that belong to no request.
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

// Stats implements [api.Auditor].
func (a *Audit) Stats(ctx context.Context, q client.StatsQuery) (*client.Stats, error) {
	return numbers.Count(a.log.Since(ctx, q.Tenant, q.Since), q.Since, q.Until, a.people)
}

// Erase implements [api.Auditor].
func (a *Audit) Erase(ctx context.Context, e client.AuditErase, by string) (*client.AuditErased, error) {
	if err := checkPerson(e.Person); err != nil {
		return nil, err
	}
	return a.eraseBefore(ctx, e, time.Time{}, by)
}

// eraseBefore erases texts of events before a time; zero is all.
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

// auditError converts mistakes of the caller to an [*ask.InvalidError].
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

// trail is the trail of the running program and its exporter.
type trail struct {
	*Audit

	exporter *audit.Exporter
}

// newTrail creates the configured trail, or returns nil.
func (a *App) newTrail(s bridge.Store) (*trail, error) {
	if !a.cfg.Audit.On() || a.values == nil {
		return nil, nil //nolint:nilnil // No trail is no mistake.
	}
	c := a.cfg.Audit
	kept, _, err := newAudit(a.cfg, a.values)
	if err != nil {
		return nil, err
	}
	o := audit.Options{Logger: a.log, MaxLag: time.Duration(c.MaxLag), Permalink: a.permalink}
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
		// Labels must not contain paths and addresses.
		kind := func(to string) string {
			word, _, _ := strings.Cut(to, " ")
			return word
		}
		o.Wrote = func(to string, lines int) { a.metrics.AuditWrote(kind(to), lines) }
		o.Failed = func(to string, err error) { a.metrics.AuditFailed(kind(to), err) }
	}
	return &trail{kept, audit.NewExporter(kept.log, s, o)}, nil
}

// auditor returns the trail for the API; nil if there is none.
func (a *App) auditor() api.Auditor {
	if a.trail == nil {
		return nil
	}
	return a.trail
}

// started records the start of the program and its configuration.
func (t *trail) started(ctx context.Context, a *App) error {
	return t.Note(ctx, "started", access.Operator, fmt.Sprintf("askbridge %s, configuration %s", a.opts.Version, fingerprint(a.cfg)))
}

// noteTime limits how long people wait for a note.
const noteTime = 5 * time.Second

// noteReload records the changed settings and agents in the trail, then switches the store to new keys
// unless they are nil. The store comes last: it does not open without a key that it may be encrypted
// with.
func (a *App) noteReload(by string, next *config.Config, changed []string, ring *seal.Ring) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), noteTime, errors.New("note the reload: timeout"))
	defer cancel()
	detail := []string{strings.Join(changed, ",")}
	settings := difference(a.cfg, next)
	for n := 0; n+1 < len(settings); n += 2 {
		detail = append(detail, fmt.Sprintf("%v=%v", settings[n], settings[n+1]))
	}
	detail = append(detail, "now "+fingerprint(next))
	return api.Audited(ctx, a.auditor(), a.log, "configuration", by, strings.Join(detail, " "), func() error {
		if ring == nil {
			return nil
		}
		return store.UseKeys(ctx, a.sealing, ring)
	})
}

// export runs the exporter until stop is called. The next start or another replica exports what
// remains.
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

// fingerprint identifies a configuration without revealing secrets.
func fingerprint(cfg *config.Config) string {
	data, err := json.Marshal(cfg) // Secrets are written as [redacted].
	if err != nil {
		return "unknown"
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
