package ask

import (
	"slices"
	"time"
)

// Never is the [Request.ExpiresIn] of a request without a deadline.
const Never time.Duration = -1

// Request is a question set for people to answer.
type Request struct {
	// Tenant is the owner of the request. The API sets it from the caller's token, never from
	// the caller's input.
	Tenant string
	// Session groups the requests of one agent run.
	Session string
	// Key is the caller's explicit idempotency key. It wins over ToolCallID.
	Key string
	// ToolCallID is the agent host's id of the tool call.
	ToolCallID string
	// Agent is the agent's name, shown on the card.
	Agent string
	// Context is a line or two shown above the questions.
	Context string
	// Language is the language of the card's own texts, such as "de"; empty defers to route and
	// configuration. Tool input never sets it.
	Language string
	// Links are link buttons below the context.
	Links []Link
	// Source is where the agent works; the first line of the card links to it. Tool input never
	// sets it.
	Source Source
	// Files are texts too long for a card. They are uploaded below it, and the card shows their
	// digests.
	Files []File
	// To lists the places where the questions are shown. With several places, the first
	// complete answer wins everywhere.
	To []Place
	// Route names a configured route instead of To.
	Route string
	// Origin is the conversation in which the agent works; the zero value names none. A route
	// that allows it asks there instead of at its own places, which it uses if the bridge
	// cannot post to the origin. Tool input never sets it.
	Origin Origin
	// OriginDenied means that the caller's token may not ask at the origin, so that the route's
	// places are used. The API sets it from the token.
	OriginDenied bool
	// Responders lists who may answer: "anyone", a person as "<platform>:<id>", or a group as
	// "discord-role:<id>" or "slack-group:<id>". Adding "not_requester" excludes the
	// [Request.Requesters]. The list can narrow what route and Token allow, never widen it. Nil
	// uses them or the configured default. An empty list is an error, since no one could ever
	// answer.
	Responders []string
	// Token holds the terms of the caller's token. The API sets it, never from the caller's
	// input.
	Token Terms
	// Unbound makes Responders replace what route and Token require, if the operator allows
	// this for the token. The API sets it from the token.
	Unbound bool
	// Voting configures how several people decide. The zero value defers to route and token,
	// then to the first answer. It must be normal, see [Voting.Normal]. Tool input never sets
	// it: a model does not choose how many people must agree.
	Voting Voting
	// Notify lists the people and groups to mention, once, in the first message at each place
	// that can reach them: entries as in Responders, and [Requester]. Being notified does not
	// allow someone to answer. Nil defers to route and token, then to the people in Responders;
	// an empty list notifies no one. Tool input never sets it.
	Notify []string
	// Replies configures answers by typed message. The zero value defers to route and token.
	// Tool input never sets it.
	Replies Replies
	// Schedule is the escalation of an unanswered request. The zero value defers to the route,
	// then to the token. Tool input never sets it.
	Schedule Schedule
	// Requesters are the identities of the person on whose behalf the agent asks, such as
	// "slack:U0000001". The API sets them from the caller's token, never from the caller's
	// input.
	Requesters []string
	// ExpiresIn is the time people have to answer. Zero uses the route's or the configured
	// default; [Never] means no deadline.
	ExpiresIn time.Duration
	// Hold is the time during which the person who decided can undo it, before the agent
	// receives the answer. Zero defers to route and token, then to none. The longest of the
	// three applies. Tool input never sets it.
	Hold time.Duration
	// Risk is how much a wrong decision could cost. Tool input never sets it; package dialect does if
	// the host marks a call as dangerous.
	Risk Risk
	// AskBack is whether people can ask the agent about the request. The zero value defers to
	// route and token, then to no. Tool input never sets it.
	AskBack AskBack
	// Deaf means that the agent receives nothing before the request ends, as in a host's
	// blocking tool call. Asking back then ends the request whatever AskBack, route and token
	// specify.
	Deaf bool
	// Wordless means that the result of the call has no field for a reply. The card then offers
	// neither a reply nor asking back, because the agent would only see a refusal. Package
	// dialect sets it.
	Wordless bool
	// Receipts makes the card show, after an answer, whether the agent has received it. Route
	// and token can enable it too.
	Receipts bool
	// Webhook is the URL to call when the request ends; empty for none.
	Webhook string
	// Supersedes is the id of an open request of the same session that this one replaces. That
	// request ends as superseded.
	Supersedes string
	// Same deduplicates requests by content: instead of creating a request, it returns an open
	// one with the same questions, context, places, responders and policy, byte for byte, on
	// behalf of the same person, under the same route and token requirements. A revised request
	// equals no other. With Same set, Key and ToolCallID do not distinguish requests. Empty
	// disables deduplication.
	Same Same
	// Within extends Same to requests answered within this duration: their answer is returned.
	// Zero disables it; the maximum is [MaxWithin]. Permission prompts and requests with a
	// [Voting] are never answered this way.
	Within time.Duration
	// Permission means that the request is a permission prompt. Only package dialect sets it,
	// never the caller.
	Permission bool
	// Operation is the call that the permission covers. Only package dialect sets it, never the
	// caller.
	Operation Operation
	// Permit is how a card shows a permission prompt, and what it can allow beyond the single call; nil
	// for any other request. Only package dialect sets it, never the caller.
	Permit *Permit
	// TraceParent is the agent's trace context in W3C form, see [TraceParent]. A malformed one
	// is dropped. The API takes it from headers or metadata, not from the request itself.
	TraceParent string
	// TraceState accompanies TraceParent and is dropped without it; see [TraceState].
	TraceState string
	// Rules are the limits of the host whose tool call this is. Only package dialect sets them,
	// never the caller. Nil uses the bridge's limits.
	Rules *Rules
	// Questions are asked together and answered together.
	Questions []Question
}

