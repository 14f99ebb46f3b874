// Package traces exports the life of a request as OpenTelemetry spans.
//
//	agent's trace:   tool call ─▶ ask ─▶ post slack
//	                               ▲ link
//	answer's trace:              answer ─▶ act slack, update slack, webhook
//
// No span stays open while people think. Everything before the end is a child of the ask span,
// everything after it a child of the answer span, which links to the ask. Their IDs derive from the
// request ID, so every replica knows them, also days later and after a restart. Both are sampled or
// neither.
//
// Spans contain the request, platform, agent and result, but never questions, answers or people.
//
// The standard environment variables configure everything; see [New].
package traces
