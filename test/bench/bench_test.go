package bench

import (
	"testing"
)

// Every scenario runs, with sizes that measure nothing.
func TestEveryScenarioRuns(t *testing.T) {
	t.Parallel()
	suite, err := Open(t.Context(), Tiny, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(suite.Close)
	for _, s := range Scenarios {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			figures, err := s.Run(suite, t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(figures) == 0 {
				t.Error("no figures")
			}
			seen := map[string]bool{}
			for _, f := range figures {
				if f.Key == "" || f.Name == "" || seen[f.Key] {
					t.Errorf("a figure without a name of its own: %+v", f)
				}
				seen[f.Key] = true
			}
		})
	}
}

// BenchmarkScenarios reports what the scenarios measure, once each: ratios to
// the floor where there is one.
func BenchmarkScenarios(b *testing.B) {
	suite, err := Open(b.Context(), Full, b.Logf)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(suite.Close)
	for _, s := range Scenarios {
		b.Run(s.Name, func(b *testing.B) {
			for range b.N {
				figures, err := s.Run(suite, b.Context())
				if err != nil {
					b.Fatal(err)
				}
				for _, f := range figures {
					b.ReportMetric(f.Value, f.Key)
				}
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}
