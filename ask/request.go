package ask

import (
	"slices"
	"time"
)

// Never as [Request.ExpiresIn] asks for a request without a deadline.
const Never time.Duration = -1

// Request is a question set on its way to people.
type Request struct {
	// Tenant is who owns the request. The API sets it from the caller's token;
	// it is never read from the caller's text.
	Tenant string
	// Session groups the requests of one agent run.
	Session string
	// Key is the caller's explicit idempotency key. It wins over ToolCallID.
	Key string
	// ToolCallID is the agent host's id of the tool call that asks.
	ToolCallID string
	// Agent is the name shown on the card.
	Agent string
	// Context is a line or two shown above the questions.
	Context string
	// Language is what the cards are in, apart from what the agent says, such as "de"; empty
	// leaves it to route and configuration. No tool input ever sets it.
	Language string
	// Links are buttons below the context that lead elsewhere.
	Links []Link
	// Files are texts that are too long for a card: they are uploaded below it, and their
	// digests stand on it.
	Files []File
	// To names where the questions are shown. Several targets: the first
	// complete answer wins everywhere.
	To []Place
	// Route names a configured route in place of To.
	Route string
	// Responders says who may answer: "anyone", a person as
	// "<platform>:<id>", or a group as "discord-role:<id>" or "slack-group:<id>".
	// "not_requester" beside them keeps the [Request.Requesters] out. It narrows
	// what route and Token let answer, and never widens it. Nil leaves the
	// choice to them or the configured default; an empty list is refused, since
	// nobody could ever answer.
	Responders []string
	// Token is what the caller's token says of its requests. Ways in set it from the
	// token; it is never read from the caller's text.
	Token Terms
	// Unbound lets Responders stand in place of what route and Token demand, as
	// the operator allows this token. Ways in set it from the token, too.
	Unbound bool
	// Voting says how many people decide, and how; the zero value leaves it to route
	// and token, or else to whoever answers first. It must be normal, see
	// [Voting.Normal]. No tool input ever sets it: a model does not choose how many
	// have to agree.
	Voting Voting
	// Notify says who is told of the request, once, by the first message at each place
	// where they can be: people and groups as in Responders, and [Requester]. It lets
	// nobody answer. Nil leaves it to route and token, or else to whom Responders
	// name; an empty list tells nobody. No tool input ever sets it.
	Notify []string
	// Replies says whether messages beside the card answer it; the zero value leaves it
	// to route and token. No tool input ever sets it.
	Replies Replies
	// Schedule is what happens while nobody answers; the zero value leaves it to the
	// route, or else to the token. No tool input ever sets it.
	Schedule Schedule
	// Requesters are the identities of the person on whose behalf the agent asks,
	// such as "slack:U0000001". The API sets them from the caller's token; they are
	// never read from the caller's text.
	Requesters []string
	// ExpiresIn is the time people have. Zero leaves it to the route or the
	// configured default, [Never] means no deadline.
	ExpiresIn time.Duration
	// Hold is how long the person who decided can undo it, before the agent hears of it;
	// zero leaves it to route and token, or else to none. The longest of the three
	// counts. No tool input ever sets it.
	Hold time.Duration
	// AskBack is whether people can ask the agent something about the request; the zero
	// value leaves it to route and token, or else they cannot. No tool input ever sets it.
	AskBack AskBack
	// Deaf tells that the agent hears nothing before the end, as in the call of a host's
	// tool, so that asking back ends the request whatever AskBack, route and token say.
	Deaf bool
	// Wordless tells that the result of the call has no place for words in place of answers, so
	// that nobody is offered to write any, or to ask the agent anything: it would read a
	// refusal alone. Package dialect sets it.
	Wordless bool
	// Receipts has the cards say, after an answer, when the agent has taken it, or that
	// nobody does. Route and token can have it so, too.
	Receipts bool
	// Webhook is an address that is told how the request ended; empty for none.
	Webhook string
	// Supersedes is the id of an open request of the same session that this one
	// replaces; it ends as superseded.
	Supersedes string
	// Same has an open request with the same content found in place of a new one:
	// the same questions, context, places, responders and policy, byte for byte, on behalf of
	// the same person, within what the same route and token demand. One that was revised is
	// equal to none. Key and ToolCallID do not tell requests apart then. Empty has every
	// request asked.
	Same Same
	// Within has a request with Same find one that people have answered no longer ago, too:
	// their answer is handed on. Zero asks anew; at most [MaxWithin]. A request for a
	// permission, or one that several people decide, is asked anew all the same.
	Within time.Duration
	// Permission says that the request asks whether something may be done. Package dialect
	// sets it, and nothing that a caller writes does.
	Permission bool
	// Operation is what the permission covers. Package dialect sets it, and nothing that a
	// caller writes does.
	Operation Operation
	// Permit says of a request that asks whether something may be done what can be allowed
	// beyond the call; nil for nothing.
	Permit *Permit
	// TraceParent is where the agent was in its own trace when it asked, as W3C Trace Context
	// writes it (see [TraceParent]); one that is not well-formed is left out. Ways in take it
	// from beside the request, and it says nothing about what is asked.
	TraceParent string
	// TraceState stands beside it; see [TraceState]. Without a TraceParent there is none.
	TraceState string
	// Rules are the limits of the host whose tool call this is; package dialect
	// sets them, and nothing that a caller writes does. Nil leaves the limits to
	// the bridge.
	Rules *Rules
	// Questions are asked together and answered together.
	Questions []Question
}

