// Package metrics exports Prometheus metrics of a bridge.
//
//	bridge ── Observer ──▶ Metrics ──▶ registry ──▶ GET /metrics
//	store  ── Store(s) ──▶
//	API    ── Served ────▶
//
// Names and units follow https://prometheus.io/docs/practices/naming/. All labels have a bounded set
// of values that strangers cannot choose: configured platforms and agents, constants, and routes of
// the API. No label contains an ID or a person.
package metrics
