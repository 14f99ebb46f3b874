package record

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Record is everything the bridge remembers of one request. It is a value:
// stores hand out copies, and transitions change a copy.
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
	Context    string
	// Language is what its cards are in, apart from what the agent says; empty for English.
	Language    string
	Links       []ask.Link
	Files       []ask.Attachment
	Fingerprint string
	// TraceParent is where the agent was in its own trace when it asked, and TraceState what
	// stands beside that; see [ask.Request.TraceParent].
	TraceParent string
	TraceState  string
	Questions   []ask.Question
	// Policy is who may answer.
	Policy     ask.Policy
	Requesters []string
	// Voting is how several people decide; nil where the first complete answer does.
	Voting *Voting
	// Audience is who is told of the request; nil where those are whom it asks by name.
	Audience *Audience
	// Replies says what messages beside the card can answer.
	Replies ask.Replies
	// Schedule is what happens while nobody answers; nil for nothing.
	Schedule *Schedule
	// Deadline is zero for a request that waits for ever.
	Deadline time.Time
	// Permit says that it asks whether something may be done; see [ask.Request.Permit].
	Permit *ask.Permit
	// Token is the id of the token whose holder decided over the API whether it may be done: what they allowed for a time ends
	// with the token. Empty for a decision on a card and for every other request.
	Token string
	// Handed counts how often its answer was handed on to an equal request that came
	// later, and HandedAt is when last; see [ask.Request.Within].
	Handed   int
	HandedAt time.Time
	// Joined counts the equal requests that came while it was open and share it; see
	// [ask.Request.Same]. Only what asks for a permission is counted.
	Joined int
	// Revised is how often the agent has revised what it asks, and RevisedAt when last.
	Revised   int
	RevisedAt time.Time
	// AskBack is whether people can ask the agent something; empty for not. AskedBack is
	// what they asked, in its order.
	AskBack   ask.AskBack
	AskedBack []AskedBack
	// Wordless tells that nothing which people write in place of answers reaches the agent,
	// so that nobody is offered to; see [ask.Request.Wordless].
	Wordless bool
	// Permission says that the request asks whether something may be done; see [ask.Request.Permission].
	Permission bool
	// Receipt is whether the agent has taken what was decided; nil where nobody wants to
	// know.
	Receipt *Receipt
	// Hold is how long a person's decision can be undone; zero for not at all.
	Hold time.Duration

	// Outcome is the decision axis: open, then exactly one end, for ever.
	Outcome ask.Outcome
	// Winner is the interaction that ended the request, so that a second
	// delivery of it is a success.
	Winner string
	// WonAt is the card on which it was decided.
	WonAt MessageRef
	// Held is what has been decided while that can still be undone; else nil.
	Held *Held
	// UndoneAt is when somebody pressed Undo last.
	UndoneAt time.Time
	// Recent are the last acts that changed the open request, by a short mark of their
	// ids, oldest first.
	Recent []string
	// Drafts holds what is chosen so far: by person ("slack:U1") where each
	// person has their own, by platform ("discord") where all share one.
	Drafts map[string]ask.Draft

	// Copies is the delivery axis: one per target, and one more for each card
	// that a lost reply left behind.
	Copies []Copy
	// Webhook is where to tell how it ended; nil for nowhere.
	Webhook *Webhook
	// Revision counts visible changes; a copy rendered at an older revision is stale.
	Revision int64
	// Attempts counts deliveries that failed in a row.
	Attempts int

	// Trail is what auditors read; nil where nobody does.
	Trail *Trail

	// Due is when the record wants attention next: the earliest moment at which it
	// changes by itself. The zero time takes it out of the index. Every open record is
	// in it: one that waits for people alone is due at [Forever].
	Due time.Time
	// DeliveryDue is when somebody should bring the outside world up to date; zero
	// when it is.
	DeliveryDue time.Time
	// EndedAt is zero while open. Stores drop a record some time after it.
	EndedAt time.Time
}

// Forever is the due time of an open request without a deadline.
var Forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Delivery is how one copy of the card stands.
type Delivery string

