package traces

import (
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
)

const (
	agentTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	agentSpan  = "00f067aa0ba902b7"
	sampled    = "00-" + agentTrace + "-" + agentSpan + "-01"
	unsampled  = "00-" + agentTrace + "-" + agentSpan + "-00"
)

// collector receives spans as OTLP over HTTP.
type collector struct {
	*httptest.Server

	mu       sync.Mutex
	spans    []*tracepb.Span
	resource []*commonpb.KeyValue
	header   http.Header
	refuse   []int // The statuses of the next responses.
	calls    int
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	if len(c.refuse) > 0 {
		w.WriteHeader(c.refuse[0])
		c.refuse = c.refuse[1:]
		return
	}
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = z
	}
	data, err := io.ReadAll(body)
	var sent tracepb.TracesData
	if err == nil {
		err = proto.Unmarshal(data, &sent)
	}
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-protobuf" {
		http.Error(w, "this is no OTLP", http.StatusBadRequest)
		return
	}
	c.header = r.Header
	c.header.Set("Path", r.URL.Path)
	for _, of := range sent.GetResourceSpans() {
		c.resource = of.GetResource().GetAttributes()
		for _, scope := range of.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
}

// named returns the only span with a name.
func (c *collector) named(t *testing.T, name string) *tracepb.Span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var found *tracepb.Span
	for _, s := range c.spans {
		switch {
		case s.GetName() != name:
		case found != nil:
			t.Fatalf("two spans %q", name)
		default:
			found = s
		}
	}
	if found == nil {
		t.Fatalf("no span %q among %d", name, len(c.spans))
	}
	return found
}

func valueOf(all []*commonpb.KeyValue, key string) string {
	for _, kv := range all {
		if kv.GetKey() == key {
			return kv.GetValue().GetStringValue()
		}
	}
	return ""
}

// replica exports traces to a collector with additional variables.
func (c *collector) replica(t *testing.T, more ...string) *Traces {
	t.Helper()
	variables := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL}
	for _, pair := range more {
		name, value, _ := strings.Cut(pair, "=")
		variables[name] = value
	}
	tr, err := New(&Options{Version: "1.2.3", Getenv: func(name string) string { return variables[name] }})
	if err != nil || tr == nil {
		t.Fatalf("no traces: %v", err)
	}
	return tr
}

// asked returns a request, and the same one three days later.
func asked(traceParent string) (open, answered *bridge.Record) {
	open = &bridge.Record{
		ID: "07abcdefghijklmnopqrstuvwx", ToolCallID: "toolu_01", Agent: "deploy-bot", TraceParent: traceParent, TraceState: "rojo=00f067aa0ba902b7",
		Created: time.Now().Add(-72 * time.Hour), Outcome: ask.Outcome{State: ask.Open},
	}
	later := *open
	later.EndedAt, later.Outcome.State = time.Now(), ask.Answered
	return open, &later
}

func TestLateAnswerLinksToAsk(t *testing.T) {
	t.Parallel()
	for name, parent := range map[string]string{"of an agent that is traced": sampled, "of an agent that is not": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCollector(t)
			open, answered := asked(parent)
			first := c.replica(t)
			first.Observe(bridge.Observation{What: bridge.RequestAsked, Record: open, Took: time.Millisecond})
			first.Observe(bridge.Observation{What: bridge.PlatformCalled, Record: open, Platform: "slack", Op: "post", Took: time.Millisecond})
			first.Close(t.Context())
			// Another replica, long after the first one stopped.
			second := c.replica(t)
			second.Observe(bridge.Observation{What: bridge.RequestEnded, Record: answered, Platform: "slack"})
			second.Observe(bridge.Observation{What: bridge.ActAcknowledged, Record: answered, Platform: "slack", Verdict: record.Completed, Took: time.Second})
			second.Observe(bridge.Observation{What: bridge.AgentCalled, Record: answered, Took: time.Second, Err: errors.New("who said SQLite")})
			second.Close(t.Context())

			asking, posted, answer := c.named(t, "ask"), c.named(t, "post slack"), c.named(t, "answer")
			if parent != "" && (hex.EncodeToString(asking.GetTraceId()) != agentTrace || hex.EncodeToString(asking.GetParentSpanId()) != agentSpan) {
				t.Errorf("ask span is %x in parent %x, want a child of %s in %s", asking.GetTraceId(), asking.GetParentSpanId(), agentSpan, agentTrace)
			}
			if state := map[bool]string{true: "rojo=00f067aa0ba902b7"}[parent != ""]; asking.GetTraceState() != state {
				t.Errorf("trace state is %q, want %q", asking.GetTraceState(), state)
			}
			if parent == "" && len(asking.GetParentSpanId()) != 0 {
				t.Errorf("ask span has parent %x, want a root span", asking.GetParentSpanId())
			}
			if string(posted.GetParentSpanId()) != string(asking.GetSpanId()) || string(posted.GetTraceId()) != string(asking.GetTraceId()) {
				t.Error("post span is not a child of the ask span")
			}
			if string(answer.GetTraceId()) == string(asking.GetTraceId()) || len(answer.GetParentSpanId()) != 0 {
				t.Error("answer span is in the trace of the ask, want its own")
			}
			if links := answer.GetLinks(); len(links) != 1 || string(links[0].GetSpanId()) != string(asking.GetSpanId()) || string(links[0].GetTraceId()) != string(asking.GetTraceId()) {
				t.Errorf("answer span links to %v, want the ask %x", answer.GetLinks(), asking.GetSpanId())
			}
			for _, name := range []string{"act slack", "webhook"} {
				if s := c.named(t, name); string(s.GetParentSpanId()) != string(answer.GetSpanId()) || string(s.GetTraceId()) != string(answer.GetTraceId()) {
					t.Errorf("%s is not a child of the answer span", name)
				}
			}
			if act := c.named(t, "act slack"); time.Duration(act.GetEndTimeUnixNano()-act.GetStartTimeUnixNano()) < time.Second {
				t.Error("interaction span is too short")
			}
			if got := valueOf(answer.GetAttributes(), "gen_ai.tool.call.id"); got != "toolu_01" {
				t.Errorf("answer span has tool call %q", got)
			}
			if s := c.named(t, "webhook"); s.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR || strings.Contains(s.String(), "SQLite") {
				t.Errorf("a webhook that failed: %v", s)
			}
			if valueOf(c.resource, "service.name") != "askbridge" || valueOf(c.resource, "service.version") != "1.2.3" {
				t.Errorf("resource is %v", c.resource)
			}
		})
	}
}

