package codec

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/rawjson"
)

// Encode returns the stored form of e.
func Encode(e *Entry) ([]byte, error) {
	var buf bytes.Buffer
	err := EncodeTo(&buf, e)
	return buf.Bytes(), err
}

// EncodeTo appends the stored form of e.
func EncodeTo(buf *bytes.Buffer, e *Entry) error {
	return writeTo(buf, func(o *object) { o.entry(e) })
}

// writeTo appends an object.
func writeTo(buf *bytes.Buffer, members func(*object)) error {
	o := object{rawjson.Object{JSON: buf.AvailableBuffer()}}
	o.Open()
	members(&o)
	o.Shut()
	if o.Err != nil {
		return fmt.Errorf("encode record: %w", o.Err)
	}
	buf.Write(o.JSON)
	return nil
}

// entry writes the members that this build knows, and those that it only carries.
func (o *object) entry(e *Entry) {
	o.record(&e.Rec)
	for _, name := range slices.Sorted(maps.Keys(e.Extra)) {
		o.Name(name)
		o.JSON = append(o.JSON, e.Extra[name]...)
	}
}

// object writes a record as encoding/json would write the [stored] form of it. It is written with every
// act, and has members by the dozen of which most are zero: to look at each by reflection costs
// several times as much. What few records have is left to encoding/json all the same.
type object struct{ rawjson.Object }

func (o *object) someMoment(name string, t time.Time) { o.SomeNumber(name, int64(MicrosOf(t))) }

// record writes the members of a record, in the order of [stored].
func (o *object) record(r *bridge.Record) {
	o.SomeNumber("f", int64(formatOf(r)))
	o.someMoment("cr", r.Created)
	o.someMoment("ch", r.Changed)
	o.someMoment("dl", r.Deadline)
	o.someMoment("du", r.Due)
	o.someMoment("la", r.DeliveryDue)
	o.someMoment("en", r.EndedAt)
	o.SomeFlag("rp", r.Outcome.Replied)
	o.SomeText("vi", r.Outcome.Via)
	o.Number("v", r.Version)
	o.SomeText("te", r.Tenant)
	o.SomeText("se", r.Session)
	o.SomeText("tc", r.ToolCallID)
	o.SomeText("ag", r.Agent)
	o.SomeText("cx", r.Context)
	if len(r.Links) > 0 {
		o.Any("lk", r.Links)
	}
	if len(r.Files) > 0 {
		o.Any("fl", r.Files)
	}
	o.SomeText("lg", r.Language)
	o.Text("fp", r.Fingerprint)
	o.SomeText("tp", r.TraceParent)
	o.SomeText("ts", r.TraceState)
	rawjson.List(&o.Object, "qs", r.Questions, o.question)
	o.policy("rs", r.Policy)
	o.SomeTexts("rq", r.Requesters)
	if r.Voting != nil {
		o.Any("vo", storedVotingOf(r.Voting))
	}
	if r.Audience != nil {
		o.Any("nt", (*storedAudience)(r.Audience))
	}
	if !r.Replies.IsZero() {
		o.Any("ry", r.Replies)
	}
	o.SomeNumber("ho", int64(r.Hold))
	if r.Held != nil {
		o.Any("hd", storedHeldOf(r.Held))
	}
	o.someMoment("ud", r.UndoneAt)
	if r.Schedule != nil {
		o.Any("sc", storedScheduleOf(r.Schedule))
	}
	if r.Trail != nil {
		o.trail("tr", r.Trail)
	}
	if r.Permit != nil {
		o.Any("pm", storedPermitOf(r.Permit))
	}
	o.SomeText("tk", r.Token)
	o.SomeNumber("rh", int64(r.Handed))
	o.someMoment("rt", r.HandedAt)
	o.SomeNumber("rv", int64(r.Revised))
	o.someMoment("rd", r.RevisedAt)
	o.SomeText("ab", string(r.AskBack))
	o.SomeFlag("wl", r.Wordless)
	o.SomeFlag("pe", r.Permission)
	if len(r.AskedBack) > 0 {
		o.Any("aq", storedAskedBackOf(r.AskedBack))
	}
	if r.Receipt != nil {
		o.Any("rc", storedReceiptOf(r.Receipt))
		o.SomeText("ri", r.Receipt.Instead)
	}
	o.SomeNumber("jn", int64(r.Joined))
	o.outcome("oc", &r.Outcome)
	o.SomeText("wi", r.Winner)
	o.someRef("wa", r.WonAt)
	o.SomeTexts("ac", r.Recent)
	if len(r.Drafts) > 0 {
		o.Any("dr", r.Drafts)
	}
	rawjson.List(&o.Object, "cp", r.Copies, o.copy)
	if r.Webhook != nil {
		o.Any("cb", (*storedWebhook)(r.Webhook))
	}
	o.Number("fa", r.Revision)
	o.SomeNumber("at", int64(r.Attempts))
}

