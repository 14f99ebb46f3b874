package api

import (
	"errors"
	"net/http"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/client"
)

// notErased is the result of an invalid erasure. Unknown members are an error too: a misspelled
// one may have limited the erasure, which cannot be undone.
const notErased = "nothing was erased"

// eraseTexts erases texts from a batch of stored requests: POST /v1/erase.
func eraseTexts(x *exchange) error {
	if x.s.opts.Erase == nil {
		return problem(http.StatusNotFound, "this bridge has no store to erase from")
	}
	var e client.Erase
	if err := x.parseForm(&e, true, notErased, `send {"person":"slack:U…"}, {"request":"…"} or {"ended_before":"2026-06-01T00:00:00Z"}`); err != nil {
		return err
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	erased, err := x.s.opts.Erase(ctx, e, x.caller())
	if errors.Is(err, record.ErrStillOpen) {
		return problem(http.StatusConflict, "this request is still open: end it first")
	}
	if err != nil {
		return auditProblem(err)
	}
	return x.reply(http.StatusOK, erased)
}
