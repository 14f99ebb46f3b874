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

// backup copies the store: POST /v1/backup.
func backup(x *exchange) error {
	if x.s.opts.Backup == nil {
		return problem(http.StatusNotFound, "this bridge makes no copies: its configuration names no store.backup, which a store of type file can have")
	}
	made, err := x.s.opts.Backup(x.r.Context(), x.caller())
	if err != nil {
		return problem(http.StatusServiceUnavailable, "no copy was made, and an earlier one is unchanged: %s", err)
	}
	return x.reply(http.StatusOK, made)
}
