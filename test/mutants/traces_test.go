package mutants

// tracing breaks the promises of tracing and auditing.
func tracing() []mutant {
	return []mutant{
		broken("traces: the answer is linked to nothing").
			in("internal/app/traces", "Traces.ending", omit("linked")).
			fails("internal/app/traces", "TestLateAnswerLinksToAsk", "want the ask"),
		broken("traces: each replica makes up ids of its own").
			in("internal/app/traces", "idsOf", swap(`"askbridge "`, "string(rune(rand.IntN(1<<20)))")).
			fails("internal/app/traces", "TestLateAnswerLinksToAsk", "not a child of the ask"),
		broken("traces: what the agent does not sample is traced").
			in("internal/app/traces", "Traces.Observe", never("IsSampled")).
			fails("internal/app/traces", "TestUnsampledParentIsNotTraced", "the collector was called"),
		broken("traces: any text is taken for where the agent is").
			in("bridge/internal/intake", "Intake.newRecord", set("TraceParent", "req.TraceParent")).
			fails("api", "TestTraceParentIsStoredButNotCompared", "is of trace"),
		broken("audit: new requests are taken although the audit trail is unwritable").
			in("internal/app/audit", "watchedStore.Create", never("lag")).
			fails("internal/app", "TestMaxLagRefusesNewRequests", "past max_lag"),
	}
}
