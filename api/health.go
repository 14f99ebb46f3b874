package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// readyBudget is how long the probe looks.
const readyBudget = 2 * time.Second

func (x *exchange) live() error {
	return x.reply(http.StatusOK, Health{Status: "ok"})
}

func (x *exchange) ready() error {
	var parts []Ailing
	if x.h.draining.Err() != nil {
		parts = append(parts, Ailing{Part: "bridge", Detail: "shutting down"})
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), readyBudget)
	defer cancel()
	if err := x.h.bridge.Ready(ctx); err != nil {
		x.h.log.Warn("not ready", "error", err)
		parts = append(parts, ailments(err)...)
	}
	if len(parts) > 0 {
		return x.reply(http.StatusServiceUnavailable, Health{Status: "unready", Parts: parts})
	}
	return x.reply(http.StatusOK, Health{Status: "ok"})
}

// ailments takes a joined error apart. A platform's own word for what is wrong
// may be shown to anybody; anything else may name hosts, so only the part is.
func ailments(err error) []Ailing {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []Ailing
		for _, e := range joined.Unwrap() {
			all = append(all, ailments(e)...)
		}
		return all
	}
	ailing := Ailing{Part: "bridge", Detail: "unavailable"}
	if part, ok := errors.AsType[*bridge.PartError](err); ok {
		ailing.Part = part.Part
	}
	if pe, ok := errors.AsType[*bridge.PlatformError](err); ok {
		ailing.Detail = pe.Code
	} else if errors.Is(err, bridge.ErrClosed) {
		ailing.Detail = "closed"
	}
	return []Ailing{ailing}
}

func (x *exchange) openAPI() error {
	data, err := x.h.document()
	if err != nil {
		return err
	}
	x.send(http.StatusOK, "application/openapi+json", data)
	return nil
}
