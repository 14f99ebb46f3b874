package client

import (
	"net/http"

	"github.com/askbridge/askbridge/ask"
)

// tracing is where the agent is in its own trace, in the headers of W3C Trace Context.
type tracing struct{ parent, state string }

func traceOf(parent, state string) tracing {
	t := tracing{parent: ask.TraceParent(parent)}
	if t.parent != "" {
		t.state = ask.TraceState(state)
	}
	return t
}

func (t tracing) set(h http.Header) {
	if t.parent != "" {
		h.Set("traceparent", t.parent)
	}
	if t.state != "" {
		h.Set("tracestate", t.state)
	}
}
