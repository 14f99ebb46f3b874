package metrics

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// Other stands for every value of a label that is not configured.
const Other = "_other"

// Options are what is known before anything happens.
type Options struct {
	// Version is that of the program.
	Version string
	// Connections are how many connections on which events arrive each platform has made;
	// without an entry it has none.
	Connections map[string]func() int64
	// Agents are those that are configured; requests of others are counted as [Other].
	Agents []string
	// Platforms are those that are configured.
	Platforms []string
}

// Metrics counts what it is told. Make one with [New]. It is a [bridge.Observer].
type Metrics struct {
	registry *prometheus.Registry
	agents   atomic.Pointer[[]string]
	// met are the agents with tokens that were made while the program runs, as many as metN.
	met     sync.Map
	meeting sync.Mutex
	metN    int

	asked, ended                               *prometheus.CounterVec
	toPost, toAnswer, toAcknowledge            *prometheus.HistogramVec
	toDeliver                                  prometheus.Histogram
	acts, calls, putOff, webhooks, storeDone   *prometheus.CounterVec
	callTime, waited, storeTime                *prometheus.HistogramVec
	storeRetries                               prometheus.Counter
	served, refused                            *prometheus.CounterVec
	audited, unaudited                         *prometheus.CounterVec
	up                                         *prometheus.GaugeVec
	open                                       *prometheus.GaugeVec
	parked, oldestOpen, oldestUnposted, counts prometheus.Gauge
}

var (
	// people are the buckets of what people take: from a second to a week.
	people = []float64{1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 86400, 3 * 86400, 7 * 86400}
	// posting are the buckets of what a card takes to stand: queues reach into minutes.
	posting = []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}
	// reacting are those of an acknowledgement, which platforms wait three seconds for
	// (https://docs.slack.dev/interactivity/handling-user-interaction).
	reacting = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 1.5, 2, 2.5, 3, 5}
	// calling are those of a call over a network.
	calling = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
)

// New returns metrics of which nothing has happened yet.
func New(o Options) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "askbridge", Name: name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "askbridge", Name: name, Help: help}, labels)
		m.registry.MustRegister(g)
		return g
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "askbridge", Name: name, Help: help, Buckets: buckets}, labels)
		m.registry.MustRegister(h)
		return h
	}
	m.asked = counter("requests_total", "Requests that were asked here.", "agent")
	m.ended = counter("requests_ended_total", "Requests that were ended here, by state and by the platform where somebody ended it.", "state", "platform")
	m.toPost = histogram("post_duration_seconds", "Time from the request to its card in front of people.", posting, "platform")
	m.toAnswer = histogram("answer_duration_seconds", "Time from the request to the answer that ended it.", people, "platform")
	m.toAcknowledge = histogram("acknowledge_duration_seconds", "Time from a press to its acknowledgement, recording included.", reacting, "platform")
	m.toDeliver = histogram("webhook_delivery_duration_seconds", "Time from the end of a request until its webhook was taken.", people).WithLabelValues().(prometheus.Histogram)
	m.acts = counter("acts_total", "What people did, by verdict; unsaved when the store did not take it.", "platform", "verdict")
	m.calls = counter("platform_calls_total", "Calls to a platform, by how they ended.", "platform", "op", "result")
	m.callTime = histogram("platform_call_duration_seconds", "Time of a call to a platform.", calling, "platform", "op")
	m.putOff = counter("deliveries_put_off_total", "Cards that are posted or updated later, by reason; pace when they wait for their turn.", "platform", "op", "reason")
	m.waited = histogram("platform_wait_seconds", "Time that a card has to wait because of a platform's limits.", posting, "platform", "reason")
	m.webhooks = counter("webhook_calls_total", "Calls of webhooks, by how they ended.", "result")
	m.storeDone = counter("store_operations_total", "Operations of the store, by how they ended.", "op", "result")
	m.storeTime = histogram("store_operation_duration_seconds", "Time of an operation of the store.", calling, "op")
	m.storeRetries = counter("store_conflicts_total", "Changes that were made again because another writer was faster.").WithLabelValues()
	m.served = counter("http_requests_total", "Calls of the HTTP API, by route and status.", "route", "method", "code")
	m.refused = counter("refusals_total", "Calls that were refused, by reason.", "reason")
	m.audited = counter("audit_lines_total", "Events that were written to the audit trail, and to each kind of copy.", "to")
	m.unaudited = counter("audit_failures_total", "Attempts to write the audit trail, or a copy, that failed.", "to")
	m.up = gauge("platform_up", "Whether a platform is connected and takes our credentials.", "platform")
	for platform, opened := range o.Connections {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: "askbridge", Name: "platform_connections_total", Help: "Connections on which events of a platform arrive that were made.",
			ConstLabels: prometheus.Labels{"platform": platform},
		}, func() float64 { return float64(opened()) }))
	}
	m.open = gauge("requests_open", "Open requests of the whole store, by delivery of their cards and by age.", "delivery", "age")
	m.parked = gauge("callers_parked", "Callers that wait here for requests to end.").WithLabelValues()
	m.oldestOpen = gauge("oldest_open_request_timestamp_seconds", "When the oldest open request was asked; 0 when none is open.").WithLabelValues()
	m.oldestUnposted = gauge("oldest_unposted_request_timestamp_seconds",
		"When the oldest open request was asked of which nobody sees a card; 0 when there is none.").WithLabelValues()
	m.counts = gauge("requests_open_counted", "Whether all open requests were counted; 0 when there are too many.").WithLabelValues()
	gauge("build_info", "The version of the program; always 1.", "version", "goversion").WithLabelValues(o.Version, runtime.Version()).Set(1)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.Agents(o.Agents)
	m.begin(o.Platforms)
	return m
}