func TestActWithoutOutcomeHasOwnTrace(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	open, _ := asked(sampled)
	tr := c.replica(t)
	tr.Observe(bridge.Observation{What: bridge.ActAcknowledged, Record: open, Platform: "discord", Verdict: record.Recorded})
	tr.Observe(bridge.Observation{What: bridge.ActAcknowledged, Platform: "discord"}) // Has no request.
	tr.Observe(bridge.Observation{What: bridge.CardPosted, Record: open})             // Covered by the span of its call.
	tr.Close(t.Context())
	act := c.named(t, "act discord")
	if len(c.spans) != 1 || len(act.GetLinks()) != 1 || hex.EncodeToString(act.GetLinks()[0].GetTraceId()) != agentTrace || len(act.GetParentSpanId()) != 0 {
		t.Errorf("%d spans, interaction: %v", len(c.spans), act)
	}
}

func TestUnsampledParentIsNotTraced(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	open, answered := asked(unsampled)
	tr := c.replica(t)
	tr.Observe(bridge.Observation{What: bridge.RequestAsked, Record: open})
	tr.Observe(bridge.Observation{What: bridge.RequestEnded, Record: answered})
	tr.Close(t.Context())
	if c.calls != 0 {
		t.Errorf("the collector was called %d times", c.calls)
	}
}

func TestExporterFollowsVariables(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	open, _ := asked("")
	tr := c.replica(t, "OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20key, x-team=a", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip")
	tr.Observe(bridge.Observation{What: bridge.RequestAsked, Record: open})
	tr.Close(t.Context())
	c.named(t, "ask")
	for name, want := range map[string]string{"Authorization": "Bearer key", "X-Team": "a", "User-Agent": "askbridge/1.2.3", "Path": "/v1/traces"} {
		if got := c.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestBusyCollectorIsRetried(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	c.refuse = []int{http.StatusServiceUnavailable}
	open, _ := asked("")
	tr := c.replica(t)
	tr.Observe(bridge.Observation{What: bridge.RequestAsked, Record: open})
	tr.Close(t.Context())
	c.named(t, "ask")
	if c.calls != 2 {
		t.Errorf("it was called %d times, want 2", c.calls)
	}
}

// A collector that accepts connections and never responds must not delay requests, and may delay
// a shutdown only for a bounded time.
func TestHangingCollectorBlocksNothing(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c := &collector{Server: &httptest.Server{URL: "http://" + ln.Addr().String()}}
	tr := c.replica(t)
	open, _ := asked(sampled)
	began := time.Now()
	for range 20_000 { // The queue has room for 2,048.
		tr.Observe(bridge.Observation{What: bridge.RequestAsked, Record: open})
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("20,000 observations took %s", took)
	}
	began = time.Now()
	tr.Close(t.Context())
	if took := time.Since(began); took > flushTime+20*time.Second {
		t.Errorf("closing took %s, want about %s", took, flushTime)
	}
}
