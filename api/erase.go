package api

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/client"
)

// erase takes texts out of a share of what is stored: POST /v1/erase.
func (x *exchange) erase() error {
	if x.h.opts.Erase == nil {
		return problem(http.StatusNotFound, "this bridge has no store of its own to erase from")
	}
	data, err := x.parse()
	if err != nil {
		return err
	}
	var e client.Erase
	if err := json.Unmarshal(data, &e); err != nil {
		return problem(http.StatusBadRequest, `send {"person":"slack:U…"}, {"request":"…"} or {"ended_before":"2026-06-01T00:00:00Z"}`)
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
