package bridge

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Record is everything the bridge remembers of one request. It is a value:
// stores hand out copies, and transitions change a copy.
type Record struct {
	ID string `json:"id"`
	// Version grows by one with each stored change. Stores set it.
	Version int64 `json:"v"`
	// Created and Changed are store times. Stores set Changed.
	Created time.Time `json:"cr"`
	Changed time.Time `json:"ch"`

	Tenant      string         `json:"te,omitempty"`
	Session     string         `json:"se,omitempty"`
	ToolCallID  string         `json:"tc,omitempty"`
	Agent       string         `json:"ag,omitempty"`
	Context     string         `json:"cx,omitempty"`
	Fingerprint string         `json:"fp"`
	Questions   []ask.Question `json:"qs"`
	// Policy is who may answer.
	Policy     ask.Policy `json:"rs"`
	Requesters []string   `json:"rq,omitempty"`
	// Deadline is zero for a request that waits for ever.
	Deadline time.Time `json:"dl,omitzero"`

	// Outcome is the decision axis: open, then exactly one end, for ever.
	Outcome ask.Outcome `json:"oc"`
	// Winner is the interaction that ended the request, so that a second
	// delivery of it is a success.
	Winner string `json:"wi,omitempty"`
	// WonAt is the card on which it was decided.
	WonAt MessageRef `json:"wa,omitzero"`
	// Recent are the last acts that changed the open request, by [actMark], oldest
	// first.
	Recent []string `json:"ac,omitempty"`
	// Drafts holds what is chosen so far: by person ("slack:U1") where each
	// person has their own, by platform ("discord") where all share one.
	Drafts map[string]ask.Draft `json:"dr,omitempty"`

	// Copies is the delivery axis: one per target, and one more for each card
	// that a lost reply left behind.
	Copies []Copy `json:"cp"`
	// Webhook is where to tell how it ended; nil for nowhere.
	Webhook *Webhook `json:"cb,omitempty"`
	// Face counts visible changes; a copy rendered at an older revision is stale.
	Revision int64 `json:"fa"`
	// Attempts counts deliveries that failed in a row.
	Attempts int `json:"at,omitempty"`

	// Due is when the record wants attention next (its deadline); the zero time
	// takes it out of the index. Every open record is in it: one without a
	// deadline is due at [Forever].
	Due time.Time `json:"du,omitzero"`
	// DeliveryDue is when somebody should bring the outside world up to date; zero
	// when it is.
	DeliveryDue time.Time `json:"la,omitzero"`
	// EndedAt is zero while open. Stores drop a record some time after it.
	EndedAt time.Time `json:"en,omitzero"`
}

// Forever is the due time of an open request without a deadline.
var Forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Delivery is how one copy of the card stands.
type Delivery string

// The states of a copy.
const (
	// Pending copies wait to be posted.
	Pending Delivery = "pending"
	// Delayed copies wait because the platform asked for patience or failed.
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
	Target ask.Place  `json:"to"`
	State  Delivery   `json:"st"`
	Ref    MessageRef `json:"rf,omitzero"`
	// Rendered is the revision last drawn there.
	Rendered int64 `json:"pa,omitempty"`
	// Plain marks a card that the platform took only as plain text.
	Plain bool `json:"pl,omitempty"`
	// Ambiguous marks a place where a card may stand unknown to us, since the reply
	// to a post was lost: it is looked for before another post, and at the end.
	Ambiguous bool `json:"uc,omitempty"`
	// Adopted marks a copy learned from a click or a search, not posted on
	// purpose.
	Adopted bool `json:"ad,omitempty"`
	// Reposted marks a card that was put back after somebody deleted it.
	Reposted bool   `json:"re,omitempty"`
	Problem  string `json:"pr,omitempty"`
	// Queue is the place of a delayed post in its channel's queue when it was
	// last looked at, 1 for the next; zero when it waits for something else.
	Queue   int       `json:"qu,omitempty"`
	RetryAt time.Time `json:"ra,omitzero"`
}

// Open reports whether the request still waits for people.
func (r *Record) Open() bool { return r.Outcome.State == ask.Open }

// Text returns the answers in canonical text form; empty unless answered.
func (r *Record) Text() string { return ask.Format(r.Questions, r.Outcome.Answers) }

