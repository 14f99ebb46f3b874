package dialect

import (
	"errors"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
)

// Result is what the host receives.
type Result struct {
	// Body is the result in the host's format, byte for byte. It is empty if the host expects no output.
	Body []byte
	// ContentType is "application/json" or "text/plain; charset=utf-8".
	ContentType string
	// IsError is set if the host or its model should see an error.
	IsError bool
	// Pending is set if the request is open and nothing is decided.
	Pending bool
	// StopTurn asks the host to end the agent's turn (Crush).
	StopTurn bool
	// Send is the host's endpoint for the body, if the host is answered with a request of its own, as in
	// "POST /question/que_1/reply".
	Send string
	// Warnings describe what the format could not carry. They are meant for the log.
	Warnings []string
}

// ErrSubAgent is matched by the error of [Dialect.Decode] if the host lets only a main agent ask.
var ErrSubAgent = errors.New("sub-agents cannot ask people questions; only the main agent can")

// InputError lists everything that is wrong with a tool input. It matches [ask.ErrInvalid] and the sentinel of each of its
// problems, and wraps an [*ask.InvalidError].
type InputError struct {
	Dialect  string
	Problems []ask.Problem
	// Said is the message. A host's own tool stops at the first problem, so this is the host's message for that one if
	// the host has one, otherwise all problems in the bridge's words.
	Said string
}

func (e *InputError) Error() string { return e.Said }

// Unwrap returns the same problems as an ask.InvalidError.
func (e *InputError) Unwrap() error { return &ask.InvalidError{Problems: e.Problems} }

func asJSON(body js.Text) Result {
	return Result{Body: []byte(body), ContentType: "application/json"}
}

func asText(body string) Result {
	return Result{Body: []byte(body), ContentType: "text/plain; charset=utf-8"}
}

// noOutput is the result for a host that expects no output, for example from a hook that makes no decision.
func noOutput() Result { return Result{ContentType: "application/json"} }

func (r Result) asError() Result {
	r.IsError = true
	return r
}

// fail encodes an end without answers as most hosts do: as an error with a sentence.
func fail(_ *call, e Ending, text string) Result {
	if e == Pending {
		return asText(text)
	}
	return asText(text).asError()
}
