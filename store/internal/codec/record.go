package codec

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// The stored form of a record. Names are short, since a record is written with every click, and
// final, since every later build reads them. The ID is the key of the record and not repeated. Times
// of the record itself are in microseconds.

var storedRecord = objectOf(
	moment("cr", func(r *record.Record) *time.Time { return &r.Created }),
	moment("ch", func(r *record.Record) *time.Time { return &r.Changed }),
	moment("dl", func(r *record.Record) *time.Time { return &r.Deadline }),
	moment("du", func(r *record.Record) *time.Time { return &r.Due }),
	moment("la", func(r *record.Record) *time.Time { return &r.DeliveryDue }),
	moment("en", func(r *record.Record) *time.Time { return &r.EndedAt }),
	// Next to the outcome and not in it: older builds keep unknown members of a record, but not
	// those inside its members.
	field("rp", func(r *record.Record) any { return &r.Outcome.Replied }),
	field("vi", func(r *record.Record) any { return &r.Outcome.Via }),
	field("v", func(r *record.Record) any { return &r.Version }).always(),
	field("te", func(r *record.Record) any { return &r.Tenant }),
	field("se", func(r *record.Record) any { return &r.Session }),
	field("tc", func(r *record.Record) any { return &r.ToolCallID }),
	field("ag", func(r *record.Record) any { return &r.Agent }),
	field("ro", func(r *record.Record) any { return &r.Route }),
	field("cx", func(r *record.Record) any { return &r.Context }),
	field("lk", func(r *record.Record) any { return &r.Links }),
	field("so", func(r *record.Record) any { return &r.Source }),
	field("fl", func(r *record.Record) any { return &r.Files }),
	field("lg", func(r *record.Record) any { return &r.Language }),
	field("fp", func(r *record.Record) any { return &r.Fingerprint }).always(),
	field("tp", func(r *record.Record) any { return &r.TraceParent }),
	field("ts", func(r *record.Record) any { return &r.TraceState }),
	field("qs", func(r *record.Record) any { return &r.Questions }).always(),
	field("rs", func(r *record.Record) any { return &r.Policy }).always(),
	field("rq", func(r *record.Record) any { return &r.Requesters }),
	optional("vo", func(r *record.Record) **record.Voting { return &r.Voting }, storedVoting),
	optional("nt", func(r *record.Record) **record.Audience { return &r.Audience }, storedAudience),
	field("ry", func(r *record.Record) any { return &r.Replies }),
	field("rk", func(r *record.Record) any { return &r.Risk }),
	field("ho", func(r *record.Record) any { return &r.Hold }),
	optional("hd", func(r *record.Record) **record.Held { return &r.Held }, storedHeld),
	moment("ud", func(r *record.Record) *time.Time { return &r.UndoneAt }),
	optional("sc", func(r *record.Record) **record.Schedule { return &r.Schedule }, storedSchedule),
	optional("tr", func(r *record.Record) **record.Trail { return &r.Trail }, storedTrail),
	optional("pm", func(r *record.Record) **ask.Permit { return &r.Permit }, storedPermit),
	field("tk", func(r *record.Record) any { return &r.Token }),
	field("rh", func(r *record.Record) any { return &r.Handed }),
	moment("rt", func(r *record.Record) *time.Time { return &r.HandedAt }),
	field("rv", func(r *record.Record) any { return &r.Revised }),
	moment("rd", func(r *record.Record) *time.Time { return &r.RevisedAt }),
	field("ab", func(r *record.Record) any { return &r.AskBack }),
	field("wl", func(r *record.Record) any { return &r.Wordless }),
	field("pe", func(r *record.Record) any { return &r.Permission }),
	list("aq", func(r *record.Record) *[]record.AskedBack { return &r.AskedBack }, storedAskedBack),
	optional("rc", func(r *record.Record) **record.Receipt { return &r.Receipt }, storedReceipt),
	field("ri", instead), // Next to the receipt, as "rp".
	field("jn", func(r *record.Record) any { return &r.Joined }),
	outcome("oc", func(r *record.Record) *ask.Outcome { return &r.Outcome }),
	field("wi", func(r *record.Record) any { return &r.Winner }),
	part("wa", func(r *record.Record) *ask.MessageRef { return &r.WonAt }, storedRef),
	field("ac", func(r *record.Record) any { return &r.Recent }),
	field("dr", func(r *record.Record) any { return &r.Drafts }),
	list("cp", func(r *record.Record) *record.Copies { return &r.Copies }, storedCopy).always(),
	optional("fk", func(r *record.Record) **record.Fallback { return &r.Fallback }, objectOf(
		field("to", func(f *record.Fallback) any { return &f.Places }).always(),
		field("lg", func(f *record.Fallback) any { return &f.Language }),
	)),
	list("rm", func(r *record.Record) *[]record.Reminder { return &r.Reminders }, storedReminder),
	optional("cb", func(r *record.Record) **record.Webhook { return &r.Webhook }, storedWebhook),
	field("fa", func(r *record.Record) any { return &r.Revision }).always(),
	field("at", func(r *record.Record) any { return &r.Attempts }),
)

