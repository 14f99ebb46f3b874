package record

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/typed"
)

// Record is the state of one request. It is a value: stores hand out copies, and
// transitions change a copy.
type Record struct {
	ID string
	// Version grows by one with each stored change. Stores set it.
	Version int64
	// Created and Changed are store times. Stores set Changed.
	Created time.Time
	Changed time.Time

	Tenant     string
	Session    string
	ToolCallID string
	Agent      string
	// Route is the route that the request was sent to; empty for places of its own.
	Route   string
	Context string
	// Language is the language of the cards, except for the agent's own text; empty means English.
	Language    string
	Links       []ask.Link
	Source      ask.Source
	Files       []ask.Attachment
	Fingerprint string
	// TraceParent and TraceState are the agent's trace context; see [ask.Request.TraceParent].
	TraceParent string
	TraceState  string
	Questions   []ask.Question
	// Policy is who may answer.
	Policy     ask.Policy
	Requesters []string
	// Voting is how several people decide; nil if the first complete answer decides.
	Voting *Voting
	// Audience is who is notified; nil if only the responders that the request names are.
	Audience *Audience
	// Replies controls which typed messages can answer.
	Replies ask.Replies
	// Schedule is what happens while the request is unanswered; nil for nothing.
	Schedule *Schedule
	// Deadline is zero for a request that never expires.
	Deadline time.Time
	// Permit marks a request for permission to do something, and is never nil for one; see [ask.Request.Permit].
	Permit *ask.Permit
	// Token is the ID of the API token that decided a permission request: its grants end with
	// the token. Empty for decisions on a card and for all other requests.
	Token string
	// Handed counts how often the answer was reused for a later equal request, and HandedAt is
	// the last time; see [ask.Request.Within].
	Handed   int
	HandedAt time.Time
	// Joined counts the equal permission requests that arrived while this one was open and share
	// it; see [ask.Request.Same].
	Joined int
	// Revised counts the agent's revisions, and RevisedAt is the last one.
	Revised   int
	RevisedAt time.Time
	// AskBack is whether people can ask the agent something; empty if they cannot. AskedBack
	// holds their questions in order.
	AskBack   ask.AskBack
	AskedBack []AskedBack
	// Wordless means that free-text replies never reach the agent, so cards offer none; see
	// [ask.Request.Wordless].
	Wordless bool
	// Permission marks a permission request; see [ask.Request.Permission].
	Permission bool
	// Receipt records whether the agent acknowledged the decision; nil if receipts are off.
	Receipt *Receipt
	// Risk makes people confirm what they choose.
	Risk ask.Risk
	// Hold is how long a person's decision can be undone; zero turns that off.
	Hold time.Duration

	// Outcome is the decision axis: open, then exactly one final state.
	Outcome ask.Outcome
	// Winner is the interaction that ended the request, so that a redelivery of it succeeds.
	Winner string
	// WonAt is the card on which it was decided.
	WonAt MessageRef
	// Held is a decision that can still be undone; nil if there is none.
	Held *Held
	// UndoneAt is when Undo was pressed last.
	UndoneAt time.Time
	// Recent holds marks of the last acts that changed the open request, oldest first.
	Recent []string
	// Drafts holds the choices so far: by person ("slack:U1") where each person has their own
	// draft, by platform ("discord") where all people share one.
	Drafts map[string]ask.Draft

	// Copies is the delivery axis: one per target, plus one for each card that a lost reply left
	// behind.
	Copies Copies
	// Fallback replaces the origin of the request if it cannot be posted to; nil if there is none,
	// or no longer.
	Fallback *Fallback
	// Reminders are the posted reminders, until they say how the request ended.
	Reminders []Reminder
	// Webhook is the agent's webhook; nil if there is none.
	Webhook *Webhook
	// Revision counts visible changes; a copy rendered at an older revision is stale.
	Revision int64
	// Attempts counts consecutive failed deliveries.
	Attempts int

	// Trail is the audit trail; nil if auditing is off.
	Trail *Trail

	// Due is the earliest moment at which the record changes by itself. The zero time takes it
	// out of the index. Every open record is in it: one that waits for people alone is due at
	// [Forever].
	Due time.Time
	// DeliveryDue is when a replica should bring cards and webhook up to date; zero if nothing
	// is left to deliver.
	DeliveryDue time.Time
	// EndedAt is zero while open. Stores drop a record some time after it.
	EndedAt time.Time
}

