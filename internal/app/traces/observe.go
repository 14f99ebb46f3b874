package traces

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

// Observe implements [bridge.Observer]. It creates each span when it is over.
func (t *Traces) Observe(o bridge.Observation) {
	if o.Record == nil || o.Record.ID == "" {
		return
	}
	began := time.Now().Add(-o.Took)
	asking := t.asking(o.Record, began)
	if !asking.SpanContext().IsSampled() {
		return
	}
	var span trace.Span
	switch o.What {
	case bridge.RequestAsked:
		span = asking
	case bridge.RequestEnded:
		span = t.ending(o.Record, asking, began)
		span.SetAttributes(
			attribute.String("askbridge.request.state", string(o.Record.Outcome.State)),
			attribute.Float64("askbridge.request.waited", max(o.Record.EndedAt.Sub(o.Record.Created), 0).Seconds()))
	case bridge.ActAcknowledged:
		kind, name := trace.WithSpanKind(trace.SpanKindConsumer), "act "+o.Platform
		if o.Verdict == record.Completed && !o.Record.Open() {
			span = t.below(t.ending(o.Record, asking, began), name, began, kind)
		} else {
			_, span = t.tracer.Start(context.Background(), name, kind, trace.WithTimestamp(began), linked(asking))
		}
		span.SetAttributes(attribute.String("askbridge.act.verdict", string(o.Verdict)))
	case bridge.PlatformCalled, bridge.AgentCalled:
		parent := asking
		if !o.Record.Open() {
			parent = t.ending(o.Record, asking, began)
		}
		name := "webhook"
		if o.What == bridge.PlatformCalled {
			name = o.Op + " " + o.Platform
		}
		span = t.below(parent, name, began, trace.WithSpanKind(trace.SpanKindClient))
	default:
		return
	}
	span.SetAttributes(about(o)...)
	if o.Err != nil {
		word := errorType(o.Err)
		span.SetAttributes(attribute.String("error.type", word))
		span.SetStatus(codes.Error, word)
	}
	span.End()
}

// asking starts the ask span: a child of the agent's span, or a new trace. Callers that do not end it
// only use its context.
func (t *Traces) asking(r *bridge.Record, began time.Time) trace.Span {
	ctx := context.Background()
	if r.TraceParent != "" {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": r.TraceParent, "tracestate": r.TraceState})
	}
	_, span := t.tracer.Start(idsOf(r.ID, "ask").in(ctx), "ask", trace.WithTimestamp(began), trace.WithSpanKind(trace.SpanKindServer))
	return span
}

// ending starts the answer span: a new trace with a link to the ask. Both IDs share the half that ratio
// samplers use.
func (t *Traces) ending(r *bridge.Record, asking trace.Span, began time.Time) trace.Span {
	of := idsOf(r.ID, "answer")
	from := asking.SpanContext().TraceID()
	copy(of.trace[len(of.trace)/2:], from[len(from)/2:])
	_, span := t.tracer.Start(of.in(context.Background()), "answer", trace.WithTimestamp(began), linked(asking))
	return span
}

// below starts a child span.
func (t *Traces) below(parent trace.Span, name string, began time.Time, kind trace.SpanStartOption) trace.Span {
	ctx := trace.ContextWithSpanContext(context.Background(), parent.SpanContext())
	_, span := t.tracer.Start(ctx, name, trace.WithTimestamp(began), kind)
	return span
}

func linked(to trace.Span) trace.SpanStartOption {
	return trace.WithLinks(trace.Link{SpanContext: to.SpanContext()})
}

// about returns the attributes of all spans, by OpenTelemetry's names.
//
// https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span
func about(o bridge.Observation) []attribute.KeyValue {
	all := []attribute.KeyValue{attribute.String("askbridge.request.id", o.Record.ID)}
	for _, a := range []struct{ key, value string }{
		{"gen_ai.tool.call.id", o.Record.ToolCallID},
		{"gen_ai.agent.name", o.Record.Agent},
		{"gen_ai.conversation.id", o.Record.Session},
		{"askbridge.platform", o.Platform},
	} {
		if a.value != "" {
			all = append(all, attribute.String(a.key, a.value))
		}
	}
	return all
}

// errorType is the type of an error. Its text may contain what people wrote.
func errorType(err error) string {
	if pe, ok := errors.AsType[*platform.Error](err); ok {
		return cmp.Or(string(pe.Kind), "error")
	}
	if ce, ok := errors.AsType[*bridge.CallError](err); ok && ce.Stop {
		return "stopped"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "timeout"
	}
	return "error"
}