// instead is a field of the receipt; a record without a receipt has none.
func instead(r *record.Record) any {
	if r.Receipt == nil {
		return new(string)
	}
	return &r.Receipt.Instead
}

// outcome is a field without what the record stores next to it.
func outcome(name string, at func(*record.Record) *ask.Outcome) member {
	m := field(name, func(r *record.Record) any { return at(r) }).always()
	m.write = func(e *jsontext.Encoder, r any) error {
		bare := *at(r.(*record.Record))
		bare.Replied, bare.Via = false, ""
		return json.MarshalEncode(e, &bare)
	}
	return m
}

var storedRef = objectOf(
	field("p", func(r *ask.MessageRef) any { return &r.Platform }).always(),
	field("i", func(r *ask.MessageRef) any { return &r.Installation }),
	field("c", func(r *ask.MessageRef) any { return &r.Channel }).always(),
	field("m", func(r *ask.MessageRef) any { return &r.Message }).always(),
)

var storedCopy = objectOf(
	field("to", func(c *record.Copy) any { return &c.Target }).always(),
	field("st", func(c *record.Copy) any { return &c.State }).always(),
	part("rf", func(c *record.Copy) *ask.MessageRef { return &c.Ref }, storedRef),
	field("pa", func(c *record.Copy) any { return &c.Rendered }),
	field("pl", func(c *record.Copy) any { return &c.Plain }),
	field("uc", func(c *record.Copy) any { return &c.Ambiguous }),
	field("ad", func(c *record.Copy) any { return &c.Adopted }),
	field("re", func(c *record.Copy) any { return &c.Reposted }),
	field("qt", func(c *record.Copy) any { return &c.Quiet }),
	list("mi", func(c *record.Copy) *[]record.Missed { return &c.Missed }, storedMissed),
	field("sp", func(c *record.Copy) any { return &c.Step }),
	field("sd", func(c *record.Copy) any { return &c.Said }),
	field("sy", func(c *record.Copy) any { return &c.Saying }),
	field("fg", func(c *record.Copy) any { return &c.Filing }),
	field("pr", func(c *record.Copy) any { return &c.Problem }),
	field("qu", func(c *record.Copy) any { return &c.Queue }),
	field("ra", func(c *record.Copy) any { return &c.RetryAt }),
	moment("cg", func(c *record.Copy) *time.Time { return &c.Changing }),
)

var storedReminder = objectOf(
	field("to", func(m *record.Reminder) any { return &m.To }).always(),
	part("rf", func(m *record.Reminder) *ask.MessageRef { return &m.Ref }, storedRef),
	field("sd", func(m *record.Reminder) any { return &m.After }),
	field("sy", func(m *record.Reminder) any { return &m.Last }),
	field("at", func(m *record.Reminder) any { return &m.Attempts }),
	moment("ra", func(m *record.Reminder) *time.Time { return &m.RetryAt }),
)

var storedWebhook = objectOf(
	field("ur", func(w *record.Webhook) any { return &w.Address }).always(),
	field("st", func(w *record.Webhook) any { return &w.State }).always(),
	field("at", func(w *record.Webhook) any { return &w.Attempts }),
	field("aq", func(w *record.Webhook) any { return &w.Asked }),
	field("pr", func(w *record.Webhook) any { return &w.Problem }),
	field("ra", func(w *record.Webhook) any { return &w.RetryAt }),
)

var storedAudience = objectOf(
	field("w", func(a *record.Audience) any { return &a.Who }).always(),
	field("u", func(a *record.Audience) any { return &a.Unknown }),
)

var storedMissed = objectOf(
	field("w", func(m *record.Missed) any { return &m.Who }).always(),
	field("y", func(m *record.Missed) any { return &m.Why }).always(),
)

var storedVoting = objectOf(
	field("ru", func(v *record.Voting) any { return &v.Rule }).always(),
	field("ro", func(v *record.Voting) any { return &v.Roster }),
	field("li", func(v *record.Voting) any { return &v.Links }),
	list("ba", func(v *record.Voting) *[]record.Ballot { return &v.Ballots }, storedBallot),
)

var storedBallot = objectOf(
	field("b", func(b *record.Ballot) any { return &b.By }).always(),
	field("s", func(b *record.Ballot) any { return &b.As }),
	field("k", func(b *record.Ballot) any { return &b.Sort }),
	field("p", func(b *record.Ballot) any { return &b.Picks }),
	field("r", func(b *record.Ballot) any { return &b.Reply }),
	field("a", func(b *record.Ballot) any { return &b.At }).always(),
	field("n", func(b *record.Ballot) any { return &b.Order }),
	field("m", func(b *record.Ballot) any { return &b.Mark }),
	field("d", func(b *record.Ballot) any { return &b.Said }),
)

