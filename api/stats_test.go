package api

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/client"
)

// counting is an auditor that keeps what it is asked to count.
type counting struct {
	Auditor

	asked client.StatsQuery
}

func (c *counting) Stats(_ context.Context, q client.StatsQuery) (*client.Stats, error) {
	c.asked = q
	return &client.Stats{Since: q.Since, Until: q.Until, Routes: []client.Share{}, Agents: []client.Share{}}, nil
}

func TestStatsPeriod(t *testing.T) {
	opts, auditor := granting(), &counting{}
	opts.Audit = auditor
	bubble(t, opts, func(t *testing.T, w *fixture) {
		now := time.Now().UTC()
		for query, want := range map[string]client.StatsQuery{
			"":                                   {Since: now.Add(-7 * 24 * time.Hour), Until: now},
			"?until=1999-12-31T00:00:00Z":        {Since: time.Date(1999, 12, 24, 0, 0, 0, 0, time.UTC), Until: time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)},
			"?since=1999-12-31T01:00:00%2B01:00": {Since: time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC), Until: now},
			"?tenant=ops":                        {Since: now.Add(-7 * 24 * time.Hour), Until: now, Tenant: new("ops")},
			"?tenant=":                           {Since: now.Add(-7 * 24 * time.Hour), Until: now, Tenant: new("")},
		} {
			w.call("token-root", "GET", "/v1/stats"+query, "").want(t, http.StatusOK)
			got := auditor.asked
			if !got.Since.Equal(want.Since) || !got.Until.Equal(want.Until) || (got.Tenant == nil) != (want.Tenant == nil) || got.Tenant != nil && *got.Tenant != *want.Tenant {
				t.Errorf("%s counts %+v, want %+v", query, got, want)
			}
		}
		for query, want := range map[string]string{
			"?since=yesterday":            `"path":"since"`,
			"?since=yesterday&until=soon": `"path":"until"`,
			"?since=2999-01-01T00:00:00Z": "is not before until",
			"?since=1990-01-01T00:00:00Z": "more than 366 days",
			"?sice=x":                     "did you mean since?",
		} {
			if got := w.call("token-root", "GET", "/v1/stats"+query, "").want(t, http.StatusUnprocessableEntity); !strings.Contains(got.body, want) {
				t.Errorf("%s: %s, want %s", query, got.body, want)
			}
		}
	})
}

func TestStatsNeedTrail(t *testing.T) {
	bubble(t, granting(), func(t *testing.T, w *fixture) {
		if got := w.call("token-root", "GET", "/v1/stats", "").want(t, http.StatusNotFound); !strings.Contains(got.body, "no audit trail") {
			t.Errorf("problem: %s", got.body)
		}
	})
}
