package metrics

import (
	"context"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

// still is a store whose operations succeed at once.
type still struct{ bridge.Store }

func (still) Create(_ context.Context, r bridge.Record, _ bridge.Transition) (bridge.Record, error) {
	return r, nil
}

func (still) Change(context.Context, string, bridge.Transition) (bridge.Record, error) {
	return bridge.Record{}, nil
}

// BenchmarkALifeThatIsCounted counts the events of a request that is asked, posted and answered.
func BenchmarkALifeThatIsCounted(b *testing.B) {
	m := New(Options{Platforms: []string{"slack"}, Agents: []string{"deploy-bot"}})
	s := m.Store(still{})
	r := &bridge.Record{Agent: "deploy-bot", Outcome: ask.Outcome{State: ask.Answered}}
	sent := []bridge.Observation{
		{What: bridge.RequestAsked, Record: r, Took: time.Millisecond},
		{What: bridge.PlatformCalled, Record: r, Platform: "slack", Op: "post", Took: time.Millisecond},
		{What: bridge.CardPosted, Record: r, Platform: "slack", Took: time.Millisecond},
		{What: bridge.RequestEnded, Record: r, Platform: "slack", Took: time.Millisecond},
		{What: bridge.ActJudged, Record: r, Platform: "slack", Verdict: "ended", Took: time.Millisecond},
		{What: bridge.ActAcknowledged, Record: r, Platform: "slack", Verdict: "ended", Took: time.Millisecond},
		{What: bridge.PlatformCalled, Record: r, Platform: "slack", Op: "update", Took: time.Millisecond},
	}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = s.Create(b.Context(), bridge.Record{}, nil)
		for range 2 {
			_, _ = s.Change(b.Context(), "p1", nil)
		}
		for _, o := range sent {
			m.Observe(o)
		}
	}
}
