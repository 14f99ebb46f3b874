package page

import (
	_ "embed"
	"net/http"
)

// document is the OpenAPI document of the control API.
//
//go:embed openapi.json
var document []byte

// operations is the control API, which the page uses too. openapi.json describes the parameters
// and responses.
func (h *handler) operations() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /api/openapi.json": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = w.Write(document) // The caller may have disconnected.
		},
		"GET /api/setup":   h.setup,
		"GET /api/connect": h.connect,
		"GET /api/cases":   h.cases,

		"GET /api/state":    h.state,
		"PUT /api/people":   putting(h, func(p Account) string { return p.Platform }, Chat.PutPerson),
		"PUT /api/channels": putting(h, func(c Channel) string { return c.Platform }, Chat.PutChannel),
		"PUT /api/roles":    putting(h, func(r Role) string { return r.Platform }, Chat.PutRole),
		"PUT /api/delivery": h.deliver,
		"POST /api/clock":   h.clock,
		"POST /api/reset":   h.reset,

		"GET /api/workspaces": h.listWorkspaces,
		"PUT /api/workspaces": h.addWorkspace,
		"POST /api/install":   h.install,
		"POST /api/uninstall": h.uninstall,

		"POST /api/act":     h.act,
		"GET /api/sees":     h.sees,
		"GET /api/timeline": h.timeline,
		"GET /api/events":   h.stream,
		"GET /api/session":  h.session,
		"GET /api/inspect":  h.inspect,
		"GET /api/files":    h.file,

		"GET /api/faults":    h.faults,
		"POST /api/faults":   h.fault,
		"DELETE /api/faults": h.clearFaults,

		"GET /api/violations": h.violations,
		"POST /api/expect":    h.expect,
		"POST /api/verify":    h.verify,
		"GET /api/coverage":   h.coverage,
	}
}