func (o *object) question(q ask.Question) {
	o.Item()
	o.Text("question", q.Text)
	o.Text("header", q.Header)
	rawjson.List(&o.Object, "options", q.Options, func(option ask.Option) {
		o.Item()
		o.Text("label", option.Label)
		o.SomeText("description", option.Description)
		o.SomeText("preview", option.Preview)
		o.Shut()
	})
	o.Flag("multiSelect", q.MultiSelect)
	o.SomeFlag("noOther", q.NoOther)
	o.SomeFlag("optional", q.Optional)
	o.SomeFlag("notes", q.Notes)
	o.SomeFlag("confirm", q.Confirm)
	o.Shut()
}

func (o *object) policy(name string, p ask.Policy) {
	if p.Layered() {
		o.Any(name, p)
	} else {
		o.Texts(name, p.Strings())
	}
}

func (o *object) person(name string, p ask.Person) {
	o.Name(name)
	o.Open()
	o.Text("platform", p.Platform)
	o.Text("id", p.ID)
	o.SomeText("name", p.Name)
	o.Shut()
}

func (o *object) somePerson(name string, p ask.Person) {
	if p != (ask.Person{}) {
		o.person(name, p)
	}
}

// outcome writes an outcome but for what stands beside it in a record.
func (o *object) outcome(name string, out *ask.Outcome) {
	o.Name(name)
	o.Open()
	o.Text("state", string(out.State))
	if len(out.Answers) > 0 {
		rawjson.List(&o.Object, "answers", out.Answers, o.answer)
	}
	o.somePerson("by", out.By)
	o.SomeTime("at", out.At)
	o.SomeText("reason", out.Reason)
	if len(out.Votes) > 0 {
		o.Any("votes", out.Votes)
	}
	if len(out.Tally) > 0 {
		o.Any("tally", out.Tally)
	}
	if len(out.Skipped) > 0 {
		o.Any("skipped", out.Skipped)
	}
	if len(out.Left) > 0 {
		o.Any("left", out.Left)
	}
	o.Shut()
}

func (o *object) answer(a ask.Answer) {
	o.Item()
	o.Number("index", int64(a.Index))
	o.Text("question", a.Question)
	o.Text("header", a.Header)
	o.Texts("selected", a.Selected)
	o.Text("other", a.Other)
	o.SomeText("notes", a.Notes)
	o.person("by", a.By)
	o.Time("at", a.At)
	o.somePerson("notes_by", a.NotesBy)
	o.Shut()
}

func (o *object) someRef(name string, ref ask.MessageRef) {
	if ref == (ask.MessageRef{}) {
		return
	}
	o.Name(name)
	o.Open()
	o.Text("p", ref.Platform)
	o.SomeText("i", ref.Installation)
	o.Text("c", ref.Channel)
	o.Text("m", ref.Message)
	o.Shut()
}

func (o *object) copy(c bridge.Copy) {
	o.Item()
	o.Name("to")
	o.Open()
	o.Text("platform", c.Target.Platform)
	o.SomeText("installation", c.Target.Installation)
	o.SomeText("channel", c.Target.Channel)
	o.SomeText("thread", c.Target.Thread)
	o.SomeText("user", c.Target.User)
	o.Shut()
	o.Text("st", string(c.State))
	o.someRef("rf", c.Ref)
	o.SomeNumber("pa", c.Rendered)
	o.SomeFlag("pl", c.Plain)
	o.SomeFlag("uc", c.Ambiguous)
	o.SomeFlag("ad", c.Adopted)
	o.SomeFlag("re", c.Reposted)
	o.SomeFlag("qt", c.Quiet)
	if len(c.Missed) > 0 {
		o.Any("mi", storedMissedOf(c.Missed))
	}
	o.SomeNumber("sp", int64(c.Step))
	o.SomeNumber("sd", int64(c.Said))
	o.SomeNumber("sy", int64(c.Saying))
	o.SomeText("fg", string(c.Filing))
	o.SomeText("pr", c.Problem)
	o.SomeNumber("qu", int64(c.Queue))
	o.SomeTime("ra", c.RetryAt)
	o.someMoment("cg", c.Changing)
	o.Shut()
}

func (o *object) trail(name string, t *record.Trail) {
	o.Name(name)
	o.Open()
	o.Number("n", t.Seq)
	o.SomeNumber("re", int64(t.Refused))
	if len(t.Events) > 0 {
		rawjson.List(&o.Object, "ev", t.Events, o.event)
	}
	o.Shut()
}

func (o *object) event(e record.Event) {
	o.Item()
	o.Number("n", e.Seq)
	o.Number("a", int64(MicrosOf(e.At)))
	o.Text("k", string(e.Kind))
	o.SomeNumber("fa", e.Revision)
	o.somePerson("b", e.By)
	o.SomeText("m", e.Act)
	o.SomeText("d", e.Detail)
	if len(e.Choices) > 0 {
		o.Any("c", e.Choices)
	}
	o.SomeText("t", e.Text)
	o.Shut()
}
