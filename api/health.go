package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/platform"
)

// readyBudget is the time limit of the probe.
const readyBudget = 2 * time.Second

func liveness(x *exchange) error {
	return x.reply(http.StatusOK, Health{Status: "ok"})
}

// partStore is the part that a probe may select, and partBridge the one that always counts.
const (
	partStore  = "store"
	partBridge = "bridge"
)

// readiness reports whether the replica can take calls. Probes that remove failing replicas should
// use part=store: when a platform is down, questions can still be asked, and answered on the
// others.
func readiness(x *exchange) error {
	only := x.r.URL.Query().Get("part")
	if only != "" && only != partStore {
		return problem(http.StatusUnprocessableEntity, "part can be "+partStore+" alone").at("part", "is no part that can be asked for")
	}
	var parts []Ailing
	if x.s.draining.Err() != nil {
		parts = append(parts, Ailing{Part: partBridge, Detail: "shutting down"})
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), readyBudget)
	defer cancel()
	if err := x.s.bridge.Ready(ctx); err != nil {
		ailing := slices.DeleteFunc(ailments(err), func(a Ailing) bool { return only != "" && a.Part != only && a.Part != partBridge })
		if len(ailing) > 0 {
			x.s.log.Warn("not ready", "error", err)
		}
		parts = append(parts, ailing...)
	}
	if len(parts) > 0 {
		return x.reply(http.StatusServiceUnavailable, Health{Status: "unready", Parts: parts})
	}
	if only == "" && x.s.opts.Degraded != nil {
		parts = x.s.opts.Degraded()
	}
	return x.reply(http.StatusOK, Health{Status: "ok", Parts: parts})
}

// ailments splits a joined error. Platform codes and the kind of a store error are public;
// other errors may contain host names, so only the part is shown.
func ailments(err error) []Ailing {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []Ailing
		for _, e := range joined.Unwrap() {
			all = append(all, ailments(e)...)
		}
		return all
	}
	ailing := Ailing{Part: partBridge, Detail: "unavailable"}
	if part, ok := errors.AsType[*bridge.PartError](err); ok {
		ailing.Part = part.Part
	}
	platform, _ := errors.AsType[*platform.Error](err)
	store, _ := errors.AsType[*bridge.StoreError](err)
	switch {
	case platform != nil:
		ailing.Detail = platform.Code
	case store != nil:
		ailing.Detail = string(store.Kind)
	case errors.Is(err, bridge.ErrClosed):
		ailing.Detail = "closed"
	}
	return []Ailing{ailing}
}

func openAPI(x *exchange) error {
	data, err := x.s.document()
	if err != nil {
		return err
	}
	x.send(http.StatusOK, "application/openapi+json", data)
	return nil
}
