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

// Other replaces label values that are not configured.
const Other = "_other"

// Options are the known label values.
type Options struct {
	// Version of the program.
	Version string
	// Connections returns, by platform, how many event connections it has opened. A platform without an
	// entry has none.
	Connections map[string]func() int64
	// Installations counts, by platform, where an app that others install is installed.
	Installations map[string]func() Installations
	// Agents are the configured agents. Others are counted as [Other].
	Agents []string
	// Platforms are the configured platforms.
	Platforms []string
}

// Installations are numbers of installations by the state of their token, and of refreshes of tokens.
type Installations struct {
	Working, Stuck, Dead int
	Refreshed, Failed    int64
}

// Metrics is a [bridge.Observer] that counts what it observes.
type Metrics struct {
	registry *prometheus.Registry
	agents   atomic.Pointer[[]string]
	// met are the agents with tokens created at run time, and metN their number.
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
	// people are buckets for the time people take: a second to a week.
	people = []float64{1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 86400, 3 * 86400, 7 * 86400}
	// posting are buckets for the time until a card is posted: queues can take minutes.
	posting = []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}
	// reacting are buckets for acknowledgements, which platforms expect within three seconds
	// (https://docs.slack.dev/interactivity/handling-user-interaction).
	reacting = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 1.5, 2, 2.5, 3, 5}
	// calling are buckets for network calls.
	calling = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
)

// New returns metrics with all counters at zero.
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
	m.asked = counter("requests_total", "Requests asked on this replica.", "agent")
	m.ended = counter("requests_ended_total", "Requests ended by this replica, by state and by the platform of the person.", "state", "platform")
	m.toPost = histogram("post_duration_seconds", "Time from the request to its posted card.", posting, "platform")
	m.toAnswer = histogram("answer_duration_seconds", "Time from the request to the answer that ended it.", people, "platform")
	m.toAcknowledge = histogram("acknowledge_duration_seconds", "Time from a click to its acknowledgement, including the write.", reacting, "platform")
	m.toDeliver = histogram("webhook_delivery_duration_seconds", "Time from the end of a request until its webhook was accepted.", people).WithLabelValues().(prometheus.Histogram)
	m.acts = counter("acts_total", "Interactions, by verdict; unsaved when the store rejected the write.", "platform", "verdict")
	m.calls = counter("platform_calls_total", "Calls to a platform, by result.", "platform", "op", "result")
	m.callTime = histogram("platform_call_duration_seconds", "Duration of a call to a platform.", calling, "platform", "op")
	m.putOff = counter("deliveries_put_off_total", "Postponed posts and updates of cards, by reason; pace is our own rate limit.", "platform", "op", "reason")
	m.waited = histogram("platform_wait_seconds", "Time a card waits because of a platform's limits.", posting, "platform", "reason")
	m.webhooks = counter("webhook_calls_total", "Webhook calls, by result.", "result")
	m.storeDone = counter("store_operations_total", "Store operations, by result.", "op", "result")
	m.storeTime = histogram("store_operation_duration_seconds", "Duration of a store operation.", calling, "op")
	m.storeRetries = counter("store_conflicts_total", "Changes repeated because another writer was faster.").WithLabelValues()
	m.served = counter("http_requests_total", "Calls of the HTTP API, by route and status.", "route", "method", "code")
	m.refused = counter("refusals_total", "Refused calls, by reason.", "reason")
	m.audited = counter("audit_lines_total", "Events written to the audit trail and to each kind of copy.", "to")
	m.unaudited = counter("audit_failures_total", "Failed attempts to write the audit trail or a copy.", "to")
	m.up = gauge("platform_up", "Whether a platform is connected and accepts our credentials.", "platform")
	for platform, opened := range o.Connections {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: "askbridge", Name: "platform_connections_total", Help: "Event connections opened to a platform.",
			ConstLabels: prometheus.Labels{"platform": platform},
		}, func() float64 { return float64(opened()) }))
	}
	for platform, counted := range o.Installations {
		m.install(platform, counted)
	}
	m.open = gauge("requests_open", "Open requests in the store, by state of their cards and by age.", "delivery", "age")
	m.parked = gauge("callers_parked", "Callers waiting on this replica.").WithLabelValues()
	m.oldestOpen = gauge("oldest_open_request_timestamp_seconds", "When the oldest open request was asked; 0 when none is open.").WithLabelValues()
	m.oldestUnposted = gauge("oldest_unposted_request_timestamp_seconds",
		"When the oldest open request without a posted card was asked; 0 when there is none.").WithLabelValues()
	m.counts = gauge("requests_open_counted", "Whether all open requests were counted; 0 when there are too many.").WithLabelValues()
	gauge("build_info", "The version of the program; always 1.", "version", "goversion").WithLabelValues(o.Version, runtime.Version()).Set(1)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.Agents(o.Agents)
	m.begin(o.Platforms)
	return m
}

// install adds the metrics of an app that others install.
func (m *Metrics) install(platform string, counted func() Installations) {
	for state, number := range map[string]func(Installations) int{
		"working": func(i Installations) int { return i.Working },
		"stuck":   func(i Installations) int { return i.Stuck },
		"dead":    func(i Installations) int { return i.Dead },
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "askbridge", Name: "installations", Help: "Installations of the app, by the state of their token.",
			ConstLabels: prometheus.Labels{"platform": platform, "state": state},
		}, func() float64 { return float64(number(counted())) }))
	}
	for result, number := range map[string]func(Installations) int64{
		"ok":     func(i Installations) int64 { return i.Refreshed },
		"failed": func(i Installations) int64 { return i.Failed },
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: "askbridge", Name: "token_refreshes_total", Help: "Refreshes of the tokens of installations, by result.",
			ConstLabels: prometheus.Labels{"platform": platform, "result": result},
		}, func() float64 { return float64(number(counted())) }))
	}
}

// Agents replaces the configured agents. The series of removed ones remain until the program ends.
func (m *Metrics) Agents(names []string) {
	names = slices.Clone(names)
	m.agents.Store(&names)
	for _, agent := range append(names, Other) {
		m.asked.WithLabelValues(agent)
	}
}

// maxMet is how many agents with tokens created at run time have their own label.
const maxMet = 100

// Known adds an agent with a token created at run time. The first hundred have their own label; others
// are [Other].
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

// AuditWrote counts events written to the audit trail or a kind of copy.
func (m *Metrics) AuditWrote(to string, lines int) { m.audited.WithLabelValues(to).Add(float64(lines)) }

// AuditFailed counts a failed attempt to do so.
func (m *Metrics) AuditFailed(to string, _ error) { m.unaudited.WithLabelValues(to).Inc() }

// begin creates series whose first event must appear as an increase.
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

// Handler serves the metrics in Prometheus formats.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true, MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// Gatherer is for tests.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Why calls are refused.
var refusals = []string{"unauthorized", "forbidden", "misdirected", "throttled"}

// Served counts a call of the HTTP API by its route, never by its path.
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
