package api

import (
	"net/http"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
)

// entrance is who may call.
type entrance struct {
	gate  *access.Gate
	seals seals
}

// Admit has callers judged by another gate before the same bridge from now on, those of
// calls that wait or stream before they are told anything more. What an agent has used of
// its limits still counts where they are the same.
func (h *Handler) Admit(g *access.Gate) {
	if old := h.entrance.Load(); old != nil {
		g.Inherit(old.gate)
	}
	h.entrance.Store(&entrance{g, newSeals(g.Hashes())})
}

// reload takes over the changed configuration: POST /v1/reload.
func (x *exchange) reload() error {
	if x.h.opts.Reload == nil {
		return problem(http.StatusNotFound, "this bridge has no configuration to read again")
	}
	changed, err := x.h.opts.Reload(x.caller())
	if err != nil {
		return problem(http.StatusUnprocessableEntity, "nothing was taken over: %s", err)
	}
	if changed == nil {
		changed = []string{}
	}
	return x.reply(http.StatusOK, client.Reloaded{Changed: changed})
}