// The states of a copy.
const (
	// Pending copies are being posted, by one process: see [Record.Unposted].
	Pending Delivery = "pending"
	// Delayed copies are posted at RetryAt, by whoever takes them then: the platform asked
	// for patience or failed, or nobody has come to it.
	Delayed Delivery = "delayed"
	// Posted copies are in front of people.
	Posted Delivery = "posted"
	// Lost copies were posted and have been deleted since.
	Lost Delivery = "lost"
	// Undeliverable copies cannot be posted; Problem says why.
	Undeliverable Delivery = "failed"
)

// Copy is the card in one place.
type Copy struct {
	Target ask.Place
	State  Delivery
	Ref    MessageRef
	// Rendered is the revision last drawn there.
	Rendered int64
	// Plain marks a card that the platform took only as plain text.
	Plain bool
	// Ambiguous marks a place where a card may stand unknown to us, since the reply
	// to a post was lost: it is looked for before another post, and at the end.
	Ambiguous bool
	// Adopted marks a copy learned from a click or a search, not posted on
	// purpose.
	Adopted bool
	// Reposted marks a card that was put back after somebody deleted it.
	Reposted bool
	// Quiet marks a card that was posted without telling anybody, since a first one may
	// have. Both it and Missed are kept with [Record.Audience] only.
	Quiet bool
	// Missed are those of [Record.Tells] whom the message could not tell.
	Missed []Missed
	// Step is the step of the schedule that added the copy, the first being 1; zero for
	// a place that the request names.
	Step int
	// Said is how much of what has happened was said below the card, or need not be, and
	// Saying is how much somebody has begun to say: see [Telling] and [Record.Below].
	Said, Saying int
	// Filing is how the files of the request stand below the card.
	Filing  Filing
	Problem string
	// Queue is the place of a delayed post in its channel's queue when it was
	// last looked at, 1 for the next; zero when it waits for something else.
	Queue   int
	RetryAt time.Time
	// Changing is when somebody began last to draw the open request anew, by a call or the reply
	// to an act, which may still arrive for some seconds after it.
	Changing time.Time
}

// Open reports whether the request still waits for people.
func (r *Record) Open() bool { return r.Outcome.State == ask.Open }

// Text returns the answers in canonical text form; empty unless answered.
func (r *Record) Text() string { return r.Outcome.Text(r.Questions) }

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

// MessageRef is [ask.MessageRef].
type MessageRef = ask.MessageRef

// Call says how the webhook of a request stands.
type Call string

// The states of a webhook.
const (
	// Due: the request is open, or the call has not been taken yet.
	Due Call = "due"
	// Taken: the receiver has it.
	Taken Call = "taken"
	// Dead: it was given up; Problem says why. It can be replayed.
	Dead Call = "dead"
)

// Webhook is where to tell how a request ended, and how that went.
type Webhook struct {
	Address  string
	State    Call
	Attempts int
	// Asked is up to which number what people asked has been told, or given up.
	Asked   int
	Problem string
	RetryAt time.Time
}

// asStored is a moment as every store gives it back: in UTC, in whole microseconds.
func asStored(at time.Time) time.Time { return at.UTC().Truncate(time.Microsecond) }

// Transition changes a record, given the store's time. It must be pure, since
// a store runs it again when another writer was faster. It may depend on now
// only by comparing it with the record's Deadline and Due, and by writing it
// into the record. Returning [ErrUnchanged] keeps the stored record as it is;
// any other error does too and is passed on.
type Transition func(r *Record, now time.Time) error

// ErrUnchanged is returned by a [Transition] that has nothing to write; stores
// pass it on together with the record as it is.
var ErrUnchanged = errors.New("bridge: unchanged")

// Notification says that a record was changed. It tells when to read the record
// and is never the record itself.
type Notification struct {
	// ID names the record. Empty means that any record may have changed unseen.
	ID string
	// Version is the record's new version. Zero is unknown, and so are the
	// moments then.
	Version int64
	// Due and DeliveryDue are the record's own in that version.
	Due, DeliveryDue time.Time
}

// Notify returns the notification of a record as it was stored.
func (r *Record) Notify() Notification {
	return Notification{ID: r.ID, Version: r.Version, Due: r.Due, DeliveryDue: r.DeliveryDue}
}
