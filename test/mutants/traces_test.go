package mutants

// tracing breaks what those are promised who follow a request from trace to trace.
func tracing() []mutant {
	return []mutant{
		{
			name:    "traces: the answer is linked to nothing",
			edits:   []edit{{"internal/traces/observe.go", `"answer", trace.WithTimestamp(began), linked(asking))`, `"answer", trace.WithTimestamp(began))`}},
			killers: []killer{{"internal/traces", "TestAnAnswerDaysLaterIsLinkedToTheAsk", "want the ask"}},
		},
		{
			name:    "traces: each replica makes up ids of its own",
			edits:   []edit{{"internal/traces/ids.go", `[]byte("askbridge " + what + " " + request)`, `[]byte(what + request + time.Now().String())`}, {"internal/traces/ids.go", `"math/rand/v2"`, "\"math/rand/v2\"\n\t\"time\""}},
			killers: []killer{{"internal/traces", "TestAnAnswerDaysLaterIsLinkedToTheAsk", "no child of the ask"}},
		},
		{
			name:    "traces: what the agent does not sample is traced",
			edits:   []edit{{"internal/traces/observe.go", "if !asking.SpanContext().IsSampled() {", "if false {"}},
			killers: []killer{{"internal/traces", "TestWhatTheAgentDoesNotSampleIsNotSampledHere", "the collector was called"}},
		},
		{
			name:    "traces: any text is taken for where the agent is",
			edits:   []edit{{"bridge/intake.go", "TraceParent: ask.TraceParent(req.TraceParent)", "TraceParent: req.TraceParent"}},
			killers: []killer{{"api", "TestTheAgentsTraceIsKeptAndSaysNothingAboutTheRequest", "is of trace"}},
		},
		{
			name:    "audit: new requests are taken although nobody can read of them",
			edits:   []edit{{"internal/audit/store.go", "lag > s.x.o.MaxLag {", "false && lag > s.x.o.MaxLag {"}},
			killers: []killer{{"internal/app", "TestNewRequestsAreRefusedOnceTheTrailIsTooFarBehind", "past max_lag"}},
		},
	}
}