// Agents says which are configured from now on. The series of those that are not any
// more stay as they are until the program ends.
func (m *Metrics) Agents(names []string) {
	names = slices.Clone(names)
	m.agents.Store(&names)
	for _, agent := range append(names, Other) {
		m.asked.WithLabelValues(agent)
	}
}

// maxMet is how many agents with tokens made at run time have a label of their own.
const maxMet = 100

// Known says that an agent has a token which was made while the program runs. The first
// hundred have a label of their own, all others are [Other].
func (m *Metrics) Known(agent string) {
	m.meeting.Lock()
	defer m.meeting.Unlock()
	if _, met := m.met.Load(agent); met || m.metN == maxMet || slices.Contains(*m.agents.Load(), agent) {
		return
	}
	m.metN++
	m.met.Store(agent, nil)
	m.asked.WithLabelValues(agent)
}

// AuditWrote counts events that were written to the audit trail, or to a kind of copy.
func (m *Metrics) AuditWrote(to string, lines int) { m.audited.WithLabelValues(to).Add(float64(lines)) }

// AuditFailed counts an attempt to do so that failed.
func (m *Metrics) AuditFailed(to string, _ error) { m.unaudited.WithLabelValues(to).Inc() }

// begin makes the series whose first event must be seen as an increase.
func (m *Metrics) begin(platforms []string) {
	m.audited.WithLabelValues("trail")
	m.unaudited.WithLabelValues("trail")
	for _, reason := range refusals {
		m.refused.WithLabelValues(reason)
	}
	for _, result := range []string{resultTaken, resultFailed, resultStopped} {
		m.webhooks.WithLabelValues(result)
	}
	for _, op := range storeOps {
		m.storeDone.WithLabelValues(op, resultOK)
		m.storeDone.WithLabelValues(op, resultError)
		m.storeTime.WithLabelValues(op)
	}
	for _, p := range platforms {
		m.up.WithLabelValues(p)
		m.acts.WithLabelValues(p, unsaved)
		for _, histogram := range []*prometheus.HistogramVec{m.toPost, m.toAnswer, m.toAcknowledge} {
			histogram.WithLabelValues(p)
		}
		for _, op := range []string{"post", "update"} {
			m.calls.WithLabelValues(p, op, resultOK)
			m.callTime.WithLabelValues(p, op)
			for _, kind := range kinds {
				m.calls.WithLabelValues(p, op, string(kind))
			}
		}
		m.putOff.WithLabelValues(p, "post", reasonPace)
		m.waited.WithLabelValues(p, reasonPace)
		m.waited.WithLabelValues(p, string(platform.RateLimited))
		m.ended.WithLabelValues(string(ask.Answered), p)
	}
	for _, state := range []ask.State{ask.Cancelled, ask.Expired, ask.Superseded, ask.Failed} {
		m.ended.WithLabelValues(string(state), nowhere)
	}
	m.openCounts(nil)
}

// Handler serves the metrics in the formats of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true, MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// Gatherer is what tests look at.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Why a call is refused.
var refusals = []string{"unauthorized", "forbidden", "misdirected", "throttled"}

// Served counts a call of the HTTP API, by the route it was for and never by its path.
func (m *Metrics) Served(route, method string, status int) {
	m.served.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	switch status {
	case http.StatusUnauthorized:
		m.refused.WithLabelValues(refusals[0]).Inc()
	case http.StatusForbidden:
		m.refused.WithLabelValues(refusals[1]).Inc()
	case http.StatusMisdirectedRequest:
		m.refused.WithLabelValues(refusals[2]).Inc()
	case http.StatusTooManyRequests:
		m.refused.WithLabelValues(refusals[3]).Inc()
	}
}
