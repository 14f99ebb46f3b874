package traces

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/trace"
)

// ids are the IDs of the next span. The SDK requests them only with the context of the start.
type ids struct {
	trace trace.TraceID
	span  trace.SpanID
}

type idsKey struct{}

func (i ids) in(ctx context.Context) context.Context { return context.WithValue(ctx, idsKey{}, i) }

// generator gives spans their chosen IDs, or random ones.
type generator struct{}

// NewIDs implements the SDK's IDGenerator.
func (generator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if chosen, ok := ctx.Value(idsKey{}).(ids); ok {
		return chosen.trace, chosen.span
	}
	var t trace.TraceID
	binary.NativeEndian.PutUint64(t[:8], rand.Uint64())      //nolint:gosec // An id is no secret.
	binary.NativeEndian.PutUint64(t[8:], 1|rand.Uint64())    //nolint:gosec // Nor here; and it is never zero.
	return t, generator{}.NewSpanID(context.Background(), t) //nolint:contextcheck // The context would choose.
}

// NewSpanID implements the SDK's IDGenerator.
func (generator) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if chosen, ok := ctx.Value(idsKey{}).(ids); ok {
		return chosen.span
	}
	var s trace.SpanID
	binary.NativeEndian.PutUint64(s[:], 1|rand.Uint64()) //nolint:gosec // An id is no secret.
	return s
}

// idsOf returns the IDs of a span of a request, the same on every replica at any time.
func idsOf(request, what string) ids {
	sum := sha256.Sum256([]byte("askbridge " + what + " " + request))
	var i ids
	copy(i.trace[:], sum[:])
	copy(i.span[:], sum[len(i.trace):])
	return i
}
