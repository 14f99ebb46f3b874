// Package traces shows to an OpenTelemetry collector what becomes of a request.
//
//	agent's trace:   tool call ─▶ ask ─▶ post slack
//	                               ▲ link
//	answer's trace:              answer ─▶ act slack, update slack, webhook
//
// Nobody holds a span open while people think: everything before the end is a child of the
// span of the ask, everything after it of the answer's, which is linked to it. Both have ids
// that are made of the request's, so that every replica knows them, also days later and
// after a restart. What is not sampled with the ask is not with the answer.
//
// Spans say which request, platform and agent it was and how it went: never what was asked
// or answered, and by whom.
//
// Everything is configured by the standard variables, see [New].
package traces