// Clone returns a copy that shares nothing that transitions change.
func (r *Record) Clone() Record {
	next := *r
	next.Copies = slices.Clone(r.Copies)
	next.Drafts = maps.Clone(r.Drafts)
	return next
}

// Transition changes a record, given the store's time. It must be pure, since
// a store runs it again when another writer was faster. It may depend on now
// only by comparing it with the record's Deadline and Due, and by writing it
// into the record. Returning [ErrUnchanged] keeps the stored record as it is;
// any other error does too and is passed on.
type Transition func(r *Record, now time.Time) error

// Store remembers records. It knows nothing of what they mean beyond the
// fields that it sets or indexes (Version, Changed, Due, DeliveryDue, EndedAt), and
// keeps the indexes in the same atomic step as the record. Change rewrites an
// index only when the transition changed its field, so that a Claim made
// meanwhile stands. The conformance suite in bridgetest is the contract.
type Store interface {
	// Create stores r as version 1 if no record has its id. Otherwise it
	// returns the stored record and [ErrExists]. The transition is run on r
	// with the store's time before it is stored.
	Create(ctx context.Context, r Record, f Transition) (Record, error)
	// Load returns a record or [ErrNotFound].
	Load(ctx context.Context, id string) (Record, error)
	// Change loads a record, runs f and stores the result if nobody else has
	// changed it meanwhile, else runs f again on the newer one. It returns the
	// record as it is stored afterwards, also together with an error of f.
	Change(ctx context.Context, id string, f Transition) (Record, error)
	// Due returns records whose Due has passed by the store's clock, earliest
	// first.
	Due(ctx context.Context, limit int) (Batch, error)
	// Claim returns records whose DeliveryDue has passed by the store's clock and
	// moves their DeliveryDue ahead by lease, so that nobody else claims them
	// meanwhile. It leaves Version alone.
	Claim(ctx context.Context, lease time.Duration, limit int) (Batch, error)
	// Scan lists records of one index; see [Scan].
	Scan(ctx context.Context, s Scan) ([]Record, error)
	// Count returns how many open records a tenant has. It may say too many, when
	// an index holds what has gone since, and never too few.
	Count(ctx context.Context, tenant string) (int, error)
	// Watch calls changed for each record that anybody changes, until ctx ends;
	// then it returns nil, and [ErrClosed] after Close. Calls may be missed,
	// repeated and forged, so nothing is decided by what they say: see
	// [Notification]. Changed must not block.
	Watch(ctx context.Context, changed func(Notification)) error
	// Close releases what the store holds. The store must not be used after.
	Close() error
}

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

// WriteBehinder is a Store that can put off a change that nobody waits for, so that
// it costs no round trip of its own.
type WriteBehinder interface {
	// WriteBehind makes a change within a second or so, together with what else
	// there is to write, and calls done with what Change would have returned. It
	// reports whether it does; Close waits for it, and the sudden end of this
	// process loses it.
	WriteBehind(id string, f Transition, done func(Record, error)) bool
}

// OutcomeCache is a Store whose notifications bring along how a request has ended.
type OutcomeCache interface {
	// Ended returns an ended record, as a notification brought it not long ago,
	// without asking anybody. It reports false when there was none, or none that
	// is proved to come from somebody who stored the record.
	Ended(id string) (Record, bool)
}

// Batch is a share of work that is due.
type Batch struct {
	IDs []string
	// Now is the store's clock at the time of the call.
	Now time.Time
	// Next is how long until the next record not in IDs is due; negative when
	// none is known.
	Next time.Duration
}

// Scan asks for the records of one index.
type Scan struct {
	// Ended selects the finished records, ordered by EndedAt; else the open
	// ones, ordered by Due. Ties are ordered by id.
	Ended bool
	// Tenant selects the records of one tenant, without a look at those of others;
	// nil is all of them. The order is then by the full second of that moment, and
	// all moments from the year 2106 on are one.
	Tenant *string
	// From and After resume: records at or after From, and at From only those
	// with ids above After. Use the last record's time and id.
	From  time.Time
	After string
	// Limit is the number of records wanted, at least 1.
	Limit int
}