// AskedBack is a question that a person asked the agent, with the agent's reply.
type AskedBack struct {
	ask.AskedBack

	// Place is the reply's position among all messages below the cards, starting at 1; zero
	// without a reply.
	Place int
}

// Receipt records whether the agent acknowledged a decision.
type Receipt struct {
	// TakenAt is when the agent acknowledged it; zero if it has not.
	TakenAt time.Time
	// Missing means that the agent had not acknowledged it after [ReceiptWait].
	Missing bool
	// Instead is what the agent used in place of the answer, in its own words, because its host
	// had asked elsewhere too. Empty if it used the answer.
	Instead string
}

// Call is the state of a request's webhook.
type Call string

// The states of a webhook.
const (
	// Due: the request is open, or the receiver has not accepted the call yet.
	Due Call = "due"
	// Taken: the receiver has accepted it.
	Taken Call = "taken"
	// Dead: the bridge gave up; Problem has the reason. It can be replayed.
	Dead Call = "dead"
)

// Webhook is the agent's webhook and the state of its delivery.
type Webhook struct {
	Address  string
	State    Call
	Attempts int
	// Asked is the number of the last question from people that was delivered, or given up.
	Asked   int
	Problem string
	RetryAt time.Time
}

// Open reports whether the request still waits for people.
func (r *Record) Open() bool { return r.Outcome.State == ask.Open }

// Text returns the answers in canonical text form; empty unless answered.
func (r *Record) Text() string { return r.Outcome.Text(r.Questions) }

// Code is the short code that people type to name the request.
func (r *Record) Code() string { return typed.Code(r.ID) }

// Strict reports whether a typed message counts only as the code and a whole label. That is so
// for permissions and for votes.
func (r *Record) Strict() bool { return r.Replies.Strict || r.Voting != nil }

// Clone returns a copy that shares nothing that transitions change.
func (r *Record) Clone() Record {
	next := *r
	next.Copies = slices.Clone(r.Copies)
	next.Drafts = maps.Clone(r.Drafts)
	if r.Voting != nil {
		next.Voting = new(*r.Voting)
	}
	if r.Schedule != nil {
		next.Schedule = new(*r.Schedule)
	}
	return next
}

// VisibleOutcome is the outcome that cards show: the one that is held, if any, or the final one.
func (r *Record) VisibleOutcome() ask.Outcome {
	if r.Held != nil {
		return r.Held.Outcome
	}
	return r.Outcome
}

// Transition changes a record, given the store's time. It must be pure, because a store runs it
// again after it lost a race. It may depend on now only by comparing it with the record's Deadline
// and Due, and by writing it into the record. If it returns [ErrUnchanged], the store keeps the
// record as it is; any other error does the same and is passed on.
type Transition func(r *Record, now time.Time) error

// ErrUnchanged is returned by a [Transition] that has nothing to write. Stores pass it on together
// with the unchanged record.
var ErrUnchanged = errors.New("bridge: unchanged")

// Notification announces that a record has changed. It is a hint to read the record, never the
// record itself.
type Notification struct {
	// ID names the record. Empty means that any record may have changed.
	ID string
	// Version is the record's new version. If it is zero, the version is unknown, and so are
	// the times.
	Version int64
	// Due and DeliveryDue are the record's own in that version.
	Due, DeliveryDue time.Time
}

// Notify returns the notification of a stored record.
func (r *Record) Notify() Notification {
	return Notification{ID: r.ID, Version: r.Version, Due: r.Due, DeliveryDue: r.DeliveryDue}
}
