// Package metrics shows what a bridge does to Prometheus.
//
//	bridge ── Observer ──▶ Metrics ──▶ registry ──▶ GET /metrics
//	store  ── Store(s) ──▶
//	API    ── Served ────▶
//
// Names and units follow https://prometheus.io/docs/practices/naming/. Every label has a
// bounded set of values, none of which a stranger can choose: platforms and agents as
// configured, words of our own, routes of the API. No label holds an id or a person.
package metrics