// Same is among which requests one with the same content is looked for. Tenants
// never share any.
type Same string

// The requests that are looked at.
const (
	// SameSession looks at those of the same session.
	SameSession Same = "session"
	// SameAgent looks at those of the same agent, whatever their session.
	SameAgent Same = "agent"
)

// MaxWithin is how old an answer may be that is handed on; see [Request.Within].
const MaxWithin = time.Hour

// Question is one question of a set. Without options it asks for text.
type Question struct {
	Text        string   `json:"question" doc:"What is asked" example:"Which database?"`
	Header      string   `json:"header" doc:"A short title; may be empty" example:"Database"`
	Options     []Option `json:"options" nullable:"false" doc:"The choices; empty for a question that is answered with text"`
	MultiSelect bool     `json:"multiSelect" doc:"Whether several options may be chosen"`
	// NoOther switches the free-text answer off. It cannot be combined with an
	// empty list of options.
	NoOther bool `json:"noOther,omitempty" doc:"Whether the free-text answer is switched off"`
	// Optional lets people skip the question, or leave it, and answer the others.
	Optional bool `json:"optional,omitempty" doc:"Whether the question may be skipped or left unanswered"`
	// Notes lets people write a note beside the answer, which is never an answer.
	Notes bool `json:"notes,omitempty" doc:"Whether people can write a note beside their answer"`
	// Confirm has a choice count only once it is submitted, so that no single tap decides.
	Confirm bool `json:"confirm,omitempty" doc:"Whether a choice counts only once it is submitted"`
}

// Clone returns a copy that shares nothing with q.
func (q Question) Clone() Question {
	q.Options = slices.Clone(q.Options)
	return q
}

// TextOnly reports whether the question has no options, so that only typed
// text can answer it.
func (q Question) TextOnly() bool { return len(q.Options) == 0 }

// Skip is the index that stands for skipping an optional question where its options
// are picked from a list: the one behind them.
func (q Question) Skip() int { return len(q.Options) }

// NeedsSubmit reports whether people have to say when they are done with the
// questions, since a single choice leaves more to say: a second one, a note, whether an
// optional question is answered, or that it is meant.
func NeedsSubmit(questions []Question) bool {
	return slices.ContainsFunc(questions, func(q Question) bool {
		return q.MultiSelect || q.Notes || q.Confirm || q.Optional && len(questions) > 1
	})
}

// Partial reports whether a question may be left unanswered or have a note.
func Partial(questions []Question) bool {
	return slices.ContainsFunc(questions, func(q Question) bool { return q.Optional || q.Notes })
}

// Option is one choice. Its label is what the agent gets back, unchanged.
type Option struct {
	Label       string `json:"label" doc:"What is chosen, and comes back unchanged" example:"Postgres"`
	Description string `json:"description,omitempty" doc:"What choosing it means" example:"Managed"`
	// Preview is a longer sample (code, a layout) shown as preformatted text.
	Preview string `json:"preview,omitempty" doc:"A longer sample, such as code or a layout, shown as preformatted text"`
}

// YesNo returns a single-select question with the options Yes and No and
// without free text.
func YesNo(text string) Question {
	return Question{Text: text, Options: []Option{{Label: "Yes"}, {Label: "No"}}, NoOther: true}
}
