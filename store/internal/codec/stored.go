package codec

import (
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
)

// stored is a record as it is stored. Its tags are short, since a record is
// written with every click, and final: records of every version before are read
// by them. The id is the key it is stored under and is not repeated; moments of
// the record itself are microseconds.
type stored struct {
	// Format is left out when it is the first.
	Format int `json:"f,omitempty"`
	// Key names the key that has sealed the rest; see sealed.go. A record in clear has neither.
	Key    string `json:"ky,omitempty"`
	Sealed []byte `json:"sl,omitempty"`

	ID          string `json:"id,omitempty"` // Never written, and known all the same.
	Created     Micros `json:"cr,omitempty"`
	Changed     Micros `json:"ch,omitempty"`
	Deadline    Micros `json:"dl,omitempty"`
	Due         Micros `json:"du,omitempty"`
	DeliveryDue Micros `json:"la,omitempty"`
	EndedAt     Micros `json:"en,omitempty"`
	// Replied stands beside the outcome, since builds that do not know it keep
	// what they do not know of a record, and nothing inside its members.
	Replied bool `json:"rp,omitempty"`
	// So does Via.
	Via string `json:"vi,omitempty"`

	Version     int64                `json:"v"`
	Tenant      string               `json:"te,omitempty"`
	Session     string               `json:"se,omitempty"`
	ToolCallID  string               `json:"tc,omitempty"`
	Agent       string               `json:"ag,omitempty"`
	Context     string               `json:"cx,omitempty"`
	Links       []ask.Link           `json:"lk,omitempty"`
	Files       []ask.Attachment     `json:"fl,omitempty"`
	Language    string               `json:"lg,omitempty"`
	Fingerprint string               `json:"fp"`
	TraceParent string               `json:"tp,omitempty"`
	TraceState  string               `json:"ts,omitempty"`
	Questions   []ask.Question       `json:"qs"`
	Policy      ask.Policy           `json:"rs"`
	Requesters  []string             `json:"rq,omitempty"`
	Voting      *storedVoting        `json:"vo,omitempty"`
	Audience    *storedAudience      `json:"nt,omitempty"`
	Replies     ask.Replies          `json:"ry,omitzero"`
	Hold        time.Duration        `json:"ho,omitempty"`
	Held        *storedHeld          `json:"hd,omitempty"`
	UndoneAt    Micros               `json:"ud,omitempty"`
	Schedule    *storedSchedule      `json:"sc,omitempty"`
	Trail       *storedTrail         `json:"tr,omitempty"`
	Permit      *storedPermit        `json:"pm,omitempty"`
	Token       string               `json:"tk,omitempty"`
	Handed      int                  `json:"rh,omitempty"`
	HandedAt    Micros               `json:"rt,omitempty"`
	Revised     int                  `json:"rv,omitempty"`
	RevisedAt   Micros               `json:"rd,omitempty"`
	AskBack     ask.AskBack          `json:"ab,omitempty"`
	Wordless    bool                 `json:"wl,omitempty"`
	Permission  bool                 `json:"pe,omitempty"`
	AskedBack   []storedAskedBack    `json:"aq,omitempty"`
	Receipt     *storedReceipt       `json:"rc,omitempty"`
	Instead     string               `json:"ri,omitempty"` // Beside the receipt, as Replied beside the outcome.
	Joined      int                  `json:"jn,omitempty"`
	Outcome     ask.Outcome          `json:"oc"`
	Winner      string               `json:"wi,omitempty"`
	WonAt       storedRef            `json:"wa,omitzero"`
	Recent      []string             `json:"ac,omitempty"`
	Drafts      map[string]ask.Draft `json:"dr,omitempty"`
	Copies      []storedCopy         `json:"cp"`
	Webhook     *storedWebhook       `json:"cb,omitempty"`
	Revision    int64                `json:"fa"`
	Attempts    int                  `json:"at,omitempty"`
}

type storedRef struct {
	Platform     string `json:"p"`
	Installation string `json:"i,omitempty"`
	Channel      string `json:"c"`
	Message      string `json:"m"`
}

