package api

import (
	"net/http"

	"github.com/askbridge/askbridge/client"
)

// reloadConfig applies the changed configuration: POST /v1/reload.
func reloadConfig(x *exchange) error {
	if x.s.opts.Reload == nil {
		return problem(http.StatusNotFound, "this bridge has no configuration to read again")
	}
	changed, err := x.s.opts.Reload(x.caller())
	if err != nil {
		return problem(http.StatusUnprocessableEntity, "nothing was changed: %s", err)
	}
	if changed == nil {
		changed = []string{}
	}
	return x.reply(http.StatusOK, client.Reloaded{Changed: changed})
}
