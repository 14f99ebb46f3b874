package metrics

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

func newMetrics() *Metrics {
	return New(Options{Version: "1.2.3", Agents: []string{"deploy-bot"}, Platforms: []string{"slack"}})
}

func TestInstallationsAreCounted(t *testing.T) {
	t.Parallel()
	m := New(Options{Platforms: []string{"slack"}, Installations: map[string]func() Installations{
		"slack": func() Installations { return Installations{Working: 40, Stuck: 2, Dead: 1, Refreshed: 80, Failed: 3} },
	}})
	for state, want := range map[string]float64{"working": 40, "stuck": 2, "dead": 1} {
		if got := value(t, m, "askbridge_installations", map[string]string{"platform": "slack", "state": state}); got != want {
			t.Errorf("%s: %v, want %v", state, got, want)
		}
	}
	for result, want := range map[string]float64{"ok": 80, "failed": 3} {
		if got := value(t, m, "askbridge_token_refreshes_total", map[string]string{"platform": "slack", "result": result}); got != want {
			t.Errorf("refreshes %s: %v, want %v", result, got, want)
		}
	}
}

// value returns the value of the series with these labels, or the count of a histogram. It is
// negative if there is no such series.
func value(t *testing.T, m *Metrics, name string, labels map[string]string) float64 {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, series := range family.GetMetric() {
			fits := true
			for _, l := range series.GetLabel() {
				want, named := labels[l.GetName()]
				fits = fits && (!named || want == l.GetValue())
			}
			switch {
			case !fits:
			case series.Counter != nil:
				return series.Counter.GetValue()
			case series.Gauge != nil:
				return series.Gauge.GetValue()
			default:
				return float64(series.Histogram.GetSampleCount())
			}
		}
	}
	return -1
}