var storedHeld = objectOf(
	field("oc", func(h *record.Held) any { return &h.Outcome }).always(),
	field("wi", func(h *record.Held) any { return &h.Winner }).always(),
	part("wa", func(h *record.Held) *ask.MessageRef { return &h.WonAt }, storedRef),
	field("fa", func(h *record.Held) any { return &h.Revision }).always(),
	field("un", func(h *record.Held) any { return &h.Until }).always(),
	field("sd", func(h *record.Held) any { return &h.Said }),
	field("or", func(h *record.Held) any { return &h.Order }),
	list("ba", func(h *record.Held) *[]record.Ballot { return &h.Before }, storedBallot),
)

var storedPermit = objectOf(
	field("k", func(p *ask.Permit) any { return &p.Key }).always(),
	field("w", func(p *ask.Permit) any { return &p.What }),
	field("a", func(p *ask.Permit) any { return &p.Allow }).always(),
	field("wa", func(p *ask.Permit) any { return &p.Wants }),
	field("to", func(p *ask.Permit) any { return &p.Tool }),
	field("wh", func(p *ask.Permit) any { return &p.Where }),
	field("wo", func(p *ask.Permit) any { return &p.Words }),
	field("dy", func(p *ask.Permit) any { return &p.Deny }),
	list("o", func(p *ask.Permit) *[]ask.Offer { return &p.Offers }, objectOf(
		field("l", func(o *ask.Offer) any { return &o.Label }).always(),
		field("s", func(o *ask.Offer) any { return &o.Scope }).always(),
		field("f", func(o *ask.Offer) any { return &o.For }).always(),
	)),
)

var storedAskedBack = objectOf(
	field("n", func(a *record.AskedBack) any { return &a.Number }).always(),
	field("by", func(a *record.AskedBack) any { return &a.By }).always(),
	field("te", func(a *record.AskedBack) any { return &a.Text }).always(),
	moment("at", func(a *record.AskedBack) *time.Time { return &a.At }).always(),
	field("re", func(a *record.AskedBack) any { return &a.Reply }),
	moment("ra", func(a *record.AskedBack) *time.Time { return &a.RepliedAt }),
	field("pl", func(a *record.AskedBack) any { return &a.Place }),
)

var storedReceipt = objectOf(
	moment("at", func(r *record.Receipt) *time.Time { return &r.TakenAt }),
	field("mi", func(r *record.Receipt) any { return &r.Missing }),
)

var storedSchedule = objectOf(
	list("st", func(s *record.Schedule) *[]record.Step { return &s.Steps }, storedStep).always(),
	field("do", func(s *record.Schedule) any { return &s.Done }),
	field("cf", func(s *record.Schedule) any { return &s.ClaimFor }),
	optional("cl", func(s *record.Schedule) **record.Claim { return &s.Claim }, storedClaim),
	field("pt", func(s *record.Schedule) any { return &s.PassTo }),
)

var storedStep = objectOf(
	field("af", func(s *record.Step) any { return &s.After }).always(),
	moment("at", func(s *record.Step) *time.Time { return &s.At }).always(),
	field("do", func(s *record.Step) any { return &s.Do }).always(),
	field("rs", func(s *record.Step) any { return &s.Policy }),
	field("ad", func(s *record.Step) any { return &s.Added }),
	field("to", func(s *record.Step) any { return &s.Places }),
	field("w", func(s *record.Step) any { return &s.Who }),
	optional("pa", func(s *record.Step) **record.Pass { return &s.Pass }, objectOf(
		field("by", func(p *record.Pass) any { return &p.By }).always(),
		field("to", func(p *record.Pass) any { return &p.To }).always(),
		field("o", func(p *record.Pass) any { return &p.Out }).always(),
		field("m", func(p *record.Pass) any { return &p.Mark }).always(),
	)),
)

var storedClaim = objectOf(
	field("by", func(c *record.Claim) any { return &c.By }).always(),
	moment("at", func(c *record.Claim) *time.Time { return &c.At }).always(),
	moment("u", func(c *record.Claim) *time.Time { return &c.Until }).always(),
	field("or", func(c *record.Claim) any { return &c.Order }),
	field("m", func(c *record.Claim) any { return &c.Mark }).always(),
)

var storedTrail = objectOf(
	field("n", func(t *record.Trail) any { return &t.Seq }).always(),
	field("re", func(t *record.Trail) any { return &t.Refused }),
	list("ev", func(t *record.Trail) *[]record.Event { return &t.Events }, objectOf(
		field("n", func(e *record.Event) any { return &e.Seq }).always(),
		moment("a", func(e *record.Event) *time.Time { return &e.At }).always(),
		field("k", func(e *record.Event) any { return &e.Kind }).always(),
		field("fa", func(e *record.Event) any { return &e.Revision }),
		field("b", func(e *record.Event) any { return &e.By }),
		field("m", func(e *record.Event) any { return &e.Act }),
		field("d", func(e *record.Event) any { return &e.Detail }),
		field("c", func(e *record.Event) any { return &e.Choices }),
		field("t", func(e *record.Event) any { return &e.Text }),
	)),
)
