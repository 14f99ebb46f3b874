package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
)

// Auditor keeps the trail that auditors read.
type Auditor interface {
	// Page returns a share of the trail. A cursor that is none is an [*ask.InvalidError].
	Page(ctx context.Context, q client.AuditQuery) (*client.AuditPage, error)
	// Erase takes texts out of a share of the trail, on somebody's word. What names nobody
	// is an [*ask.InvalidError].
	Erase(ctx context.Context, e client.AuditErase, by string) (*client.AuditErased, error)
	// Note has the trail tell what somebody is about to do that is no request, or that it
	// did not come to that. What cannot be noted is not done.
	Note(ctx context.Context, kind, by, detail string) error
}

// audit shows the trail: GET /v1/audit.
func (x *exchange) audit() error {
	if x.h.opts.Audit == nil {
		return noAudit()
	}
	query := x.r.URL.Query()
	q := client.AuditQuery{Cursor: query.Get("cursor")}
	if query.Has("tenant") {
		q.Tenant = new(query.Get("tenant"))
	}
	switch query.Get("texts") {
	case "", "false":
	case "true":
		q.Texts = true
	default:
		return parameter("texts", "is neither true nor false")
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	p, err := x.h.opts.Audit.Page(ctx, q)
	if err != nil {
		return auditProblem(err)
	}
	return x.reply(http.StatusOK, p)
}

// eraseAudit takes texts out of the trail: POST /v1/audit/erase.
func (x *exchange) eraseAudit() error {
	if x.h.opts.Audit == nil {
		return noAudit()
	}
	var e client.AuditErase
	if err := x.parseForm(&e, true, notErased, `send {"tenant":"…","person":"slack:U…"} or {"tenant":"…","request":"…"}`); err != nil {
		return err
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	erased, err := x.h.opts.Audit.Erase(ctx, e, x.caller())
	if err != nil {
		return auditProblem(err)
	}
	return x.reply(http.StatusOK, erased)
}

func noAudit() error {
	return problem(http.StatusNotFound, "this bridge keeps no audit trail: its configuration has no audit")
}

func auditProblem(err error) error {
	if invalid, ok := errors.AsType[*ask.InvalidError](err); ok {
		p := problem(http.StatusUnprocessableEntity, "nothing was done")
		p.Errors = remarks(invalid.Problems)
		return p
	}
	return err
}

// caller is who calls, for lists and trails.
func (x *exchange) caller() string { return cmp.Or(x.who.Name, access.Operator) }

// audited is [Audited] on the caller's word.
func (x *exchange) audited(ctx context.Context, kind, detail string, do func() error) error {
	return Audited(ctx, x.h.opts.Audit, x.h.log.With("call_id", x.id()), kind, x.caller(), detail, do)
}

// Audited does something on somebody's word that the audit trail tells of: before, so that
// nothing is done that it does not know, and once more where it came to nothing. What holds
// here, on too few replicas, did not. It returns the error of do, or that of the first line
// without doing anything; the log tells where the second one could not be written. Without a
// trail it just does it.
func Audited(ctx context.Context, trail Auditor, log *slog.Logger, kind, by, detail string, do func() error) error {
	if trail == nil {
		return do()
	}
	if err := trail.Note(ctx, kind, by, detail); err != nil {
		return fmt.Errorf("the audit trail cannot be told: %w", err)
	}
	err := do()
	if err != nil && !errors.Is(err, bridge.ErrNotReplicated) {
		if noted := trail.Note(ctx, kind+"_failed", by, detail); noted != nil {
			log.Error("the audit trail does not say that it came to nothing", "kind", kind, "error", noted)
		}
	}
	return err
}