func TestMetricNamesAndUnits(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	everything(m)
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "askbridge_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// everything triggers every event that a bridge reports.
func everything(m *Metrics) {
	asked := &bridge.Record{Agent: "deploy-bot", Created: time.Now().Add(-time.Minute)}
	answered := *asked
	answered.EndedAt, answered.Outcome.State = time.Now(), ask.Answered
	late := &platform.Error{Platform: "slack", Op: "chat.postMessage", Kind: platform.RateLimited}
	for _, o := range []bridge.Observation{
		{What: bridge.RequestAsked, Record: asked},
		{What: bridge.RequestAsked, Record: &bridge.Record{Agent: "somebody"}},
		{What: bridge.RequestEnded, Record: &answered, Platform: "slack"},
		{What: bridge.RequestEnded, Record: &bridge.Record{Outcome: ask.Outcome{State: ask.Expired}}},
		{What: bridge.ActJudged, Platform: "slack", Verdict: record.Completed},
		{What: bridge.ActJudged, Platform: "slack", Verdict: record.Forbidden},
		{What: bridge.ActJudged, Platform: "slack", Err: errors.New("away")},
		{What: bridge.ActAcknowledged, Platform: "slack", Took: time.Second},
		{What: bridge.PlatformCalled, Platform: "slack", Op: "post"},
		{What: bridge.PlatformCalled, Platform: "slack", Op: "post", Err: late},
		{What: bridge.PlatformCalled, Platform: "slack", Op: "post", Err: &platform.Error{Kind: "novel"}},
		{What: bridge.CardPosted, Platform: "slack", Record: asked, Took: time.Second},
		{What: bridge.DeliveryPutOff, Platform: "slack", Op: "post", Wait: time.Second},
		{What: bridge.DeliveryPutOff, Platform: "slack", Op: "update", Wait: time.Second, Err: late},
		{What: bridge.AgentCalled, Record: &answered},
		{What: bridge.AgentCalled, Record: &answered, Err: errors.New("500")},
		{What: bridge.AgentCalled, Record: &answered, Err: &bridge.CallError{Stop: true, Err: errors.New("410")}},
	} {
		m.Observe(o)
	}
	m.AuditWrote("trail", 3)
	m.AuditFailed("file", errors.New("no space left"))
	for _, status := range []int{200, 401, 403, 421, 429} {
		m.Served("/v1/requests", "POST", status)
	}
}

func TestEventsAreCountedOnce(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	everything(m)
	for _, test := range []struct {
		name   string
		labels map[string]string
		want   float64
	}{
		{"askbridge_requests_total", map[string]string{"agent": "deploy-bot"}, 1},
		{"askbridge_requests_total", map[string]string{"agent": Other}, 1},
		{"askbridge_requests_total", map[string]string{"agent": "somebody"}, -1},
		{"askbridge_requests_ended_total", map[string]string{"state": "answered", "platform": "slack"}, 1},
		{"askbridge_requests_ended_total", map[string]string{"state": "expired", "platform": "none"}, 1},
		{"askbridge_requests_ended_total", map[string]string{"state": "failed"}, 0},
		{"askbridge_answer_duration_seconds", map[string]string{"platform": "slack"}, 1},
		{"askbridge_acts_total", map[string]string{"verdict": "completed"}, 1},
		{"askbridge_acts_total", map[string]string{"verdict": "forbidden"}, 1},
		{"askbridge_acts_total", map[string]string{"verdict": "unsaved"}, 1},
		{"askbridge_acknowledge_duration_seconds", nil, 1},
		{"askbridge_post_duration_seconds", nil, 1},
		{"askbridge_platform_calls_total", map[string]string{"op": "post", "result": "ok"}, 1},
		{"askbridge_platform_calls_total", map[string]string{"op": "post", "result": "rate_limited"}, 1},
		{"askbridge_platform_calls_total", map[string]string{"op": "post", "result": "error"}, 1},
		{"askbridge_platform_calls_total", map[string]string{"op": "post", "result": "novel"}, -1},
		{"askbridge_deliveries_put_off_total", map[string]string{"reason": "pace"}, 1},
		{"askbridge_deliveries_put_off_total", map[string]string{"reason": "rate_limited", "op": "update"}, 1},
		{"askbridge_platform_wait_seconds", map[string]string{"reason": "rate_limited"}, 1},
		{"askbridge_webhook_calls_total", map[string]string{"result": "taken"}, 1},
		{"askbridge_webhook_calls_total", map[string]string{"result": "failed"}, 1},
		{"askbridge_webhook_calls_total", map[string]string{"result": "stopped"}, 1},
		{"askbridge_webhook_delivery_duration_seconds", nil, 1},
		{"askbridge_http_requests_total", map[string]string{"code": "200"}, 1},
		{"askbridge_refusals_total", map[string]string{"reason": "unauthorized"}, 1},
		{"askbridge_refusals_total", map[string]string{"reason": "forbidden"}, 1},
		{"askbridge_refusals_total", map[string]string{"reason": "misdirected"}, 1},
		{"askbridge_refusals_total", map[string]string{"reason": "throttled"}, 1},
	} {
		if got := value(t, m, test.name, test.labels); got != test.want {
			t.Errorf("%s%v is %v, want %v", test.name, test.labels, got, test.want)
		}
	}
}

func TestWebhookOfOpenRequest(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	m.Observe(bridge.Observation{What: bridge.AgentCalled, Record: &bridge.Record{Created: time.Now(), Outcome: ask.Outcome{State: ask.Open}}})
	if n := value(t, m, "askbridge_webhook_delivery_duration_seconds", nil); n != 0 {
		t.Errorf("%v open requests in the histogram of times since the end", n)
	}
	if n := value(t, m, "askbridge_webhook_calls_total", map[string]string{"result": "taken"}); n != 1 {
		t.Errorf("%v webhooks counted as delivered, want 1", n)
	}
}

func TestOpenRequestGauges(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	now := time.Now()
	made := func(age time.Duration, copies ...bridge.Copy) bridge.Record {
		return bridge.Record{Created: now.Add(-age), Copies: copies}
	}
	posted, pending := bridge.Copy{State: record.Posted}, bridge.Copy{State: record.Pending}
	m.openCounts([]bridge.Record{
		made(time.Second, posted), made(2*time.Second, posted), made(2*time.Minute, pending),
		made(3*time.Hour, pending, bridge.Copy{State: record.Undeliverable}), made(50*time.Hour, posted),
	})
	for _, test := range []struct {
		delivery, age string
		want          float64
	}{{standing, "1m", 2}, {waiting, "1h", 1}, {troubled, "1d", 1}, {standing, "older", 1}, {waiting, "1m", 0}} {
		if got := value(t, m, "askbridge_requests_open", map[string]string{"delivery": test.delivery, "age": test.age}); got != test.want {
			t.Errorf("%s, %s: %v, want %v", test.delivery, test.age, got, test.want)
		}
	}
	if got, want := value(t, m, "askbridge_oldest_open_request_timestamp_seconds", nil), unix(now.Add(-50*time.Hour)); got != want {
		t.Errorf("oldest request: %v, want %v", got, want)
	}
	if got, want := value(t, m, "askbridge_oldest_unposted_request_timestamp_seconds", nil), unix(now.Add(-3*time.Hour)); got != want {
		t.Errorf("oldest undelivered request: %v, want %v", got, want)
	}
	m.openCounts(nil)
	if got := value(t, m, "askbridge_oldest_unposted_request_timestamp_seconds", nil); got != 0 {
		t.Errorf("without open requests: %v", got)
	}
}

// failing is a store whose updates conflict and whose loads fail.
type failing struct{ bridge.Store }

func (failing) Load(context.Context, string) (bridge.Record, error) {
	return bridge.Record{}, bridge.ErrUnavailable
}

func (failing) Change(_ context.Context, _ string, f bridge.Transition) (bridge.Record, error) {
	var r bridge.Record
	for range 3 {
		if err := f(&r, time.Now()); err != nil {
			return r, err
		}
	}
	return r, bridge.ErrNotReplicated
}

func TestStoreMetrics(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	s := m.Store(failing{})
	if _, err := s.Load(t.Context(), "r1"); !errors.Is(err, bridge.ErrUnavailable) {
		t.Error(err)
	}
	if _, err := s.Change(t.Context(), "r1", func(*bridge.Record, time.Time) error { return nil }); !errors.Is(err, bridge.ErrNotReplicated) {
		t.Error(err)
	}
	if s.(bridge.WriteBehinder).WriteBehind("r1", nil, nil) {
		t.Error("wrapped store defers writes although its store cannot")
	}
	if _, known := s.(bridge.OutcomeCache).Ended("r1"); known {
		t.Error("wrapped store has outcomes although its store has none")
	}
	for name, want := range map[string]float64{"askbridge_store_conflicts_total": 2, "askbridge_store_operation_duration_seconds": 1} {
		if got := value(t, m, name, map[string]string{"op": "change"}); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := value(t, m, "askbridge_store_operations_total", map[string]string{"op": "load", "result": "error"}); got != 1 {
		t.Errorf("%v errors", got)
	}
}

func TestSeriesLimit(t *testing.T) {
	t.Parallel()
	o := Options{Platforms: []string{"slack", "discord"}}
	for n := range 10 {
		o.Agents = append(o.Agents, strings.Repeat("a", n+1))
	}
	m := New(o)
	everything(m)
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	series := 0
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "askbridge_") {
			series++
		}
	}
	if series == 0 || series > 2000 {
		t.Errorf("%d series", series)
	}
}
