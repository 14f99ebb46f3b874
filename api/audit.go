package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
)

// exportAudit lists the trail: GET /v1/audit.
func exportAudit(x *exchange) error {
	if x.s.opts.Audit == nil {
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
	p, err := x.s.opts.Audit.Page(ctx, q)
	if err != nil {
		return auditProblem(err)
	}
	return x.reply(http.StatusOK, p)
}

// eraseAudit redacts texts in the trail: POST /v1/audit/erase.
func eraseAudit(x *exchange) error {
	if x.s.opts.Audit == nil {
		return noAudit()
	}
	var e client.AuditErase
	if err := x.parseForm(&e, true, notErased, `send {"tenant":"…","person":"slack:U…"} or {"tenant":"…","request":"…"}`); err != nil {
		return err
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	erased, err := x.s.opts.Audit.Erase(ctx, e, x.caller())
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
		p := problem(http.StatusUnprocessableEntity, "nothing was erased")
		p.Errors = remarks(invalid.Problems)
		return p
	}
	return err
}

// caller returns the caller's name for lists and trails.
func (x *exchange) caller() string { return x.who.By() }

// audited is [Audited] on behalf of the caller.
func audited(ctx context.Context, x *exchange, kind, detail string, do func() error) error {
	return Audited(ctx, x.s.opts.Audit, x.s.log.With("call_id", x.id()), kind, x.caller(), detail, do)
}

// Audited performs an action that the audit trail must record. It records the action before it
// starts, so that nothing happens unrecorded, and once more if it failed. An action that took
// effect here but not on enough replicas counts as done. Audited returns the error of do, or
// that of the first record without calling do; a failure of the second record is logged.
// Without a trail it only calls do.
func Audited(ctx context.Context, trail Auditor, log *slog.Logger, kind, by, detail string, do func() error) error {
	if trail == nil {
		return do()
	}
	if err := trail.Note(ctx, kind, by, detail); err != nil {
		return fmt.Errorf("cannot write to the audit trail: %w", err)
	}
	err := do()
	if err != nil && !errors.Is(err, bridge.ErrNotReplicated) {
		if noted := trail.Note(ctx, kind+"_failed", by, detail); noted != nil {
			log.Error("audit record of a failed action missing", "kind", kind, "error", noted)
		}
	}
	return err
}