type storedWebhook struct {
	Address  string      `json:"ur"`
	State    record.Call `json:"st"`
	Attempts int         `json:"at,omitempty"`
	Asked    int         `json:"aq,omitempty"`
	Problem  string      `json:"pr,omitempty"`
	RetryAt  time.Time   `json:"ra,omitzero"`
}

type storedCopy struct {
	Target    ask.Place       `json:"to"`
	State     record.Delivery `json:"st"`
	Ref       storedRef       `json:"rf,omitzero"`
	Rendered  int64           `json:"pa,omitempty"`
	Plain     bool            `json:"pl,omitempty"`
	Ambiguous bool            `json:"uc,omitempty"`
	Adopted   bool            `json:"ad,omitempty"`
	Reposted  bool            `json:"re,omitempty"`
	Quiet     bool            `json:"qt,omitempty"`
	Missed    []storedMissed  `json:"mi,omitempty"`
	Step      int             `json:"sp,omitempty"`
	Said      int             `json:"sd,omitempty"`
	Saying    int             `json:"sy,omitempty"`
	Filing    record.Filing   `json:"fg,omitempty"`
	Problem   string          `json:"pr,omitempty"`
	Queue     int             `json:"qu,omitempty"`
	RetryAt   time.Time       `json:"ra,omitzero"`
	Changing  Micros          `json:"cg,omitzero"`
}

// record returns the record of that id.
func (s *stored) record(id string) bridge.Record {
	r := bridge.Record{
		ID: id, Created: s.Created.Time(), Changed: s.Changed.Time(), Deadline: s.Deadline.Time(),
		Due: s.Due.Time(), DeliveryDue: s.DeliveryDue.Time(), EndedAt: s.EndedAt.Time(),
		Version: s.Version, Tenant: s.Tenant, Session: s.Session, ToolCallID: s.ToolCallID,
		Agent: s.Agent, Context: s.Context, Links: s.Links, Files: s.Files, Language: s.Language, Fingerprint: s.Fingerprint, TraceParent: s.TraceParent, TraceState: s.TraceState, Questions: s.Questions,
		Policy: s.Policy, Requesters: s.Requesters, Voting: s.Voting.voting(), Audience: (*record.Audience)(s.Audience), Replies: s.Replies, Schedule: s.Schedule.schedule(), Outcome: s.Outcome,
		Hold: s.Hold, Held: s.Held.held(), UndoneAt: s.UndoneAt.Time(), Trail: s.Trail.trail(),
		Permit: s.Permit.permit(), Token: s.Token, Handed: s.Handed, HandedAt: s.HandedAt.Time(), Joined: s.Joined,
		Revised: s.Revised, RevisedAt: s.RevisedAt.Time(), AskBack: s.AskBack, Wordless: s.Wordless, Permission: s.Permission, AskedBack: askedBackOf(s.AskedBack), Receipt: s.Receipt.receipt(),
		Winner: s.Winner, WonAt: ask.MessageRef(s.WonAt), Recent: s.Recent, Drafts: s.Drafts,
		Webhook: (*record.Webhook)(s.Webhook), Revision: s.Revision, Attempts: s.Attempts,
	}
	r.Outcome.Replied, r.Outcome.Via = s.Replied, s.Via
	if r.Receipt != nil {
		r.Receipt.Instead = s.Instead
	}
	if s.Copies != nil {
		r.Copies = make([]bridge.Copy, len(s.Copies))
	}
	for n, c := range s.Copies {
		r.Copies[n] = bridge.Copy{
			Target: c.Target, State: c.State, Ref: ask.MessageRef(c.Ref), Rendered: c.Rendered, Plain: c.Plain, Ambiguous: c.Ambiguous,
			Adopted: c.Adopted, Reposted: c.Reposted, Quiet: c.Quiet, Missed: missedOf(c.Missed), Step: c.Step, Said: c.Said, Saying: c.Saying, Filing: c.Filing,
			Problem: c.Problem, Queue: c.Queue, RetryAt: c.RetryAt, Changing: c.Changing.Time(),
		}
	}
	return r
}