// Same is the scope of deduplication by content. Tenants are never mixed.
type Same string

// The scopes of deduplication.
const (
	// SameSession covers requests of the same session.
	SameSession Same = "session"
	// SameAgent covers requests of the same agent in any session.
	SameAgent Same = "agent"
)

// MaxWithin is the maximum age of a reused answer; see [Request.Within].
const MaxWithin = time.Hour

// Question is one question of a set. Without options it asks for text.
type Question struct {
	Text        string   `json:"question" doc:"What is asked" example:"Which database?"`
	Header      string   `json:"header" doc:"A short title; may be empty" example:"Database"`
	Options     []Option `json:"options" nullable:"false" doc:"The choices; empty for a question that is answered with text"`
	MultiSelect bool     `json:"multiSelect" doc:"Whether several options may be chosen"`
	// NoOther disables the free-text answer. It cannot be combined with an empty list of
	// options.
	NoOther bool `json:"noOther,omitempty" doc:"Whether the free-text answer is switched off"`
	// Optional allows people to skip the question or leave it unanswered.
	Optional bool `json:"optional,omitempty" doc:"Whether the question may be skipped or left unanswered"`
	// Notes lets people add a note, which never counts as an answer.
	Notes bool `json:"notes,omitempty" doc:"Whether people can add a note to their answer"`
	// Confirm requires a separate submit, so that no single tap decides.
	Confirm bool `json:"confirm,omitempty" doc:"Whether a choice counts only once it is submitted"`
}

// Clone returns a deep copy of q.
func (q Question) Clone() Question {
	q.Options = slices.Clone(q.Options)
	return q
}

// TextOnly reports whether the question has no options, so that only typed text answers it.
func (q Question) TextOnly() bool { return len(q.Options) == 0 }

// Skip returns the index that represents skipping in a selection list: one past the last
// option.
func (q Question) Skip() int { return len(q.Options) }

// NeedsSubmit reports whether the questions need a submit button because a single choice does
// not complete them: several questions, multi-select, a note, an optional question, or Confirm.
func NeedsSubmit(questions []Question) bool {
	return slices.ContainsFunc(questions, func(q Question) bool {
		return q.MultiSelect || q.Notes || q.Confirm || q.Optional && len(questions) > 1
	})
}

// Partial reports whether a question may be left unanswered or have a note.
func Partial(questions []Question) bool {
	return slices.ContainsFunc(questions, func(q Question) bool { return q.Optional || q.Notes })
}

// Option is one choice. Its label is returned to the agent unchanged.
type Option struct {
	Label       string `json:"label" doc:"What is chosen, and comes back unchanged" example:"Postgres"`
	Description string `json:"description,omitempty" doc:"What choosing it means" example:"Managed"`
	// Preview is a longer sample such as code or a layout, shown as preformatted text.
	Preview string `json:"preview,omitempty" doc:"A longer sample, such as code or a layout, shown as preformatted text"`
	// Style is the style of the button. It changes nothing else. Tool input never sets it.
	Style Style `json:"style,omitempty" enum:"primary,danger" doc:"The style of the button; absent for the usual one. It has no other effect."`
}

// Style is the style of an option's button.
type Style string

// The styles of options, besides the usual one.
const (
	// Primary marks the option that most people want; a question has at most one.
	Primary Style = "primary"
	// Danger marks an option whose effect is hard to undo.
	Danger Style = "danger"
)

// YesNo returns a single-select question with the options Yes and No and
// without free text.
func YesNo(text string) Question {
	return Question{Text: text, Options: []Option{{Label: "Yes"}, {Label: "No"}}, NoOther: true}
}
