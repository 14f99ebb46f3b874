package api

import (
	"net/http"

	"github.com/askbridge/askbridge/access"
)

// Guard admits callers to the handlers that next creates: those whose token has the scope or,
// without agents, local ones. Others get the API's problem bodies, and so does a call with a
// query parameter that is not in query.
func (h *Handler) Guard(scope access.Scope, query []string, next func(*access.Caller) http.Handler) http.Handler {
	rt := &route{scope: scope, query: query, quiet: true, serve: func(x *exchange) error {
		if err := x.mayStay(); err != nil {
			return err
		}
		x.common()
		next(x.who).ServeHTTP(x.w, x.r)
		return nil
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.service.serve(rt, w, r) })
}
