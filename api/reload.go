package api

import (
	"net/http"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
)

// entrance is the current access configuration.
type entrance struct {
	gate  *access.Gate
	seals seals
}

// Admit replaces the gate. Waiting and streaming calls are checked against it before they get
// any more data. Usage already counted against an agent's limits carries over if the limits are
// the same.
func (h *Handler) Admit(g *access.Gate) {
	if old := h.entrance.Load(); old != nil {
		g.Inherit(old.gate)
	}
	h.entrance.Store(&entrance{g, newSeals(g.Hashes())})
}

// reload applies the changed configuration: POST /v1/reload.
func (x *exchange) reload() error {
	if x.h.opts.Reload == nil {
		return problem(http.StatusNotFound, "this bridge has no configuration to read again")
	}
	changed, err := x.h.opts.Reload(x.caller())
	if err != nil {
		return problem(http.StatusUnprocessableEntity, "nothing was changed: %s", err)
	}
	if changed == nil {
		changed = []string{}
	}
	return x.reply(http.StatusOK, client.Reloaded{Changed: changed})
}
