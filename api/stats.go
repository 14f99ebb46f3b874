package api

import (
	"net/http"
	"net/url"
	"time"

	"github.com/askbridge/askbridge/client"
)

const (
	// defaultPeriod is the period that [showStats] counts by default, and maxPeriod the longest.
	defaultPeriod = 7 * 24 * time.Hour
	maxPeriod     = 366 * 24 * time.Hour
)

// showStats counts requests: GET /v1/stats.
func showStats(x *exchange) error {
	if x.s.opts.Audit == nil {
		return noAudit()
	}
	q, err := statsQuery(x.r.URL.Query(), time.Now().UTC())
	if err != nil {
		return err
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	s, err := x.s.opts.Audit.Stats(ctx, q)
	if err != nil {
		return err
	}
	return x.reply(http.StatusOK, s)
}

// statsQuery reads the parameters of [showStats].
func statsQuery(query url.Values, now time.Time) (client.StatsQuery, error) {
	q := client.StatsQuery{Until: now}
	p := problem(http.StatusUnprocessableEntity, "nothing was counted")
	for _, limit := range []struct {
		name string
		at   *time.Time
	}{{"since", &q.Since}, {"until", &q.Until}} {
		if text := query.Get(limit.name); text != "" {
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				p = p.at(limit.name, "is not a time such as 2026-11-24T09:30:00Z")
			}
			*limit.at = at.UTC()
		}
	}
	if query.Get("since") == "" {
		q.Since = q.Until.Add(-defaultPeriod)
	}
	switch {
	case len(p.Errors) > 0:
	case !q.Since.Before(q.Until):
		p = p.at("since", "is not before until")
	case q.Until.Sub(q.Since) > maxPeriod:
		p = p.at("since", "is more than 366 days before until")
	}
	if len(p.Errors) > 0 {
		return q, p
	}
	if query.Has("tenant") {
		q.Tenant = new(query.Get("tenant"))
	}
	return q, nil
}
