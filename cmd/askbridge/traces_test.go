package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"syscall"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// spans is a collector that hands on what it takes.
func spans(t *testing.T) (address string, taken <-chan *tracepb.Span) {
	t.Helper()
	all := make(chan *tracepb.Span, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		var sent tracepb.TracesData
		if err != nil || proto.Unmarshal(data, &sent) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, of := range sent.GetResourceSpans() {
			for _, scope := range of.GetScopeSpans() {
				for _, s := range scope.GetSpans() {
					all <- s
				}
			}
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, all
}

// spanNamed waits for the span of a name.
func spanNamed(t *testing.T, taken <-chan *tracepb.Span, name string) *tracepb.Span {
	t.Helper()
	over := bounded(t).Done()
	for {
		select {
		case s := <-taken:
			if s.GetName() == name {
				return s
			}
		case <-over:
			t.Fatalf("there is no span %q", name)
		}
	}
}

// An agent's trace links to its question and, after a restart of the bridge, to the answer. The
// spans do not contain their texts.
func TestAnswerAfterRestartLinksToTrace(t *testing.T) {
	address, taken := spans(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
	ctx, sim := bounded(t), workspace(t)
	store := "{type: file, path: " + filepath.Join(t.TempDir(), "store.db") + "}\n"
	first := serve(t, sim, store)
	sim.DeliverTo(first.callbacks(), nil)
	asked := request()
	asked.TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	made, err := first.agent.Submit(ctx, asked)
	if err != nil {
		t.Fatal(err)
	}
	first.kill(syscall.SIGTERM)
	asking := spanNamed(t, taken, "ask")
	if got := hex.EncodeToString(asking.GetTraceId()) + " " + hex.EncodeToString(asking.GetParentSpanId()); got != "4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7" {
		t.Errorf("the ask is in %s, want the agent's trace, below its span", got)
	}

	second := serve(t, sim, store)
	sim.DeliverTo(second.callbacks(), nil)
	if err := sim.Seat("U0000001").Press(ctx, "SQLite"); err != nil {
		t.Fatal(err)
	}
	var got *client.Request
	if got, err = second.agent.Wait(ctx, made.ID); err != nil || got.State != ask.Answered {
		t.Fatalf("the request is %v, %v", got, err)
	}
	second.kill(syscall.SIGTERM)
	answer := spanNamed(t, taken, "answer")
	links := answer.GetLinks()
	if len(links) != 1 || hex.EncodeToString(links[0].GetTraceId()) != "4bf92f3577b34da6a3ce929d0e0e4736" || string(links[0].GetSpanId()) != string(asking.GetSpanId()) {
		t.Errorf("the answer is linked to %v, want the ask", links)
	}
}
