package api

import (
	"errors"
	"net/http"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/client"
)

// notErased is what comes of a mistake in what to erase. A member that is not known is one: it may
// be a misspelt one that was to keep something, and what is erased does not come back.
const notErased = "nothing was erased"

// erase takes texts out of a share of what is stored: POST /v1/erase.
func (x *exchange) erase() error {
	if x.h.opts.Erase == nil {
		return problem(http.StatusNotFound, "this bridge has no store of its own to erase from")
	}
	var e client.Erase
	if err := x.parseForm(&e, true, notErased, `send {"person":"slack:U…"}, {"request":"…"} or {"ended_before":"2026-06-01T00:00:00Z"}`); err != nil {
		return err
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	erased, err := x.h.opts.Erase(ctx, e, x.caller())
	if errors.Is(err, record.ErrStillOpen) {
		return problem(http.StatusConflict, "this request is still open: end it first")
	}
	if err != nil {
		return auditProblem(err)
	}
	return x.reply(http.StatusOK, erased)
}
